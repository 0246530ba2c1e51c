package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	textIface = interfacePrefix + "Text"
	editIface = interfacePrefix + "EditableText"
)

// Offsets of this file are the toolkit's own and go back to it as they came:
// characters in GTK and browsers, UTF-16 units in Qt. They differ only where a
// text holds characters beyond the Basic Multilingual Plane, emoji above all.
// [Conn.Units] translates.

// Span is a piece of a text, from the first offset up to, not including, the
// second.
type Span struct{ From, To int }

// secretDepth is how far above a text a password field is looked for. Browsers
// hold what a field shows in a child, or a child's child, of it.
const secretDepth = 3

// isPassword asks the objects themselves for their roles: a field can turn from
// a text into a password and back under the same reference.
func (c *Conn) isPassword(ctx context.Context, ref Ref) (bool, error) {
	for depth := range secretDepth {
		var role uint32
		err := c.call(ctx, ref.Bus, ref.Path, interfacePrefix+"Accessible.GetRole", nil, &role)
		if err == nil && Role(role) == RolePasswordText {
			return true, nil
		}
		if err == nil {
			err = c.askProperty(ctx, ref, interfacePrefix+"Accessible", "Parent", &ref)
		}
		if err != nil && depth == 0 {
			return false, fmt.Errorf("role of the text: %w", err)
		}
		if err != nil || ref.Null() {
			return false, nil
		}
	}
	return false, nil
}

// Text reads a part of a text; to -1 is the end. A password field is
// [ErrPassword] and its text is not asked for.
func (c *Conn) Text(ctx context.Context, ref Ref, from, to int) (string, error) {
	secret, err := c.isPassword(ctx, ref)
	if err != nil {
		return "", err
	}
	if secret {
		return "", ErrPassword
	}
	if to < 0 {
		// GTK 4.8's entry answers nothing when asked for everything by -1.
		if to, err = c.TextLength(ctx, ref); err != nil {
			return "", err
		}
	}
	var text string
	err = c.ask(ctx, ref, textIface+".GetText", []any{int32(from), int32(to)}, &text)
	if err != nil {
		return "", fmt.Errorf("read text: %w", err)
	}
	return clean(text), nil
}

// TextLength is the length of a text in the toolkit's own units. It may be
// asked of a password field.
func (c *Conn) TextLength(ctx context.Context, ref Ref) (int, error) {
	var n int32
	if err := c.askProperty(ctx, ref, textIface, "CharacterCount", &n); err != nil {
		return 0, fmt.Errorf("length of the text: %w", err)
	}
	return max(int(n), 0), nil
}

// Caret is the offset of the caret; -1 where a text has none.
func (c *Conn) Caret(ctx context.Context, ref Ref) (int, error) {
	var n int32
	if err := c.askProperty(ctx, ref, textIface, "CaretOffset", &n); err != nil {
		return 0, fmt.Errorf("caret: %w", err)
	}
	return max(int(n), -1), nil
}

// SetCaret moves the caret to an offset.
func (c *Conn) SetCaret(ctx context.Context, ref Ref, offset int) error {
	return c.accept(ctx, ref, "set the caret", textIface+".SetCaretOffset", int32(offset))
}

// Spans returns the selected pieces of a text, none where nothing is selected.
// At most 16 are read; a text field has one.
func (c *Conn) Spans(ctx context.Context, ref Ref) ([]Span, error) {
	var n int32
	if err := c.ask(ctx, ref, textIface+".GetNSelections", nil, &n); err != nil {
		return nil, fmt.Errorf("count selections: %w", err)
	}
	spans := make([]Span, 0, 1)
	for i := range min(n, 16) {
		var from, to int32
		err := c.ask(ctx, ref, textIface+".GetSelection", []any{i}, &from, &to)
		if err != nil {
			return nil, fmt.Errorf("selection %d: %w", i, err)
		}
		// An empty selection is how Qt says that there is none.
		if from != to {
			spans = append(spans, Span{From: int(min(from, to)), To: int(max(from, to))})
		}
	}
	return spans, nil
}

// selectBound is how long AddSelection may take to answer: GTK 4.8's text view
// does what is asked and never says so.
const selectBound = 400 * time.Millisecond

// SelectText selects one piece of a text in place of whatever is selected, and
// reads the selection back: [ErrRefused] says that another piece, or none, is
// selected now.
func (c *Conn) SelectText(ctx context.Context, ref Ref, span Span) error {
	// A caret that is set ends the selection that is there, so that adding is
	// replacing. SetSelection would be one call: GTK changes only a selection
	// that is there, and GTK 4.8's text view loses it.
	if err := c.SetCaret(ctx, ref, span.From); err != nil {
		return fmt.Errorf("select text: %w", err)
	}
	if span.From == span.To {
		return nil
	}
	args := []any{int32(span.From), int32(span.To)}
	var done bool
	err := c.callWithin(ctx, min(selectBound, c.bound), ref.Bus, ref.Path, textIface+".AddSelection", args, &done)
	if err != nil && !errors.Is(err, ErrNoReply) {
		return fmt.Errorf("select text: %w", c.verdict(ctx, ref, err))
	}
	return c.awaitSpan(ctx, ref, span)
}

