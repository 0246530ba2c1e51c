package reach

import (
	"context"
	"errors"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// GroupNew makes an empty group. A name that is none or is taken is
// bad_request.
func (b *Book) GroupNew(ctx context.Context, name string) error {
	if err := checkLabel("group", name); err != nil {
		return err
	}
	err := b.db.AddGroup(ctx, name, b.now())
	if errors.Is(err, store.ErrExists) {
		return api.Refuse(api.BadRequest, "there is a group called %s already", name).WithHint("vibespace group list")
	}
	return b.tell(err)
}

// GroupAdd puts a living session into a group, also when it is in already.
func (b *Book) GroupAdd(ctx context.Context, group string, session api.SessionID) error {
	err := b.db.AddMember(ctx, group, session)
	if errors.Is(err, store.ErrAbsent) {
		return b.missing(ctx, store.KindGroup, group, session)
	}
	return b.tell(err)
}

// GroupRemove takes a session out of a group, and with that out of reach of
// what is shared with the group.
func (b *Book) GroupRemove(ctx context.Context, group string, session api.SessionID) error {
	err := b.db.RemoveMember(ctx, group, session)
	if !errors.Is(err, store.ErrAbsent) {
		return b.tell(err)
	}
	if err := b.missing(ctx, store.KindGroup, group, session); err != nil {
		return err
	}
	return api.Refuse(api.BadRequest, "session %s is not in group %s", session, group).WithHint("vibespace group list")
}

// GroupEnd ends a group, and with it every share with it.
func (b *Book) GroupEnd(ctx context.Context, group string) error {
	err := b.db.DeleteGroup(ctx, group)
	if errors.Is(err, store.ErrAbsent) {
		return noGroup(group)
	}
	return b.tell(err)
}

// Groups lists the groups with their members, in order of name.
func (b *Book) Groups(ctx context.Context) ([]store.Group, error) { return b.db.Groups(ctx) }

// missing says which of a group and a session is not there; nil when both are.
func (b *Book) missing(ctx context.Context, kind, group string, session api.SessionID) error {
	if kind == store.KindGroup {
		if ok, err := b.db.GroupExists(ctx, group); err != nil || !ok {
			return orElse(err, noGroup(group))
		}
	}
	if session == "" {
		return nil
	}
	if _, ok, err := b.db.Session(ctx, session); err != nil || !ok {
		return orElse(err, noSuchSession(session))
	}
	return nil
}

// orElse is the first of two errors that is one.
func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// noGroup refuses a group that is not there.
func noGroup(name string) error {
	return api.Refuse(api.BadRequest, "no group is called %s", api.Quote(name, 60)).
		WithHint("vibespace group list shows them; vibespace group new makes one")
}
