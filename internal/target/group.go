package target

import (
	"context"
	"errors"

	"vibespace/internal/api"
)

// GroupNew makes an empty group. The person's alone.
func (e *Engine) GroupNew(ctx context.Context, c api.Caller, r api.GroupRequest) (api.GroupsAnswer, error) {
	if err := ownerOnly(c, "group new"); err != nil {
		return api.GroupsAnswer{}, err
	}
	if err := e.cfg.Reach.GroupNew(ctx, r.Group); err != nil {
		return api.GroupsAnswer{}, err
	}
	return e.GroupList(ctx, c, r)
}

// GroupAdd puts a session into a group: it reaches what the group reaches, at
// once. The person's alone.
func (e *Engine) GroupAdd(ctx context.Context, c api.Caller, r api.GroupRequest) (api.GroupsAnswer, error) {
	if err := ownerOnly(c, "group add"); err != nil {
		return api.GroupsAnswer{}, err
	}
	if err := e.cfg.Reach.GroupAdd(ctx, r.Group, r.Label); err != nil {
		return api.GroupsAnswer{}, err
	}
	return e.GroupList(ctx, c, r)
}

// GroupRemove takes a session out of a group, or ends the group when none is
// named. Who loses a window by it loses the lease with it, at once. The
// person's alone.
func (e *Engine) GroupRemove(ctx context.Context, c api.Caller, r api.GroupRequest) (api.GroupsAnswer, error) {
	if err := ownerOnly(c, "group remove"); err != nil {
		return api.GroupsAnswer{}, err
	}
	take := func() error { return e.cfg.Reach.GroupRemove(ctx, r.Group, r.Label) }
	if r.Label == "" {
		take = func() error { return e.cfg.Reach.GroupEnd(ctx, r.Group) }
	}
	if err := take(); err != nil {
		return api.GroupsAnswer{}, err
	}
	var faults []error
	for _, w := range e.all() {
		faults = append(faults, e.dropUnreached(ctx, w))
	}
	if err := errors.Join(faults...); err != nil {
		return api.GroupsAnswer{}, err
	}
	return e.GroupList(ctx, c, r)
}

// GroupList lists the groups with their members. The person's alone.
func (e *Engine) GroupList(ctx context.Context, c api.Caller, _ api.GroupRequest) (api.GroupsAnswer, error) {
	if err := ownerOnly(c, "group list"); err != nil {
		return api.GroupsAnswer{}, err
	}
	list, err := e.cfg.Reach.Groups(ctx)
	if err != nil {
		return api.GroupsAnswer{}, err
	}
	answer := api.GroupsAnswer{OK: true, Groups: []api.GroupInfo{}}
	for _, g := range list {
		answer.Groups = append(answer.Groups, api.GroupInfo{Group: g.Name, Created: g.Created, Members: append([]api.SessionID{}, g.Members...)})
	}
	return answer, nil
}
