package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vibespace/browser/provider"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// The ways a profile comes to be meant.
const (
	originChosen       = "chosen"
	originConversation = "conversation"
	originEphemeral    = "ephemeral"
)

// seat is a session's place in a profile: what its command is about.
type seat struct {
	store.Profile
	alias     string
	origin    string
	isDefault bool
	// session is who sits there.
	session api.SessionID
	// ephemeral ends with its session; child is one made for a helper.
	ephemeral, child bool
}

// shown is the seat as answers name it.
func (s seat) shown() api.Profile {
	return api.Profile{Handle: s.Handle, Label: s.Label, Origin: s.origin}
}

// resolve finds what a command is about: the profile it names, or the only one
// the session is attached to, or the session's own ephemeral browser. It
// refuses rather than guesses, and a bare command once after the set changed.
func (e *Engine) resolve(ctx context.Context, c api.Caller, named api.Handle) (seat, error) {
	seats, told, err := e.seats(ctx, c)
	if err != nil {
		return seat{}, err
	}
	if named != "" {
		return e.named(ctx, c, string(named), seats)
	}
	now := setOf(seats)
	if now != told {
		if err := e.cfg.Store.TellAttachments(ctx, c.Session, now); err != nil {
			return seat{}, err
		}
		return seat{}, api.Refuse(api.ProfileChanged, "what this session is attached to has changed since its last command: %s", listed(seats)).
			WithHint("look whether this is still meant, then say it again, best with --profile").
			With("was", strings.Fields(told)).With("now", strings.Fields(now)).With("handles", handlesOf(seats))
	}
	switch len(seats) {
	case 0:
		return e.own(ctx, c)
	case 1:
		return seats[0], nil
	}
	return seat{}, api.Refuse(api.ProfileRequired, "this session is attached to %d profiles: %s", len(seats), listed(seats)).
		WithHint("--profile %s, or another of them; VIBESPACE_BROWSER=%s is the same for one shell", seats[0].Handle, seats[0].Handle).
		With("handles", handlesOf(seats))
}

// seats lists what a session is attached to, and the set it was told of.
func (e *Engine) seats(ctx context.Context, c api.Caller) ([]seat, string, error) {
	set, told, err := e.cfg.Store.Attachments(ctx, c.Session)
	if err != nil || len(set) == 0 {
		return nil, told, err
	}
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return nil, "", err
	}
	seats := []seat{}
	for _, a := range set {
		i := slices.IndexFunc(all, func(p store.Profile) bool { return p.Handle == a.Profile })
		if i < 0 {
			continue
		}
		// A group that the session has left is not its owner's any more.
		mine, err := e.mine(ctx, c, all[i])
		if err != nil {
			return nil, "", err
		}
		if mine {
			seats = append(seats, seat{Profile: all[i], alias: a.Alias, origin: a.Origin, isDefault: a.Default, session: c.Session})
		}
	}
	return seats, told, nil
}

// mine says whether a session is of the owner of a profile.
func (e *Engine) mine(ctx context.Context, c api.Caller, p store.Profile) (bool, error) {
	if p.OwnerKind == store.KindSession {
		return p.Owner != "" && p.Owner == string(c.Session), nil
	}
	groups, err := e.cfg.Store.GroupsOf(ctx, c.Session)
	return slices.Contains(groups, p.Owner), err
}

// named finds the profile that a command names.
func (e *Engine) named(ctx context.Context, c api.Caller, name string, seats []seat) (seat, error) {
	if looksLikePath(name) {
		return seat{}, e.pathGiven(ctx, c, name, "")
	}
	if name == originEphemeral {
		return e.own(ctx, c)
	}
	if s, ok := e.private(c, name); ok {
		return s, nil
	}
	for _, by := range []func(seat) bool{
		func(s seat) bool { return string(s.Handle) == name },
		func(s seat) bool { return s.alias == name },
		func(s seat) bool { return s.Label == name },
	} {
		if i := slices.IndexFunc(seats, by); i >= 0 {
			return seats[i], nil
		}
	}
	if err := e.desktopNamed(ctx, c, name); err != nil {
		return seat{}, err
	}
	p, err := e.find(ctx, c, name)
	if err != nil {
		return seat{}, err
	}
	return seat{}, api.Refuse(api.NotAttached, "this session is not attached to %s (%s)", p.Handle, p.Label).
		WithHint("vibespace-browser use %s", p.Handle)
}

