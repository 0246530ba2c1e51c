package api

import (
	"cmp"
	"strconv"
	"strings"
)

// pageUntold are states of a page's elements that a line leaves out: where a
// page is scrolled to is no news of an element.
var pageUntold = map[string]bool{"offscreen": true, "multiline": true, "focusable": true}

// PageLine is the node as one line of a page's text snapshot, without its
// indentation:
//
//	role "name" @e7 [states] ="value"
//
// It is shorter than a window's: a page has many more elements, their places
// are asked for with get, and a mere text is told without its ref.
func (n Node) PageLine() string {
	var b strings.Builder
	b.WriteString(n.Role)
	if name := cmp.Or(n.Name, n.Placeholder); name != "" {
		b.WriteByte(' ')
		b.WriteString(Quote(name, nameRunes))
	}
	if n.Role != "text" {
		b.WriteByte(' ')
		b.WriteString(string(n.Ref))
	}
	var told []string
	for _, s := range n.toldStates() {
		if !pageUntold[s] {
			told = append(told, s)
		}
	}
	if len(told) > 0 {
		b.WriteString(" [" + strings.Join(told, " ") + "]")
	}
	switch {
	case n.Value != nil:
		b.WriteString(" =" + strconv.FormatFloat(n.Value.Now, 'g', 6, 64))
	case n.Text != nil && *n.Text != "":
		b.WriteString(" =" + Quote(*n.Text, nameRunes))
	}
	if n.More > 0 {
		b.WriteString(" +" + strconv.Itoa(n.More) + " more")
	}
	return b.String()
}
