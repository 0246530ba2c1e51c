package page

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"vibespace/browser/devtools"
)

// agentSource is our script in a page.
//
//go:embed agent.js
var agentSource string

// objectGroup names what an operation holds in the page, to let it go.
const objectGroup = "vibespace"

// node is an element held for the time of an operation.
type node struct {
	p      *Page
	f      *frame
	l      *link
	agent  runtime.RemoteObjectID
	object runtime.RemoteObjectID
}

// resolve holds an element by its backend id.
func (p *Page) resolve(ctx context.Context, f *frame, id cdp.BackendNodeID) (*node, error) {
	agent, world, err := p.agent(ctx, f)
	if err != nil {
		return nil, err
	}
	l := p.where(f).link
	if l == nil {
		return nil, moved()
	}
	got, err := devtools.Call(ctx, l.s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: id, ExecutionContextID: world, ObjectGroup: objectGroup,
	})
	if err != nil {
		return nil, err
	}
	return &node{p, f, l, agent, got.Object.ObjectID}, nil
}

// document is the root element's stand-in for a frame: calls on it pass no
// element.
func (p *Page) document(ctx context.Context, f *frame) (*node, error) {
	agent, _, err := p.agent(ctx, f)
	if err != nil {
		return nil, err
	}
	l := p.where(f).link
	if l == nil {
		return nil, moved()
	}
	return &node{p: p, f: f, l: l, agent: agent}, nil
}

// ask runs one of the agent's functions and reads what it gives. The element
// comes first among the arguments, where there is one.
func (n *node) ask(ctx context.Context, name string, result any, args ...any) error {
	c, err := n.begin(name, true, args...)
	if err != nil {
		return err
	}
	return n.settle(ctx, c, name, result)
}

// begin sends a call of one of the agent's functions.
func (n *node) begin(name string, byValue bool, args ...any) (*devtools.Pending, error) {
	list := []*runtime.CallArgument{value(name)}
	if n.object != "" {
		list = append(list, &runtime.CallArgument{ObjectID: n.object})
	}
	for _, a := range args {
		if other, ok := a.(*node); ok {
			list = append(list, &runtime.CallArgument{ObjectID: other.object})
			continue
		}
		list = append(list, value(a))
	}
	wait := true
	return devtools.Begin(n.l.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(f, ...a) { return this[f](...a) }",
		ObjectID:            n.agent, Arguments: list, ReturnByValue: &byValue, AwaitPromise: &wait, ObjectGroup: objectGroup,
	})
}

// settle waits for a call and reads what it gave.
func (n *node) settle(ctx context.Context, c *devtools.Pending, name string, result any) error {
	var got runtime.CallFunctionOnResult
	if err := c.Wait(ctx, &got); err != nil {
		return err
	}
	if got.ExceptionDetails != nil {
		return fmt.Errorf("our script in the page (%s): %s", name, exception(got.ExceptionDetails))
	}
	if result == nil || got.Result == nil || len(got.Result.Value) == 0 {
		return nil
	}
	return jsonv2.Unmarshal(got.Result.Value, result)
}

// value is a JSON argument.
func value(v any) *runtime.CallArgument {
	data, err := jsonv2.Marshal(v)
	if err != nil {
		panic("page: an argument of ours is no JSON: " + err.Error())
	}
	return &runtime.CallArgument{Value: data}
}

// letGo drops what an operation held in a link.
func (l *link) letGo() {
	l.s.Post("Runtime.releaseObjectGroup", map[string]any{"objectGroup": objectGroup})
}