// desktopNamed refuses page verbs on a browser of the desktop-app rung, with
// the recipe that goes there.
func (e *Engine) desktopNamed(ctx context.Context, c api.Caller, name string) error {
	if e.cfg.Desktops == nil {
		return nil
	}
	found, err := e.cfg.Desktops(ctx, c, name)
	if err != nil || len(found) == 0 {
		return err
	}
	w := found[0]
	return api.Refuse(api.NoCDPOnThisBackend, "%s (%s) is a browser of the desktop-app rung: it is driven as a window, not over CDP", w.Handle, w.Label).
		WithHint("vibespace-window snapshot %s; click, type, key and screenshot go the same way", w.Handle).
		With("handle", w.Handle).With("backend", provider.DesktopApp)
}

// find finds a profile by its handle or label among those the session may
// attach to; one of somebody else's is not_owner.
func (e *Engine) find(ctx context.Context, c api.Caller, name string) (store.Profile, error) {
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return store.Profile{}, err
	}
	others := false
	for _, byHandle := range []bool{true, false} {
		for _, p := range all {
			if byHandle && string(p.Handle) != name || !byHandle && p.Label != name {
				continue
			}
			mine, err := e.mine(ctx, c, p)
			switch {
			case err != nil:
				return store.Profile{}, err
			case mine:
				return p, nil
			}
			others = true
		}
	}
	if others {
		return store.Profile{}, api.Refuse(api.NotOwner, "the profile %s belongs to somebody else", api.Quote(name, 80)).
			WithHint("vibespace-browser new <label> makes one of your own")
	}
	return store.Profile{}, api.Refuse(api.NotExposed, "there is no profile %s here", api.Quote(name, 80)).WithHint("vibespace-browser profiles")
}

// looksLikePath says whether a name is meant as one of the file system's.
func looksLikePath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasPrefix(name, "~") || name == "." || name == ".."
}

// pathGiven refuses a path where a profile is meant, with the command that
// makes a profile of it.
func (e *Engine) pathGiven(ctx context.Context, c api.Caller, path, dir string) error {
	if dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Dir == "" || !same(p.Dir, path) {
			continue
		}
		if mine, err := e.mine(ctx, c, p); err != nil {
			return err
		} else if mine {
			return api.Refuse(api.BadRequest, "%s is the directory of %s: a profile is named by its handle", api.Quote(path, 200), p.Handle).
				WithHint("vibespace-browser use %s", p.Handle)
		}
		return notYoursToAdopt(path)
	}
	return api.Refuse(api.BadRequest, "%s is a path, and a profile is named by its handle or label", api.Quote(path, 200)).
		WithHint("vibespace-browser new <label> --adopt %s", path)
}

// setOf is a set of attachments as it is told apart from another.
func setOf(seats []seat) string {
	words := []string{}
	for _, s := range seats {
		word := string(s.Handle)
		if s.isDefault {
			word += "*"
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// listed names seats in a sentence.
func listed(seats []seat) string {
	if len(seats) == 0 {
		return "none, so that a bare command means its own ephemeral browser"
	}
	words := []string{}
	for _, s := range seats {
		word := fmt.Sprintf("%s (%s)", s.Handle, s.Label)
		if s.isDefault {
			word += ", the default"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// handlesOf lists seats for a refusal's details.
func handlesOf(seats []seat) []map[string]any {
	list := []map[string]any{}
	for _, s := range seats {
		list = append(list, map[string]any{"handle": s.Handle, "label": s.Label, "alias": s.alias, "default": s.isDefault})
	}
	return list
}
