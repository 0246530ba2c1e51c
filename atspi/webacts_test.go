package atspi

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// pageDesk is a browser that shows the small page.
type pageDesk struct {
	*desk
	app  App
	tree *Tree
}

// node finds a node of the page.
func (p *pageDesk) node(role Role, name string) Node {
	p.t.Helper()
	i := slices.IndexFunc(p.tree.Nodes, func(n Node) bool { return n.Role == role && n.Name == name })
	if i < 0 {
		p.t.Fatalf("no %v %q in the page", role, name)
	}
	return p.tree.Nodes[i]
}

// click does the action that means a click.
func (p *pageDesk) click(n Node) {
	p.t.Helper()
	actions, err := p.conn.Actions(context.Background(), n.Ref)
	if err != nil {
		p.t.Fatal(err)
	}
	i, _, err := PickActionIn(p.app.Toolkit, n.Role, actions)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := answered(p.conn.DoAction(context.Background(), n.Ref, i)); err != nil {
		p.t.Fatal(err)
	}
}

// untilState waits until a node has a state, or has it no more.
func (p *pageDesk) untilState(n Node, state States, has bool) {
	p.t.Helper()
	p.until(n.Name+" "+state.Names()[0], patience, func() bool {
		now, _, err := p.conn.ReadNode(context.Background(), p.app, n.Ref)
		return err == nil && now.States.Has(state) == has
	})
}

// below are the objects that a node holds.
func (p *pageDesk) below(n Node) []Ref {
	var refs []Ref
	for _, child := range n.Children {
		refs = append(refs, p.tree.Nodes[child].Ref)
		refs = append(refs, p.below(p.tree.Nodes[child])...)
	}
	return refs
}

// What a page's controls do when they are acted on by the tree, and what the
// browsers cannot: neither takes text, and Firefox says that it did.
func TestActsInBrowsers(t *testing.T) {
	t.Parallel()
	for _, browser := range []program{firefox, chromium} {
		t.Run(browser.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			p := &pageDesk{desk: newDesk(t)}
			must(t, p.conn.Register(ctx))
			p.app = p.launch(browser)
			// The browser's own window comes before the page it shows.
			p.until("the page", browserPatience, func() bool {
				p.tree = p.read(p.app, Budget{})
				return slices.ContainsFunc(p.tree.Nodes, func(n Node) bool { return n.Name == "Range" })
			})
			tick := p.node(RoleCheckBox, "Tick")
			p.click(tick)
			p.untilState(tick, StateChecked, false)
			// Of a closed drop-down list, Firefox selects children and does
			// nothing for their action; Chromium the other way round.
			two := p.node(RoleMenuItem, "Two")
			if err := p.conn.SelectChild(ctx, p.tree.Nodes[two.Parent].Ref, 1); errors.Is(err, ErrRefused) {
				p.click(two)
			} else {
				must(t, err)
			}
			p.untilState(two, StateSelected, true)
			p.text()
			p.click(p.node(RolePushButton, "Press me"))
			p.until("the page's own title", patience, func() bool {
				return slices.ContainsFunc(p.read(p.app, Budget{}).Nodes, func(n Node) bool {
					return n.Role == RoleDocumentWeb && n.Name == "clicked"
				})
			})
		})
	}
}

// text is the part about the page's fields.
func (p *pageDesk) text() {
	p.t.Helper()
	ctx := context.Background()
	field := p.node(RoleEntry, "Name")
	p.click(field)
	p.until("the selection", patience, func() bool {
		return p.conn.SelectText(ctx, field.Ref, Span{From: 1, To: 3}) == nil
	})
	err := p.conn.SetText(ctx, field.Ref, "other")
	if (err == nil) != (p.app.Toolkit == "Gecko") || err != nil && !errors.Is(err, ErrUnsupported) {
		p.t.Errorf("set text: %v", err)
	}
	if same, err := p.conn.HasText(ctx, field.Ref, "abc"); err != nil || !same {
		p.t.Errorf("the field lost its text: %v", err)
	}
	secret := p.node(RolePasswordText, "Secret")
	for _, ref := range append([]Ref{secret.Ref}, p.below(secret)...) {
		if text, err := p.conn.Text(ctx, ref, 0, -1); text != "" || err == nil {
			p.t.Errorf("the password field, or what it holds, gave %q, %v", text, err)
		}
	}
}
