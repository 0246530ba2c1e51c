package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// actionIface is the interface of nodes that can be acted on.
	actionIface = interfacePrefix + "Action"
	// maxActions bounds how many names are read. GTK 4 lists the actions of
	// every ancestor with a node's own, which makes some twenty.
	maxActions = 128
	// ActionBound is how long DoAction waits for a reply. Toolkits that answer
	// after the handler has run answer a dialog run as a nested loop only when
	// it closes; waiting longer would tell nothing more.
	ActionBound = 1500 * time.Millisecond
)

// ErrRefused says that the object answered the call with no: it did nothing.
var ErrRefused = errors.New("the object refused")

// Actions reads the names of a node's actions by their index. The index is
// what [Conn.DoAction] takes. Names are not localised. It is read when
// somebody acts, not when a tree is walked: GTK 4.8's list can be empty at the
// second reading, and Qt's depends on whether the node is enabled.
//
// An object without the interface has no actions, which is no error.
func (c *Conn) Actions(ctx context.Context, ref Ref) ([]string, error) {
	var count int32
	err := c.askProperty(ctx, ref, actionIface, "NActions", &count)
	if errors.Is(err, ErrUnsupported) {
		return []string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("count actions: %w", err)
	}
	names := make([]string, 0, min(max(count, 0), maxActions))
	for i := range min(count, maxActions) {
		var name string
		// An index can vanish between the two calls; what came so far stands.
		if err := c.ask(ctx, ref, actionIface+".GetName", []any{i}, &name); err != nil {
			if missing(err) {
				break
			}
			return nil, fmt.Errorf("name of action %d: %w", i, err)
		}
		names = append(names, short(clean(name), 200))
	}
	return names, nil
}

// missing reports whether an error is the application's own word, so that the
// object is there and only the thing asked for is not.
func missing(err error) bool {
	var answer *RemoteError
	return errors.As(err, &answer) || errors.Is(err, ErrUnsupported)
}

// DoAction runs one action. [ErrRefused] says that the application answered
// no and [ErrNoReply] that no answer came within [ActionBound] or ctx: then
// the action may have run, and a modal dialog is the usual reason. nil says
// that the application accepted it; what it did shows in the tree. GTK 3 and 4
// run the handler before the next call; Qt presses a button 100 ms later.
//
// GTK 3 runs the handler inside the dispatch of its accessibility connection.
// While that handler runs a dialog as a nested loop, no call is answered
// ([Conn.Responds]), and a key sent to the application then ends it for good:
// for each key its bridge waits for the registry's answer through the
// connection whose dispatch is already running. The pointer and a request to
// close the window are safe.
func (c *Conn) DoAction(ctx context.Context, ref Ref, index int) error {
	var done bool
	err := c.callWithin(ctx, ActionBound, ref.Bus, ref.Path, actionIface+".DoAction", []any{int32(index)}, &done)
	if err != nil {
		return fmt.Errorf("do action %d: %w", index, c.verdict(ctx, ref, err))
	}
	if !done {
		return fmt.Errorf("do action %d of %s: %w", index, ref.Path, ErrRefused)
	}
	return nil
}

// respondBound is how long an application may take to say that it is there.
const respondBound = 400 * time.Millisecond

// Responds asks an object for the least it can say and waits no longer than
// 400 ms for it. [ErrNoReply] after an act is how a dialog that blocks a GTK 3
// application shows.
func (c *Conn) Responds(ctx context.Context, ref Ref) error {
	var role uint32
	err := c.callWithin(ctx, min(respondBound, c.bound), ref.Bus, ref.Path, interfacePrefix+"Accessible.GetRole", nil, &role)
	if err != nil {
		return fmt.Errorf("does the application respond: %w", err)
	}
	return nil
}
