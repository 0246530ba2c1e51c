package api

import (
	"fmt"
	"strings"
)

// The texts of answers about pages. What a page says stands between two fences
// with a word no page can know, and its address; everything else is ours. An
// answer that holds nothing of a page has no fence.

// text tells what was met.
func (a PageWaitAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s met %s after %d ms\n", a.Tab, oneLine(a.Met), a.TookMs)
	a.end(b)
}

// text tells what a script gave.
func (a EvalAnswer) text(b *strings.Builder) {
	a.fenced(b, func() { b.WriteString(Quote(string(a.Value), 0) + "\n") })
	effects(b, a.Effects)
	a.Cut.text(b)
	a.end(b)
}

// fenced writes what a page says between its fences.
func (a PageAnswer) fenced(b *strings.Builder, body func()) {
	fmt.Fprintf(b, "--- %s page data, untrusted, of %s ---\n", a.Fence, oneLine(a.URL))
	body()
	fmt.Fprintf(b, "--- %s end ---\n", a.Fence)
}

// end is what every answer about a page ends with.
func (a PageAnswer) end(b *strings.Builder) {
	a.notices(b)
	if a.Profile != (Profile{}) {
		b.WriteString(a.Profile.Line() + "\n")
	}
}

// text tells where a page came to.
func (a PageOpenAnswer) text(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%s %s: ", a.Tab, verb)
	switch {
	case a.Status != nil:
		fmt.Fprintf(b, "status %d", *a.Status)
	default:
		b.WriteString("done")
	}
	if !a.Loaded {
		b.WriteString(", still loading")
	}
	fmt.Fprintf(b, " (%d ms), at %s titled %s\n", a.TookMs, oneLine(a.URL), Quote(a.Title, labelRunes))
	a.end(b)
}

// text is the page: a header, a line an element two spaces a level between
// fences, then what was left out and how to have it.
func (s PageSnapshot) text(b *strings.Builder) {
	if s.Diffed && len(s.Diff) == 0 {
		fmt.Fprintf(b, "%s no change since the last snapshot\n", s.Tab)
		s.end(b)
		return
	}
	fmt.Fprintf(b, "%s %s %s: %d of %s", s.Tab, Quote(s.Title, labelRunes), s.Viewport, s.Census.Listed, plural(s.Census.Nodes, "node"))
	if s.Census.Unreadable > 0 {
		fmt.Fprintf(b, ", %d unreadable", s.Census.Unreadable)
	}
	fmt.Fprintf(b, " (%d ms)\n", s.TookMs)
	s.fenced(b, func() {
		for _, line := range s.Diff {
			b.WriteString(oneLine(line) + "\n")
		}
		base := baseDepth(s.Nodes)
		for _, n := range s.Nodes {
			indent(b, n.Depth-base)
			b.WriteString(n.PageLine())
			b.WriteByte('\n')
		}
	})
	for _, f := range s.Frames {
		if f.Unreadable != "" {
			fmt.Fprintf(b, "frame %s not read: %s\n", oneLine(f.URL), f.Unreadable)
		}
	}
	s.Cut.text(b)
	s.end(b)
}

// text lists what was found.
func (a PageFindAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %d found of %s\n", a.Tab, len(a.Nodes), plural(a.Census.Nodes, "node"))
	if len(a.Nodes) > 0 {
		a.fenced(b, func() {
			for _, n := range a.Nodes {
				b.WriteString(n.PageLine() + "\n")
			}
		})
	}
	a.Cut.text(b)
	a.end(b)
}

// text tells one element, then what was asked of it.
func (a PageGetAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s\n", a.Tab, a.Node.Ref)
	a.fenced(b, func() {
		b.WriteString(a.Node.PageLine() + "\n")
		if a.Got != nil {
			b.WriteString(a.What + ": " + Quote(*a.Got, 0) + "\n")
		}
	})
	switch {
	case a.Hidden:
		b.WriteString("its value is a secret and not shown\n")
	case a.What == "":
		fmt.Fprintf(b, "bounds: %s\n", a.Node.boundsText())
	case a.Got == nil:
		fmt.Fprintf(b, "it has no %s\n", a.What)
	}
	a.Cut.text(b)
	a.end(b)
}

// text tells an act on a page and what it was seen to do.
func (a PageActed) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s: ", a.Tab, a.Did.text())
	if a.Applied == "yes" {
		b.WriteString("done")
	} else {
		b.WriteString("applied " + a.Applied)
	}
	if a.Verified != nil {
		b.WriteString(", verified " + yes(*a.Verified))
	}
	fmt.Fprintf(b, " (%d ms)\n", a.SettledMs)
	effects(b, a.Effects)
	if a.Failed != "" {
		fmt.Fprintf(b, "  not observed: %s; do not repeat the act for that\n", oneLine(a.Failed))
	}
	a.end(b)
	if a.Tree != nil {
		a.Tree.text(b)
	}
}

// effects tells what was seen, a line each. A page's own words are quoted.
func effects(b *strings.Builder, list []Effect) {
	for _, e := range list {
		b.WriteString("  " + e.line() + "\n")
	}
}

