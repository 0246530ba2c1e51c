package target

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"vibespace/atspi"
	"vibespace/internal/api"
	"vibespace/x11"
)

// maxText is the longest text of one type, in characters.
const maxText = 100_000

// Type puts text into a node through its EditableText and reads it back, or by
// keys into the focused field.
func (e *Engine) Type(ctx context.Context, c api.Caller, r api.TypeRequest) (api.Acted, error) {
	if err := checkText(r.Text); err != nil {
		return api.Acted{}, err
	}
	want := needSee
	if r.Ref != "" {
		want = needRead
	}
	if r.Keys {
		want |= needInject
	}
	return acting(ctx, e, c, r.Act, "type", want, func(ctx context.Context, a *act) error {
		if r.Ref != "" {
			return a.typeInto(ctx, r)
		}
		return a.typeFocused(ctx, r)
	}, of(utf8.RuneCountInString(r.Text), chars))
}

// checkText refuses what cannot be typed, before anything is touched.
func checkText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return api.Refuse(api.ControlChar, "the text is not valid UTF-8").WithHint("send it as UTF-8")
	case n > maxText:
		return api.Refuse(api.TextTooLong, "%d characters are more than one type takes", n).
			WithHint("send at most %d at a time", maxText).With("limit", maxText)
	}
	for _, r := range text {
		if (r < 0x20 && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) {
			return api.Refuse(api.ControlChar, "the text holds the control character U+%04X", r).
				WithHint("press keys with key: Escape, BackSpace, ctrl+c …")
		}
	}
	return nil
}

// typeInto types into a named node.
func (a *act) typeInto(ctx context.Context, r api.TypeRequest) error {
	n, err := a.target(ctx, r.Ref)
	if err != nil {
		return err
	}
	if err := n.enabled(); err != nil {
		return err
	}
	if !r.Keys {
		if err := a.editable(n); err != nil {
			return err
		}
		return a.typeTree(ctx, n, r)
	}
	keep := a.caretOf(ctx, n)
	if err := a.focusNode(ctx, n); err != nil {
		return err
	}
	keep()
	return a.typeKeys(ctx, n, r)
}

// caretOf remembers where the caret of a field is and gives what puts it back: a
// GTK 3 entry that is given the focus selects all it holds, and the first key
// would replace it.
func (a *act) caretOf(ctx context.Context, n *live) func() {
	access := a.d.Access()
	before, err := access.Spans(ctx, n.id)
	caret, cerr := access.Caret(ctx, n.id)
	if err != nil || cerr != nil || len(before) > 0 || caret < 0 {
		return func() {}
	}
	return func() {
		if spans, err := access.Spans(ctx, n.id); err == nil && len(spans) > 0 {
			_ = access.SetCaret(ctx, n.id, caret)
		}
	}
}

// editable refuses a node whose text cannot be set through the tree.
func (a *act) editable(n *live) error {
	ok := n.node.Interfaces.Has(atspi.IfaceEditableText) && !n.node.States.Has(atspi.StateReadOnly) &&
		(n.node.States.Has(atspi.StateEditable) || n.role == atspi.RolePasswordText)
	hint := "click it so that it has the focus, then key or type --keys"
	if n.role == atspi.RoleSpinButton {
		// A spin button keeps its number whatever text it is given.
		ok, hint = false, "set its number: vibespace-window set "+string(a.w.handle)+" "+string(n.ref)+" --value N"
	}
	if ok {
		return nil
	}
	return api.Refuse(api.NotEditable, "%s cannot be written through the tree", describe(n.mark)).
		WithHint("%s", hint).With("interfaces", n.node.Interfaces.Names()).With("states", n.node.States.Names())
}

// typeFocused types into the field that has the focus: through its
// EditableText when the window is driven by its tree, else by keys.
func (a *act) typeFocused(ctx context.Context, r api.TypeRequest) error {
	if r.Keys || a.carriesTree(a.share(ctx)) != nil {
		if err := a.e.injects(a.d); err != nil {
			return err
		}
		return a.typeKeys(ctx, nil, r)
	}
	n, err := a.focused(ctx)
	if err != nil {
		return err
	}
	switch {
	case n != nil && a.editable(n) == nil:
		return a.typeTree(ctx, n, r)
	case n != nil && !n.node.States.Has(atspi.StateEditable) && n.role != atspi.RoleTerminal:
		return a.editable(n)
	case n == nil:
		return api.Refuse(api.NotEditable, "nothing that has the focus can be written to").
			WithHint("name a field: type %s @e7 \"…\", or --keys for whatever has the focus", a.w.handle)
	}
	if err := a.e.injects(a.d); err != nil {
		return err
	}
	return a.typeKeys(ctx, n, r)
}

