package api

import (
	"fmt"
	"strings"
)

// listColumns is what a line of the person's list is kept within: a terminal
// beside something else.
const listColumns = 100

// entry is a window in the person's list: what it is on one line, who has to do
// with it on the next, folded.
func (w Window) entry(b *strings.Builder) {
	head := fmt.Sprintf("%s %s", w.Handle, clip(oneLine(w.App), 30))
	tail := " " + w.State
	switch {
	case w.Ended != nil:
		tail = " ended " + moment(w.Ended.At)
	case w.Size.W > 0:
		var size strings.Builder
		w.lineSize(&size)
		tail += size.String()
	}
	if room := listColumns - columns(head) - columns(tail) - 3; w.Title != "" && room > 8 {
		head += ` "` + clip(oneLine(w.Title), room) + `"`
	}
	b.WriteString(head + tail + "\n")
	fold(b, "   ", w.roles(), listColumns)
}

// roles says who has to do with a window, a phrase each.
func (w Window) roles() []string {
	origin := w.Origin
	switch {
	case w.Opener != "":
		origin = "opened by " + oneLine(string(w.Opener))
	case origin == "shared":
		origin = "launched by you"
	}
	if w.Ended != nil {
		return []string{orUnknown(origin), clip(oneLine(w.Ended.Why), listColumns-4)}
	}
	holder := "held by nobody"
	if w.Holder != nil {
		holder = "held by " + oneLine(string(*w.Holder))
	}
	driver := "agent drives"
	switch {
	case w.Input == "user":
		driver = "you drive"
	case w.Holder == nil:
		driver = "nobody drives"
	}
	phrases := []string{orUnknown(origin), holder, driver, w.Mode.Resolved}
	if w.Pin != nil {
		phrases = append(phrases, "pin "+w.Pin.String())
	}
	if w.Questions > 0 {
		phrases = append(phrases, plural(w.Questions, "question")+" for you")
	}
	switch {
	case len(w.Shares) > 0:
	case w.Opener != "" && w.Holder != nil:
		phrases = append(phrases, "shared with nobody else")
	default:
		phrases = append(phrases, "shared with nobody")
	}
	for i, s := range w.Shares {
		word := ""
		if i == 0 {
			word = "shared with "
		}
		phrases = append(phrases, word+oneLine(s.With)+" ("+s.Mode+")")
	}
	return phrases
}

// orUnknown is a word, or that there is none.
func orUnknown(s string) string {
	if s == "" {
		return "of unknown origin"
	}
	return s
}

// fold writes phrases, separated by commas, on as many lines as they take.
func fold(b *strings.Builder, indent string, phrases []string, width int) {
	line := ""
	for i, p := range phrases {
		if i < len(phrases)-1 {
			p += ","
		}
		p = clip(p, width-columns(indent))
		switch {
		case line == "":
			line = indent + p
		case columns(line)+1+columns(p) <= width:
			line += " " + p
		default:
			b.WriteString(line + "\n")
			line = indent + p
		}
	}
	if line != "" {
		b.WriteString(line + "\n")
	}
}

// clip is s in so many columns at most, its end marked when it was cut.
func clip(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	used := 0
	for i, r := range s {
		if used += wide(r); used > width-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// columns is how many columns of a terminal a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += wide(r)
	}
	return n
}

// wide is how many columns a character takes: two in the scripts that are
// written so.
func wide(r rune) int {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
