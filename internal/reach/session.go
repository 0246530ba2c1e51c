package reach

import (
	"context"
	"errors"
	"regexp"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// labels is what a session or a group may be called: it is typed on command
// lines, printed in answers and put behind "session:".
var labels = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)

// checkLabel refuses a name that is none.
func checkLabel(what, label string) error {
	if labels.MatchString(label) {
		return nil
	}
	return api.Refuse(api.BadRequest, "%s is not a %s's name", api.Quote(label, 60), what).
		WithHint("1 to 60 letters, digits, dots, dashes and underscores, beginning with a letter or a digit")
}

// New makes a session, as a member of a group unless that is "", and gives its
// token: this once, for nobody can read it later. A label that is none, or
// that a living session has, and a group that is not there are refused with
// bad_request.
func (b *Book) New(ctx context.Context, label api.SessionID, group string) (string, error) {
	if err := checkLabel("session", string(label)); err != nil {
		return "", err
	}
	if label == api.DefaultSession {
		return "", api.Refuse(api.BadRequest, "default is the session of callers without a token").WithHint("take another label")
	}
	token := newToken()
	hash := hashOf(token)
	err := b.db.AddSession(ctx, store.Session{Label: label, TokenHash: hash[:], Created: b.now()}, group)
	switch {
	case errors.Is(err, store.ErrExists):
		return "", api.Refuse(api.BadRequest, "a session called %s lives already", label).
			WithHint("take another label, or end it first: vibespace session end %s", label)
	case errors.Is(err, store.ErrAbsent):
		return "", noGroup(group)
	case err != nil:
		return "", err
	}
	return token, b.tell(nil)
}

// Run gives another token of a session, which is made when none of the label
// lives. It is as good as the session's own until the session ends, and like
// that one it is shown this once.
func (b *Book) Run(ctx context.Context, label api.SessionID) (string, error) {
	if label == api.DefaultSession {
		return "", api.Refuse(api.BadRequest, "default is the session of callers without a token").WithHint("take another label")
	}
	token := newToken()
	hash := hashOf(token)
	err := b.db.AddToken(ctx, label, hash[:])
	if errors.Is(err, store.ErrAbsent) {
		return b.New(ctx, label, "")
	}
	return token, err
}

// End ends a session, with its shares, its memberships and its leases in the
// store; the lease table is told by its own DropAll. Its tokens are bad_session
// from now on. The windows it opened are due to end after a grace, and are the
// engine's to end. The session default does not end.
func (b *Book) End(ctx context.Context, label api.SessionID, grace time.Duration) error {
	if label == api.DefaultSession {
		return api.Refuse(api.BadRequest, "the session default does not end").
			WithHint("to refuse callers without a token set sessions.requireToken to true")
	}
	now := b.now()
	err := b.db.EndSession(ctx, label, now, now.Add(grace))
	if errors.Is(err, store.ErrAbsent) {
		return noSuchSession(label)
	}
	return b.tell(err)
}

// ByToken gives the living session of a token. No token is the session default,
// or no_session where tokens are required; a token that is wrong, or whose
// session has ended, is bad_session and never falls back to default.
//
// It costs one indexed read: a connection that lives long asks it again for
// each request, so that an ended session stops there too.
func (b *Book) ByToken(ctx context.Context, token string) (api.SessionID, error) {
	if token == "" {
		if b.requireToken {
			return "", noToken()
		}
		return api.DefaultSession, nil
	}
	if !isToken(token) {
		return "", badToken()
	}
	hash := hashOf(token)
	s, ok, err := b.db.SessionByHash(ctx, hash[:])
	if err != nil {
		return "", err
	}
	if !ok || !s.Ended.IsZero() || !hash.is(s.TokenHash) {
		return "", badToken()
	}
	return s.Label, nil
}

// Session is a living session.
type Session struct {
	Label   api.SessionID
	Created time.Time
	Groups  []string // in order of name
}

// Sessions lists the living sessions, the oldest first, default among them.
func (b *Book) Sessions(ctx context.Context) ([]Session, error) {
	rows, err := b.db.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	sessions := make([]Session, len(rows))
	for i, r := range rows {
		groups, err := b.db.GroupsOf(ctx, r.Label)
		if err != nil {
			return nil, err
		}
		sessions[i] = Session{Label: r.Label, Created: r.Created, Groups: groups}
	}
	return sessions, nil
}

// noToken refuses callers without a token where tokens are required.
func noToken() error {
	return api.Refuse(api.NoSession, "this daemon serves sessions with a token alone").
		WithHint("ask the person for one (vibespace session new <label>) and put it into VIBESPACE_SESSION_TOKEN")
}

// badToken is the answer to every token that is not of a living session: a
// wrong one reads like an ended one.
func badToken() error {
	return api.Refuse(api.BadSession, "the session token is wrong, or its session has ended").
		WithHint("ask the person for a new one: vibespace session new <label>")
}

// noSuchSession refuses a label that no living session has, to the person.
func noSuchSession(label api.SessionID) error {
	return api.Refuse(api.BadSession, "no session is called %s", api.Quote(string(label), 60)).
		WithHint("vibespace session list")
}