// typeTree writes text through EditableText and compares what is there after.
func (a *act) typeTree(ctx context.Context, n *live, r api.TypeRequest) error {
	multi := n.node.States.Has(atspi.StateMultiLine)
	if hasNewline(r.Text) && !multi {
		return singleLine(n)
	}
	var enter func() error
	if r.Enter {
		var err error
		if enter, err = a.enterKey(ctx, n); err != nil {
			return err
		}
	}
	a.did.By = "tree"
	wanted, err := a.writeTree(ctx, n, r)
	if err != nil {
		a.landed(ctx, n, r)
		return err
	}
	a.count(a.total.Of)
	if n.role != atspi.RolePasswordText {
		a.verified = a.readBack(ctx, n, wanted)
	}
	if (a.verified == nil || !*a.verified) && r.Text != "" && a.untouched(ctx, n) {
		return a.typeInstead(ctx, n, r)
	}
	if enter != nil {
		return enter()
	}
	return nil
}

// typeInstead types by keys into a field that took the text through the tree
// and did nothing with it, as the fields of a page in Firefox do: it can be
// edited, and not through the tree. The answer says by what it was.
func (a *act) typeInstead(ctx context.Context, n *live, r api.TypeRequest) error {
	if a.e.injects(a.d) != nil {
		return api.Refuse(api.NotEditable, "%s took the text through the tree and did nothing with it", describe(n.mark)).
			WithHint("it can be written by keys alone, and those are switched off here")
	}
	if err := a.focusNode(ctx, n); err != nil {
		return err
	}
	if a.wasCaret != nil {
		_ = a.d.Access().SetCaret(ctx, n.id, *a.wasCaret) // where it is, is where a person would type
	}
	return a.typeKeys(ctx, n, r)
}

// untouched says whether a field holds what it held before it was written to:
// Firefox accepts every text for a page and changes nothing. All that is known
// of a password is its length.
func (a *act) untouched(ctx context.Context, n *live) bool {
	if n.role == atspi.RolePasswordText {
		return a.wasLength != nil && a.stays(ctx, n, *a.wasLength)
	}
	if a.wasText == nil {
		return false
	}
	text, err := a.d.Access().Text(ctx, n.id, 0, -1)
	return err == nil && text == *a.wasText
}

// stays says whether a password keeps its length for as long as a toolkit may
// take to show what it was given.
func (a *act) stays(ctx context.Context, n *live, length int) bool {
	wait, cancel := context.WithTimeout(ctx, readBackBound)
	defer cancel()
	for {
		now, err := a.d.Access().TextLength(wait, n.id)
		if wait.Err() != nil {
			return ctx.Err() == nil
		}
		if err != nil || now != length || pause(wait, readBackPoll) != nil && ctx.Err() != nil {
			return false
		}
	}
}

// hasNewline says whether the text breaks a line.
func hasNewline(text string) bool {
	for i := range len(text) {
		if text[i] == '\n' {
			return true
		}
	}
	return false
}

// singleLine refuses a line break for a field that has one line.
func singleLine(n *live) error {
	return api.Refuse(api.SingleLine, "%s has a single line and the text has several", describe(n.mark)).
		WithHint("leave the line break out; --enter presses Return at the end")
}

// readBackBound is how long a toolkit may take to show what it was given.
const readBackBound = 700 * time.Millisecond

// readBack compares a node's text with what it should be, nil when it cannot
// be read.
func (a *act) readBack(ctx context.Context, n *live, wanted string) *bool {
	wait, cancel := context.WithTimeout(ctx, readBackBound)
	defer cancel()
	same := false
	for {
		got, err := a.d.Access().Text(wait, n.id, 0, -1)
		switch {
		case err == nil && atspi.SameText(got, wanted):
			same = true
			return &same
		case err != nil && wait.Err() == nil:
			return nil
		}
		if err == nil {
			a.differs = &api.Differs{Wanted: utf8.RuneCountInString(wanted), Has: utf8.RuneCountInString(got)}
		}
		select {
		case <-wait.Done():
			if ctx.Err() != nil {
				return nil
			}
			return &same
		case <-time.After(15 * time.Millisecond):
		}
	}
}

