package target

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// findLimit bounds what a find gives: past that the question is too wide.
const findLimit = 200

// Find gives the elements of a window by role, name and state, those a person
// can see first and the others when none of them is seen.
func (e *Engine) Find(ctx context.Context, c api.Caller, r api.FindRequest) (api.FindAnswer, error) {
	match, err := matcher(r.Role, r.Name, r.State)
	if err != nil {
		return api.FindAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "find", needRead, func(ctx context.Context, t *turn) (api.FindAnswer, error) {
		read, err := t.e.read(ctx, t.w, t.d, readOpts{})
		if err != nil {
			return api.FindAnswer{}, err
		}
		v := view{rows: found(read, match)}
		if len(v.rows) > findLimit {
			v.rows, v.cut = v.rows[:findLimit], "nodes"
		}
		if err := t.detail(ctx, read, v); err != nil {
			return api.FindAnswer{}, err
		}
		if err := t.again(ctx); err != nil {
			return api.FindAnswer{}, err
		}
		nodes := v.nodes(t.tell)
		answer := api.FindAnswer{Answer: e.answer(c), Handle: t.w.handle, Nodes: nodes, Census: read.census}
		answer.Census.Listed = len(nodes)
		switch {
		case v.cut == "" && read.cut != "":
			// What was not read may hold what is looked for.
			answer.Cut = &api.Cut{Why: read.cut, Continue: t.further(read)}
		case v.cut != "":
			answer.Cut = &api.Cut{Why: v.cut, Continue: fmt.Sprintf("vibespace-window find %s with a narrower --role, --name or --state", t.w.handle)}
		}
		return answer, nil
	})
}

// found gives the rows that match, seen ones only unless there is none.
func found(read *reading, match func(*item) bool) []*row {
	var seen, hidden []*row
	for _, it := range read.items {
		switch {
		case !match(it):
		case it.seen:
			seen = append(seen, &row{item: it, depth: 1})
		default:
			hidden = append(hidden, &row{item: it, depth: 1})
		}
	}
	if len(seen) > 0 {
		return seen
	}
	return hidden
}

// matcher gives the test of a role, a name (a part of it, or /re/) and a
// state; an empty one is always met.
func matcher(role, name, state string) (func(*item) bool, error) {
	named, err := nameMatcher(name)
	if err != nil {
		return nil, err
	}
	in, err := stateMatcher(state)
	if err != nil {
		return nil, err
	}
	want, err := roleMatcher(role)
	if err != nil {
		return nil, err
	}
	return func(it *item) bool { return want(it) && named(it.name) && in(it) }, nil
}

// roleMatcher gives the test of a role by AT-SPI's name.
func roleMatcher(role string) (func(*item) bool, error) {
	if role == "" {
		return func(*item) bool { return true }, nil
	}
	want, err := roleNamed(role)
	return func(it *item) bool { return it.role == want }, err
}

// roleNamed gives the role of AT-SPI's name, and refuses a name that is none.
func roleNamed(name string) (atspi.Role, error) {
	role, ok := atspi.RoleNamed(name)
	if !ok {
		return 0, noRole(name)
	}
	return role, nil
}

// nearRoles is how many roles are named for one that does not exist.
const nearRoles = 5

