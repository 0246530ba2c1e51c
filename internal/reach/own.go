package reach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// maxOwn bounds the sessions that are each one process' own.
const maxOwn = 64

// Own makes a session for one process, which has no token, and gives its label
// and its token. The label says which agent it is. Whoever serves the process
// ends it with End when the process is gone. It is no_session where tokens are
// required, and busy when there are too many.
func (b *Book) Own(ctx context.Context, agent string) (api.SessionID, string, error) {
	if b.requireToken {
		return "", "", noToken()
	}
	own, err := b.db.OwnSessions(ctx)
	if err != nil {
		return "", "", err
	}
	if len(own) >= maxOwn {
		return "", "", api.Refuse(api.Busy, "%d processes have a session of their own already", maxOwn).
			WithHint("end one that is not needed, or use a token: vibespace session new <label>")
	}
	token := newToken()
	hash := hashOf(token)
	base := ownLabel(agent)
	for n := 1; n <= maxOwn+1; n++ {
		label := base
		if n > 1 {
			label = api.SessionID(fmt.Sprintf("%s.%d", base, n))
		}
		err := b.db.AddSession(ctx, store.Session{Label: label, TokenHash: hash[:], Created: b.now(), Own: true}, "")
		if !errors.Is(err, store.ErrExists) {
			return label, token, b.tell(err)
		}
	}
	return "", "", api.Refuse(api.Busy, "too many sessions are called %s", base).WithHint("vibespace session list")
}

// OwnByToken gives the living session of a token if it is a process' own: the
// process has lost its daemon and found it, or the next one, again. Otherwise it
// is bad_session.
func (b *Book) OwnByToken(ctx context.Context, token string) (api.SessionID, error) {
	if token == "" {
		return "", badToken()
	}
	label, err := b.ByToken(ctx, token)
	if err != nil {
		return "", err
	}
	own, err := b.db.OwnSessions(ctx)
	if err == nil && !slices.Contains(own, label) {
		err = badToken()
	}
	return label, err
}

// OwnSessions lists the living sessions that are each one process' own.
func (b *Book) OwnSessions(ctx context.Context) ([]api.SessionID, error) {
	return b.db.OwnSessions(ctx)
}

// ownLabel is what the session of an agent's process is called: "claude[123]"
// gives mcp-claude-123.
func ownLabel(agent string) api.SessionID {
	word := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		case r == ']':
			return -1
		}
		return '-'
	}, agent)
	return api.SessionID("mcp-" + word[:min(len(word), 48)])
}