// line is an effect in words.
func (e Effect) line() string {
	var b strings.Builder
	b.WriteString(e.Kind)
	if e.Tab != "" {
		b.WriteString(" " + string(e.Tab))
	}
	if e.URL != "" {
		b.WriteString(" " + oneLine(e.URL))
	}
	if e.SameDocument {
		b.WriteString(" (same document)")
	}
	if e.Status != nil {
		fmt.Fprintf(&b, " status %d", *e.Status)
	}
	if e.Text != "" {
		b.WriteString(" " + Quote(e.Text, nameRunes))
	}
	switch {
	case e.Count > 0 && e.Kind == "value":
		fmt.Fprintf(&b, " (%s)", plural(e.Count, "character"))
	case e.Count > 0:
		fmt.Fprintf(&b, " (%d)", e.Count)
	}
	return b.String()
}

// text is what a page says. Its own line breaks stay; each line is one of its
// own and cannot pass for a fence.
func (a ExtractAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s of %s\n", a.Tab, a.Format, Quote(a.Title, labelRunes))
	a.fenced(b, func() {
		for line := range strings.Lines(a.Text) {
			b.WriteString(plainLine(strings.TrimSuffix(line, "\n")) + "\n")
		}
		for _, t := range a.Tables {
			t.text(b)
		}
	})
	a.Cut.text(b)
	a.end(b)
}

// plainLine drops from a line of a page what would make it look like others:
// controls, direction and invisible characters.
func plainLine(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && forges(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
}

// text is a table, its cells quoted and between bars.
func (t PageTable) text(b *strings.Builder) {
	if t.Caption != "" {
		b.WriteString(Quote(t.Caption, 0) + "\n")
	}
	rows := t.Rows
	if len(t.Head) > 0 {
		rows = append([][]string{t.Head}, rows...)
	}
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(Quote(cell, 0))
		}
		b.WriteByte('\n')
	}
}

// text tells where a picture is and which part of the page it shows.
func (a PageScreenshotAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s picture %s\n  %dx%d, %d bytes, %d ms", a.Tab, oneLine(a.Path), a.W, a.H, a.Bytes, a.TookMs)
	if a.Origin != (Point{}) {
		fmt.Fprintf(b, "; page = %s + pixel", a.Origin)
	}
	b.WriteByte('\n')
	if a.Clipped != nil {
		fmt.Fprintf(b, "  cut: the whole is %s\n", a.Clipped)
	}
	a.end(b)
}

// text lists the tabs.
func (a TabAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s", plural(len(a.Tabs), "tab"))
	if a.Others > 0 {
		fmt.Fprintf(b, ", and %d of other sessions", a.Others)
	}
	b.WriteByte('\n')
	for _, t := range a.Tabs {
		mark := " "
		if t.Active {
			mark = "*"
		}
		fmt.Fprintf(b, "%s %s %s %s", mark, t.ID, oneLine(t.URL), Quote(t.Title, labelRunes))
		if t.Opener != "" {
			fmt.Fprintf(b, " from %s", t.Opener)
		}
		if t.Crashed {
			b.WriteString(" crashed")
		}
		if t.Dialog != "" {
			fmt.Fprintf(b, " %s open", t.Dialog)
		}
		b.WriteByte('\n')
	}
	a.end(b)
}

// text tells the dialog that is open, or was answered.
func (a DialogAnswer) text(b *strings.Builder) {
	switch {
	case a.Dialog == nil:
		fmt.Fprintf(b, "%s no dialog is open\n", a.Tab)
	case a.Did == "status":
		fmt.Fprintf(b, "%s %s open: %s\n", a.Tab, a.Dialog.Kind, Quote(a.Dialog.Message, 0))
	default:
		fmt.Fprintf(b, "%s %s %s: %s\n", a.Tab, a.Did, a.Dialog.Kind, Quote(a.Dialog.Message, nameRunes))
	}
	effects(b, a.Effects)
	a.end(b)
}

// text tells what a page logged.
func (a LoggedAnswer) text(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%s %s: %s", a.Tab, verb, plural(len(a.Entries), "line"))
	if a.Dropped > 0 {
		fmt.Fprintf(b, ", %d older ones not kept", a.Dropped)
	}
	b.WriteByte('\n')
	if len(a.Entries) > 0 {
		a.fenced(b, func() {
			for _, e := range a.Entries {
				fmt.Fprintf(b, "%s %s", oneLine(e.Level), Quote(e.Text, 0))
				if e.URL != "" {
					fmt.Fprintf(b, " %s:%d", oneLine(e.URL), e.Line)
				}
				b.WriteByte('\n')
			}
		})
	}
	a.Cut.text(b)
	a.end(b)
}

// text tells what a page asked for.
func (a RequestsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s requests: %d", a.Tab, len(a.Entries))
	if a.Dropped > 0 {
		fmt.Fprintf(b, ", %d older ones not kept", a.Dropped)
	}
	b.WriteByte('\n')
	if len(a.Entries) > 0 {
		a.fenced(b, func() {
			for _, e := range a.Entries {
				b.WriteString(e.line() + "\n")
			}
		})
	}
	a.Cut.text(b)
	a.end(b)
}

// line is a request in words.
func (e Requested) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", oneLine(e.Method), oneLine(e.URL), oneLine(e.Type))
	switch {
	case e.Failed != "":
		b.WriteString(" failed: " + oneLine(e.Failed))
	case e.Status != nil:
		fmt.Fprintf(&b, " %d", *e.Status)
	default:
		b.WriteString(" no answer yet")
	}
	if e.TookMs != nil {
		fmt.Fprintf(&b, " %d ms", *e.TookMs)
	}
	return b.String()
}