// noRole refuses a role that no element can have, and names those that have a
// word of it, or begin like it.
func noRole(role string) error {
	var near []string
	words := strings.FieldsFunc(strings.ToLower(role), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, name := range atspi.RoleNames() {
		if len(near) < nearRoles && slices.ContainsFunc(words, func(w string) bool {
			return len(w) > 2 && strings.Contains(name, w) || len(w) > 3 && strings.Contains(strings.ReplaceAll(name, " ", ""), w[:4])
		}) {
			near = append(near, name)
		}
	}
	hint := "AT-SPI's names: push button, text, label, check box, menu item …"
	if len(near) > 0 {
		hint = "near it: " + strings.Join(near, ", ")
	}
	return api.Refuse(api.BadRequest, "%s is no role", api.Quote(role, 40)).WithHint("%s", hint).With("near", near)
}

// nameMatcher gives the test of a name: a part of it, letter case aside, or a
// regular expression between slashes.
func nameMatcher(name string) (func(string) bool, error) {
	if len(name) > 1000 {
		return nil, api.Refuse(api.TooLarge, "the name to look for is too long").WithHint("a part of it is enough")
	}
	if len(name) >= 2 && name[0] == '/' && name[len(name)-1] == '/' {
		re, err := regexp.Compile(name[1 : len(name)-1])
		if err != nil {
			return nil, api.Refuse(api.BadRequest, "%s is no regular expression: %v", api.Quote(name, 80), err).
				WithHint("RE2 syntax between slashes, or plain text")
		}
		return re.MatchString, nil
	}
	part := strings.ToLower(name)
	return func(s string) bool { return strings.Contains(strings.ToLower(s), part) }, nil
}

// stateMatcher gives the test of a state by AT-SPI's name; "-" before it asks
// for its absence.
func stateMatcher(state string) (func(*item) bool, error) {
	if state == "" {
		return func(*item) bool { return true }, nil
	}
	word, absent := strings.CutPrefix(state, "-")
	if word == "disabled" {
		word, absent = "enabled", !absent
	}
	if word == "unchecked" {
		word, absent = "checked", !absent
	}
	s, ok := atspi.StateNamed(word)
	if !ok {
		return nil, api.Refuse(api.BadRequest, "%s is no state", api.Quote(state, 40)).
			WithHint("AT-SPI's names: checked, enabled, focused, selected, expanded …")
	}
	return func(it *item) bool { return it.has.Has(s) != absent }, nil
}

// Get reads one element anew.
func (e *Engine) Get(ctx context.Context, c api.Caller, r api.GetRequest) (api.GetAnswer, error) {
	switch r.What {
	case "":
		r.What = "all"
	case "text", "value", "states", "bounds", "actions", "all":
	default:
		return api.GetAnswer{}, api.Refuse(api.BadRequest, "%s is nothing a node has", api.Quote(r.What, 40)).
			WithHint("text, value, states, bounds, actions or all")
	}
	return doing(ctx, e, c, r.Handle, "get", needRead, func(ctx context.Context, t *turn) (api.GetAnswer, error) {
		n, err := t.fresh(ctx, r.Ref)
		if err != nil {
			return api.GetAnswer{}, err
		}
		t.did.Ref, t.did.Role, t.did.Name = n.ref, n.role.String(), n.mark.name
		node, length, err := t.whole(ctx, n)
		if err != nil {
			return api.GetAnswer{}, err
		}
		if err := t.again(ctx); err != nil {
			return api.GetAnswer{}, err
		}
		return api.GetAnswer{Answer: e.answer(c), Handle: t.w.handle, Node: node, What: r.What, Length: length}, nil
	})
}

// wholeText bounds the text one get gives.
const wholeText = 100_000

// whole is everything that can be said of one element.
func (t *turn) whole(ctx context.Context, n *live) (api.Node, *int, error) {
	access := t.d.Access()
	node := api.Node{
		Ref: n.ref, Role: n.role.String(), Name: n.mark.name, States: n.node.States.Names(), Actions: []string{}, Window: n.part,
	}
	if n.node.Description != node.Name {
		node.Description = n.node.Description
	}
	box, err := t.box(ctx, n)
	switch {
	case err == nil:
		// GTK 4 does not say it of an element by itself.
		node.States = (n.node.States | atspi.StateShowing).Names()
		s, serr := t.w.look(ctx, t.d)
		if serr != nil {
			return api.Node{}, nil, serr
		}
		local := s.local(box)
		node.Bounds = &local
	case api.CodeOf(err) == api.WindowNotVisible:
		node.States = append(node.States, "offscreen")
	default:
		return api.Node{}, nil, err
	}
	if n.node.Interfaces.Has(atspi.IfaceAction) {
		actions, err := access.Actions(ctx, n.id)
		if err != nil {
			return api.Node{}, nil, t.w.fault(err)
		}
		node.Actions = named(actions)
	}
	if n.node.Interfaces.Has(atspi.IfaceValue) {
		if v, err := access.Value(ctx, n.id); err == nil {
			node.Value = &api.Value{Now: v.Now, Min: v.Min, Max: v.Max}
		}
	}
	if !n.node.Interfaces.Has(atspi.IfaceText) {
		return node, nil, nil
	}
	length, err := access.TextLength(ctx, n.id)
	if err != nil {
		return node, nil, nil
	}
	if n.role != atspi.RolePasswordText {
		text, err := access.Text(ctx, n.id, 0, min(length, wholeText))
		if err != nil {
			return api.Node{}, nil, t.w.fault(err)
		}
		node.Text = &text
	}
	return node, &length, nil
}
