package api

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameRunes bounds a name on a line: a reader that pays by the token needs to
// recognise an element, not to read it; get gives the whole.
const nameRunes = 200

// Line is the node as one line of a text snapshot, without its indentation:
//
//	role "name" @e7 [states] =value (x,y wxh)
//
// Whatever the application put into a name or a text, the result is one line
// of valid UTF-8 without control or direction characters.
func (n Node) Line() string {
	line := n.Gist()
	if n.Bounds != nil {
		line += " (" + n.Bounds.String() + ")"
	}
	if n.More > 0 {
		line += " +" + strconv.Itoa(n.More) + " more"
	}
	return line
}

// Gist is the line without the bounds: what makes two readings of an element
// differ for somebody who acts on it. A row that only moved has not changed.
func (n Node) Gist() string {
	var b strings.Builder
	b.WriteString(n.Role)
	if name := cmp.Or(n.Name, n.Placeholder); name != "" {
		b.WriteByte(' ')
		b.WriteString(Quote(name, nameRunes))
	}
	b.WriteByte(' ')
	b.WriteString(string(n.Ref))
	if states := n.toldStates(); len(states) > 0 {
		b.WriteString(" [")
		b.WriteString(strings.Join(states, " "))
		b.WriteByte(']')
	}
	switch {
	case n.Value != nil:
		b.WriteString(" =")
		b.WriteString(strconv.FormatFloat(n.Value.Now, 'g', 6, 64))
	case n.Text != nil && (*n.Text != "" || n.editable()):
		b.WriteString(" =")
		b.WriteString(Quote(*n.Text, nameRunes))
	}
	return b.String()
}

// String is "x,y wxh".
func (r Rect) String() string {
	return strconv.Itoa(r.X) + "," + strconv.Itoa(r.Y) + " " + strconv.Itoa(r.W) + "x" + strconv.Itoa(r.H)
}

// untold are the states a line leaves out: they are so on nearly every node
// that is listed, and what differs from them is told by its opposite.
var untold = map[string]bool{
	"enabled": true, "sensitive": true, "showing": true, "visible": true,
	"focusable": true, "selectable": true, "checkable": true, "expandable": true,
	"single-line": true, "horizontal": true, "vertical": true, "opaque": true,
	"selectable-text": true, "supports-autocompletion": true,
	"resizable": true, "has-popup": true, "multi-line": true, "editable": true,
	"has-tooltip": true, "manages-descendants": true, "transient": true,
}

// fields are the roles of which a reader expects that they can be written to.
var fields = map[string]bool{
	"text": true, "entry": true, "password text": true, "spin button": true, "combo box": true, "editbar": true, "terminal": true,
}

// toldStates are the states worth a reader's tokens: what is unusual, and
// disabled and unchecked where they matter, which the list of states says only
// by leaving something out.
func (n Node) toldStates() []string {
	var told []string
	var enabled, checkable, checked bool
	for _, s := range n.States {
		switch s {
		case "enabled", "sensitive":
			enabled = true
		case "checkable":
			checkable = true
		case "checked":
			checked = true
		}
		if !untold[s] && (s != "read-only" || fields[n.Role]) {
			told = append(told, s)
		}
	}
	if !enabled {
		told = append([]string{"disabled"}, told...)
	}
	if checkable && !checked {
		told = append(told, "unchecked")
	}
	return told
}

// editable says whether an empty text is worth showing: a field to fill.
func (n Node) editable() bool {
	for _, s := range n.States {
		if s == "editable" {
			return true
		}
	}
	return false
}

// Quote is s in double quotes as one line of plain text: quotes, backslashes
// and line breaks escaped, control and direction characters and invalid bytes
// shown as escapes or dropped, cut after limit runes with an ellipsis.
func Quote(s string, limit int) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	n := 0
	for i, r := range s {
		if limit > 0 && n >= limit {
			b.WriteString("…")
			break
		}
		n++
		quoteRune(&b, s, i, r)
	}
	b.WriteByte('"')
	return b.String()
}

// quoteRune writes one rune of a quoted text.
func quoteRune(b *strings.Builder, s string, i int, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		b.WriteRune('\uFFFD')
	case forges(r):
		b.WriteString(`\u{`)
		b.WriteString(strconv.FormatInt(int64(r), 16))
		b.WriteByte('}')
	default:
		b.WriteRune(r)
	}
}

// forges is true for a rune that could make a line look like another one:
// controls, line and paragraph separators, direction and zero width
// characters, byte order marks and tags.
func forges(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r == '\u200d' || r == '\ufe0f':
		return false // joins emoji: visible, and part of the text
	case r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u206f':
		return true
	case r == '\ufeff', r == '\u061c', r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