// enterKey gives what presses Return in a node: its own activate action, or
// the key. Whether either exists is asked before the text is written.
func (a *act) enterKey(ctx context.Context, n *live) (func() error, error) {
	if actions, err := a.d.Access().Actions(ctx, n.id); err == nil && !n.node.States.Has(atspi.StateMultiLine) {
		for i, name := range actions {
			if name == "activate" {
				return func() error { return a.doAction(ctx, n, i) }, nil
			}
		}
	}
	if err := a.e.injects(a.d); err != nil {
		return nil, err
	}
	if err := a.focusNode(ctx, n); err != nil {
		return nil, err
	}
	return func() error {
		if err := a.focusNode(ctx, n); err != nil {
			return err
		}
		return a.chord(ctx, "Return")
	}, nil
}

// doAction does one action of a node; no reply is not a refusal.
func (a *act) doAction(ctx context.Context, n *live, index int) error {
	if err := a.ready(ctx); err != nil {
		return err
	}
	switch err := a.d.Access().DoAction(ctx, n.id, index); {
	case errors.Is(err, atspi.ErrNoReply):
		a.applied = "unknown"
	case err != nil:
		return a.w.fault(err)
	}
	return nil
}

// typeKeys types by keys into what has the focus, which must stay where it is.
// n is the field, when it is known.
func (a *act) typeKeys(ctx context.Context, n *live, r api.TypeRequest) error {
	if n != nil && hasNewline(r.Text) && n.node.States.Has(atspi.StateSingleLine) && !r.Enter {
		return singleLine(n)
	}
	into, err := a.holdFocus(ctx)
	if err != nil {
		return err
	}
	a.did.By = "keys"
	if r.Replace {
		if err := a.chord(ctx, "ctrl+a"); err != nil {
			return err
		}
	}
	if err := a.ready(ctx); err != nil {
		return err
	}
	before := a.textOf(ctx, n)
	inj, _ := a.d.Injector()
	watch := a.watchFocus(ctx, n)
	defer watch.close()
	sent, err := inj.Text(ctx, r.Text, x11.TextOpts{Guard: func(ctx context.Context) error {
		if err := watch.strayed(ctx); err != nil {
			return err
		}
		return a.guard(ctx, into)
	}})
	a.count(sent)
	if err != nil {
		return a.arrived(ctx, n, before, a.w.fault(err))
	}
	if r.Enter {
		if err := a.chord(ctx, "Return"); err != nil {
			return err
		}
	}
	a.verified = a.grew(ctx, n, before, r)
	return nil
}

// textOf is the text of a field, nil when it cannot or must not be read.
func (a *act) textOf(ctx context.Context, n *live) *string {
	if n == nil || n.role == atspi.RolePasswordText || !n.node.Interfaces.Has(atspi.IfaceText) {
		return nil
	}
	text, err := a.d.Access().Text(ctx, n.id, 0, -1)
	if err != nil {
		return nil
	}
	return &text
}

// grew compares a field after keys with what it was: the text in it, once more
// than before. nil when the field cannot be read or Return may have sent it.
func (a *act) grew(ctx context.Context, n *live, before *string, r api.TypeRequest) *bool {
	if before == nil || r.Enter {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, readBackBound)
	defer cancel()
	same := false
	for {
		after := a.textOf(wait, n)
		if after == nil && wait.Err() == nil {
			return nil
		}
		if after != nil && grown(*before, *after, r.Text, r.Replace) {
			same = true
			return &same
		}
		if after != nil {
			a.differs = &api.Differs{Wanted: utf8.RuneCountInString(r.Text), Has: utf8.RuneCountInString(*after)}
			if !r.Replace {
				a.differs.Wanted += utf8.RuneCountInString(*before)
			}
		}
		select {
		case <-wait.Done():
			return &same
		case <-time.After(15 * time.Millisecond):
		}
	}
}

// grown says whether after is before with text put in at one place.
func grown(before, after, text string, replaced bool) bool {
	if replaced {
		return after == text
	}
	if len(after) != len(before)+len(text) {
		return false
	}
	// The place lies where both what stands before it and what stands after it
	// are unchanged.
	head := 0
	for head < len(before) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before) && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i := len(before) - tail; i <= head; i++ {
		if after[i:i+len(text)] == text {
			return true
		}
	}
	return false
}