// awaitSpan reads the selection until it is the one that was asked for, for as
// long as a call may take: a browser's page is another process, which does what
// the browser has long said yes to.
func (c *Conn) awaitSpan(ctx context.Context, ref Ref, span Span) error {
	deadline := time.Now().Add(c.bound)
	for {
		spans, err := c.Spans(ctx, ref)
		if err != nil {
			return fmt.Errorf("select text: %w", err)
		}
		if slices.Equal(spans, []Span{span}) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("select %d to %d of %s: %w, selected is %v", span.From, span.To, ref.Path, ErrRefused, spans)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("select text: %w", ctx.Err())
		case <-time.After(15 * time.Millisecond):
		}
	}
}

// SetText replaces the whole content of a field. nil says that the application
// said yes, no more: Qt says it for a button too, and Firefox for every node of
// a page and changes none. The caller looks at the node's states and interfaces
// first and at the text afterwards, with [Conn.HasText]. Chromium's fields are
// [ErrUnsupported].
func (c *Conn) SetText(ctx context.Context, ref Ref, text string) error {
	return c.accept(ctx, ref, "set text", editIface+".SetTextContents", text)
}

// InsertText puts text at an offset. The protocol calls the length characters
// and no toolkit takes it so: GTK takes bytes and cuts what is not ASCII when
// it is given less; Qt takes UTF-16 units, cuts when it is given less and makes
// up the rest when it is given more.
func (c *Conn) InsertText(ctx context.Context, ref Ref, offset int, text string) error {
	length := len(text)
	if !isASCII(text) {
		toolkit, err := c.toolkit(ctx, ref)
		if err != nil {
			return fmt.Errorf("insert text: %w", err)
		}
		if toolkit == "Qt" {
			length = utf16Len(text)
		}
	}
	return c.accept(ctx, ref, "insert text", editIface+".InsertText", int32(offset), text, int32(length))
}

// isASCII reports whether every way to count the text gives the same.
func isASCII(s string) bool { return len(s) == utf8.RuneCountInString(s) }

// toolkit asks the object's application for its toolkit's name.
func (c *Conn) toolkit(ctx context.Context, ref Ref) (string, error) {
	var app Ref
	err := c.call(ctx, ref.Bus, ref.Path, interfacePrefix+"Accessible.GetApplication", nil, &app)
	if err != nil {
		return "", fmt.Errorf("application of the object: %w", err)
	}
	var name string
	if err := c.askProperty(ctx, app, interfacePrefix+"Application", "ToolkitName", &name); err != nil {
		return "", fmt.Errorf("toolkit of the object: %w", err)
	}
	return name, nil
}

// DeleteText removes a piece of a text.
func (c *Conn) DeleteText(ctx context.Context, ref Ref, span Span) error {
	return c.accept(ctx, ref, "delete text", editIface+".DeleteText", int32(span.From), int32(span.To))
}

// accept makes a call that is answered with yes or no; no is [ErrRefused].
func (c *Conn) accept(ctx context.Context, ref Ref, what, method string, args ...any) error {
	var done bool
	if err := c.ask(ctx, ref, method, args, &done); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !done {
		return fmt.Errorf("%s of %s: %w", what, ref.Path, ErrRefused)
	}
	return nil
}

// HasText reads a field back and reports whether it holds that text, line ends
// aside; [SameText] says what counts as equal. A password field is
// [ErrPassword]: only [Conn.TextLength] can be compared there.
func (c *Conn) HasText(ctx context.Context, ref Ref, want string) (bool, error) {
	got, err := c.Text(ctx, ref, 0, -1)
	if err != nil {
		return false, err
	}
	return SameText(got, want), nil
}

// lineEnds are the characters that mean the end of a line in some toolkit: Qt
// keeps paragraphs and lines apart by U+2029 and U+2028.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2029", "\n", "\u2028", "\n")

// SameText reports whether what a field holds is what was put there. Line ends
// are compared as such, and one line end more at the end of what the field
// holds is the toolkit's, not a difference.
func SameText(got, want string) bool {
	got, want = lineEnds.Replace(got), lineEnds.Replace(want)
	return got == want || got == want+"\n"
}

// Splice is text with insert at a character offset, for a field whose
// [Conn.InsertText] proved inexact and that is set whole instead. Offsets
// outside the text are its ends.
func Splice(text string, at int, insert string) string {
	cut := charByte(text, at)
	return text[:cut] + insert + text[cut:]
}

// charByte is the byte at which a character starts.
func charByte(text string, at int) int {
	for i := range text {
		if at <= 0 {
			return i
		}
		at--
	}
	return len(text)
}
