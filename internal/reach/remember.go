package reach

import (
	"context"
	"errors"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// Remember keeps that an application's windows are to be shared with a session
// or a group in a mode ("" is auto). Nothing is shared by it: it is shown where
// such a window is launched, and applied when the person says so. It goes with
// the session or the group.
func (b *Book) Remember(ctx context.Context, app, with, mode string) error {
	kind, name, err := grantee(with)
	if err != nil {
		return err
	}
	if mode, err = CheckMode(mode); err != nil {
		return err
	}
	err = b.db.PutRemembered(ctx, store.Remembered{App: app, Kind: kind, Name: name, Mode: mode, Since: b.now()})
	if errors.Is(err, store.ErrAbsent) {
		if kind == store.KindGroup {
			return noGroup(name)
		}
		return noSuchSession(api.SessionID(name))
	}
	return err
}

// Remembered lists what is remembered for an application, or for all with "".
func (b *Book) Remembered(ctx context.Context, app string) ([]api.Remembered, error) {
	rows, err := b.db.RememberedShares(ctx, app)
	if err != nil {
		return nil, err
	}
	list := make([]api.Remembered, len(rows))
	for i, r := range rows {
		list[i] = api.Remembered{App: r.App, With: r.Kind + ":" + r.Name, Mode: r.Mode, Since: r.Since}
	}
	return list, nil
}

// Forget forgets what is remembered for an application with a session or a
// group, or with everybody with "", and counts it. Shares that stand are left.
func (b *Book) Forget(ctx context.Context, app, with string) (int, error) {
	if with == "" {
		return b.db.DeleteRemembered(ctx, app, "", "")
	}
	kind, name, err := grantee(with)
	if err != nil {
		return 0, err
	}
	return b.db.DeleteRemembered(ctx, app, kind, name)
}
