package target

import (
	"context"
	"time"
	"unicode/utf8"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// writeTree puts the text where typing would: in place of the selection, else
// at the caret, else at the end; with replace it becomes the whole text. It
// gives the text the field should have after it, "" for a password, whose text
// is never read.
func (a *act) writeTree(ctx context.Context, n *live, r api.TypeRequest) (string, error) {
	access := a.d.Access()
	if n.role == atspi.RolePasswordText {
		// The same length again says nothing of a password that is replaced.
		if length, err := access.TextLength(ctx, n.id); err == nil && (!r.Replace || length != utf8.RuneCountInString(r.Text)) {
			a.wasLength = &length
		}
	}
	if r.Replace {
		a.wasText = a.textOf(ctx, n)
		if err := a.ready(ctx); err != nil {
			return "", err
		}
		if err := access.SetText(ctx, n.id, r.Text); err != nil {
			return "", a.w.fault(err)
		}
		a.caretBehind(ctx, n, utf8.RuneCountInString(r.Text))
		return r.Text, nil
	}
	if n.role == atspi.RolePasswordText {
		return "", a.appendSecret(ctx, n, r.Text)
	}
	before, err := access.Text(ctx, n.id, 0, -1)
	if err != nil {
		return "", a.w.fault(err)
	}
	a.wasText = &before
	spot, err := a.spot(ctx, n, before)
	if err != nil {
		return "", err
	}
	a.wasCaret = &spot.offset
	if err := a.ready(ctx); err != nil {
		return "", err
	}
	if spot.selected != nil {
		if err := access.DeleteText(ctx, n.id, *spot.selected); err != nil {
			return "", a.w.fault(err)
		}
	}
	if err := access.InsertText(ctx, n.id, spot.offset, r.Text); err != nil {
		return "", a.w.fault(err)
	}
	a.caretBehind(ctx, n, spot.char+utf8.RuneCountInString(r.Text))
	return atspi.Splice(spot.rest, spot.char, r.Text), nil
}

// landed finds out, for an act that was cut while a field was being written,
// whether the text came in: what the application was asked to do before is done
// when it answers this. A field that does not say leaves it unknown.
func (a *act) landed(ctx context.Context, n *live, r api.TypeRequest) {
	if !a.acted || a.why.Load() == nil {
		return
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), landedBound)
	defer cancel()
	var after *string
	if a.wasText != nil {
		after = a.textOf(bound, n)
	}
	switch {
	case after != nil && grown(*a.wasText, *after, r.Text, r.Replace):
		a.count(a.total.Of)
	case after != nil && *after == *a.wasText:
	default:
		a.total = nil
	}
}

// landedBound is how long a verb that was cut may take to say what it did.
const landedBound = 300 * time.Millisecond

// caretBehind puts the caret behind what was written, where a person's would
// be and where the next text goes: GTK leaves it before the text. A field that
// does not say where its caret is keeps it where it likes.
func (a *act) caretBehind(ctx context.Context, n *live, char int) {
	if n.role == atspi.RolePasswordText {
		return // its text is not read, and more goes to its end
	}
	access := a.d.Access()
	if units, err := access.Units(ctx, n.id); err == nil {
		_ = access.SetCaret(ctx, n.id, units.Offset(char)) // what was written stands either way
	}
}

// appendSecret adds to the end of a password field.
func (a *act) appendSecret(ctx context.Context, n *live, text string) error {
	length, err := a.d.Access().TextLength(ctx, n.id)
	if err != nil {
		return a.w.fault(err)
	}
	if err := a.ready(ctx); err != nil {
		return err
	}
	return a.w.fault(a.d.Access().InsertText(ctx, n.id, length, text))
}

// spot is where text goes into a field.
type spot struct {
	// offset is in the toolkit's own units, char in characters.
	offset, char int
	// selected is what is replaced, nil for nothing; rest is the text without it.
	selected *atspi.Span
	rest     string
}

// spot finds where typing would go.
func (a *act) spot(ctx context.Context, n *live, before string) (spot, error) {
	access := a.d.Access()
	units, err := access.Units(ctx, n.id)
	if err != nil {
		return spot{}, a.w.fault(err)
	}
	caret, err := access.Caret(ctx, n.id)
	if err != nil {
		return spot{}, a.w.fault(err)
	}
	runes := []rune(before)
	s := spot{offset: caret, char: units.Char(caret), rest: before}
	if caret < 0 || s.char > len(runes) {
		s.char = len(runes)
		s.offset = units.Offset(s.char)
	}
	spans, err := access.Spans(ctx, n.id)
	if err != nil || len(spans) == 0 {
		// A field that cannot tell its selection has none that could be replaced.
		return s, nil
	}
	from, to := units.Char(spans[0].From), units.Char(spans[0].To)
	if from < 0 || to > len(runes) || from >= to {
		return s, nil
	}
	s.selected, s.offset, s.char = &spans[0], spans[0].From, from
	s.rest = string(runes[:from]) + string(runes[to:])
	return s, nil
}
