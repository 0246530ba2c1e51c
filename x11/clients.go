package x11

import (
	"context"
	"fmt"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

// owners maps the clients of a server to their processes.
type owners struct {
	mask uint32         // the part of an identifier that a client chooses
	pids map[uint32]int // by the part that the server gave the client
}

// of gives the process that made a window, 0 when it is not known.
func (o owners) of(id WindowID) int { return o.pids[uint32(id)&^o.mask] }

// askOwners asks the server which process each client is. It is the kernel's
// word, unlike the property a window sets.
func (c *Conn) askOwners(x *xgb.Conn) func() owners {
	if c.needs(extResource) != nil {
		return func() owners { return owners{} }
	}
	cookie := res.QueryClientIds(x, 1, []res.ClientIdSpec{{Mask: res.ClientIdMaskLocalClientPID}})
	return func() owners {
		o := owners{mask: c.setup.ResourceIdMask, pids: map[uint32]int{}}
		reply, err := cookie.Reply()
		if err != nil {
			return o // then windows speak for themselves
		}
		for _, id := range reply.Ids {
			if id.Spec.Client != 0 && len(id.Value) > 0 { // 0 is the server itself
				o.pids[id.Spec.Client] = int(id.Value[0])
			}
		}
		return o
	}
}

// ClientPIDs gives the local processes that are clients of the server, sorted,
// each once. Our own process is among them.
func (c *Conn) ClientPIDs(ctx context.Context) ([]int, error) {
	if err := c.needs(extResource); err != nil {
		return nil, err
	}
	o, err := call(ctx, c, func(x *xgb.Conn) (owners, error) { return c.askOwners(x)(), nil })
	if err != nil {
		return nil, fmt.Errorf("list clients of %s: %w", c.display, err)
	}
	pids := make([]int, 0, len(o.pids))
	for _, pid := range o.pids {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

// atomNames gives the names of all the atoms, asking for those not seen before
// at once. An atom that has no name is a stranger's mistake and has none here.
func (c *Conn) atomNames(x *xgb.Conn, lists [][]uint32) (map[xproto.Atom]string, error) {
	names := map[xproto.Atom]string{}
	asked := map[xproto.Atom]xproto.GetAtomNameCookie{}
	for _, list := range lists {
		for _, v := range list {
			a := xproto.Atom(v)
			if _, done := asked[a]; done {
				continue
			}
			if name, known := c.atoms.name(a); known {
				names[a] = name
				continue
			}
			asked[a] = xproto.GetAtomName(x, a)
		}
	}
	for a, cookie := range asked {
		reply, err := cookie.Reply()
		if err != nil {
			if isAtomError(err) {
				continue
			}
			return nil, err
		}
		names[a] = validText([]byte(reply.Name))
		c.atoms.learn(names[a], a)
	}
	return names, nil
}
