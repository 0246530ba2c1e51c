package reach

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// The modes a share carries.
const (
	ModeAuto   = "auto"
	ModeTree   = "tree"
	ModePixels = "pixels"
)

// CheckMode refuses a mode that is none with bad_mode; "" is auto.
func CheckMode(mode string) (string, error) {
	switch mode {
	case "":
		return ModeAuto, nil
	case ModeAuto, ModeTree, ModePixels:
		return mode, nil
	}
	return "", api.Refuse(api.BadMode, "%s is not a mode", api.Quote(mode, 60)).WithHint("auto, tree or pixels")
}

// grantee reads "session:<label>" or "group:<name>".
func grantee(with string) (kind, name string, err error) {
	kind, name, _ = strings.Cut(with, ":")
	if (kind != store.KindSession && kind != store.KindGroup) || name == "" {
		return "", "", api.Refuse(api.BadRequest, "%s names neither a session nor a group", api.Quote(with, 60)).
			WithHint("--with session:<label> or --with group:<name>")
	}
	return kind, name, nil
}

// Share gives a handle to a session or a group in a mode ("" is auto), or
// changes the mode of a share that is there. A grantee that is not there is
// bad_session or bad_request. That the handle is one is the caller's to know.
func (b *Book) Share(ctx context.Context, h api.Handle, with, mode string) error {
	kind, name, err := grantee(with)
	if err != nil {
		return err
	}
	if mode, err = CheckMode(mode); err != nil {
		return err
	}
	err = b.db.PutShare(ctx, store.Share{Handle: h, Kind: kind, Name: name, Mode: mode, Since: b.now()})
	if errors.Is(err, store.ErrAbsent) {
		if kind == store.KindGroup {
			return noGroup(name)
		}
		return noSuchSession(api.SessionID(name))
	}
	return b.tell(err)
}

// Unshare takes a handle from a session or a group, or from everybody with "",
// its opener included, and counts the shares it took. It is true at once: the
// next May says no.
func (b *Book) Unshare(ctx context.Context, h api.Handle, with string) (int, error) {
	if with == "" {
		n, err := b.db.DeleteShares(ctx, h)
		return n, b.tell(err)
	}
	kind, name, err := grantee(with)
	if err != nil {
		return 0, err
	}
	n, err := b.db.DeleteShare(ctx, h, kind, name)
	return n, b.tell(err)
}

// Shares lists the shares of a handle, the oldest first.
func (b *Book) Shares(ctx context.Context, h api.Handle) ([]api.Share, error) {
	rows, err := b.db.Shares(ctx, h)
	if err != nil {
		return nil, err
	}
	shares := make([]api.Share, len(rows))
	for i, r := range rows {
		shares[i] = api.Share{Handle: r.Handle, With: r.Kind + ":" + r.Name, Mode: r.Mode, Since: r.Since}
	}
	return shares, nil
}

// May says whether a session may see a handle, and in which mode: by a share
// with itself, else by the newest share with a group it is in. What cannot be
// read is reach_unreadable, never a no: the caller keeps its lease and asks
// again.
//
// It reads the store each time, some tens of microseconds, so that a share that
// was taken back is gone for the next question whoever took it back.
func (b *Book) May(ctx context.Context, session api.SessionID, h api.Handle) (mode string, ok bool, err error) {
	shares, err := b.db.Shares(ctx, h)
	if err != nil {
		return "", false, unreadable(ctx, err)
	}
	toGroups := false
	for _, s := range shares {
		if s.Kind == store.KindSession && s.Name == string(session) {
			return s.Mode, true, nil
		}
		toGroups = toGroups || s.Kind == store.KindGroup
	}
	if !toGroups {
		return "", false, nil
	}
	groups, err := b.db.GroupsOf(ctx, session)
	if err != nil {
		return "", false, unreadable(ctx, err)
	}
	for _, s := range slices.Backward(shares) {
		if s.Kind == store.KindGroup && slices.Contains(groups, s.Name) {
			return s.Mode, true, nil
		}
	}
	return "", false, nil
}

// Reached is a handle a session may see.
type Reached struct {
	Handle api.Handle
	Mode   string
}

// Reaches lists what a session may see, by the rule of May, in order of
// handle.
func (b *Book) Reaches(ctx context.Context, session api.SessionID) ([]Reached, error) {
	modes := map[api.Handle]string{}
	groups, err := b.db.GroupsOf(ctx, session)
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	var shares []store.Share
	for _, name := range groups {
		more, err := b.db.SharesTo(ctx, store.KindGroup, name)
		if err != nil {
			return nil, unreadable(ctx, err)
		}
		shares = append(shares, more...)
	}
	slices.SortFunc(shares, func(a, b store.Share) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Name, b.Name)) })
	own, err := b.db.SharesTo(ctx, store.KindSession, string(session))
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	for _, s := range append(shares, own...) { // what comes later counts more
		modes[s.Handle] = s.Mode
	}
	reached := make([]Reached, 0, len(modes))
	for h, mode := range modes {
		reached = append(reached, Reached{h, mode})
	}
	slices.SortFunc(reached, func(a, b Reached) int { // w9 before w10
		return cmp.Or(cmp.Compare(len(a.Handle), len(b.Handle)), cmp.Compare(a.Handle, b.Handle))
	})
	return reached, nil
}

// unreadable is reach_unreadable for a fault of the store; the end of the
// caller's context stays that.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return api.Refuse(api.ReachUnreadable, "who may see this could not be read: %v", err).
		WithHint("try again: the lease is kept")
}
