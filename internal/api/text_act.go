package api

import (
	"fmt"
	"strconv"
	"strings"
)

// text tells an act: what was done to what by which road, whether it took
// effect, and what was seen after it.
func (a Acted) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s: ", a.Handle, a.Did.text())
	if a.Applied == "yes" {
		b.WriteString("done")
	} else {
		b.WriteString("applied " + a.Applied)
	}
	if a.Verified != nil {
		b.WriteString(", verified " + yes(*a.Verified))
	}
	if a.Differs != nil {
		fmt.Fprintf(b, ": the field holds %s, and %d were to be there", plural(a.Differs.Has, "character"), a.Differs.Wanted)
	}
	b.WriteByte('\n')
	a.Observed.text(b)
	a.notices(b)
	if a.Tree != nil {
		a.Tree.text(b)
	}
}

// text tells what the clipboard holds, or that it was set.
func (a ClipboardAnswer) text(b *strings.Builder) {
	switch {
	case a.Verified != nil:
		fmt.Fprintf(b, "%s clipboard set, verified %s\n", a.Handle, yes(*a.Verified))
	case a.Empty:
		fmt.Fprintf(b, "%s clipboard holds no text\n", a.Handle)
	default:
		fmt.Fprintf(b, "%s clipboard %s\n", a.Handle, Quote(a.Text, 0))
	}
	a.notices(b)
}

// text is the act on its target: "click @e7 push button "OK" by tree (click)".
func (d Did) text() string {
	var b strings.Builder
	b.WriteString(d.Verb)
	if d.Ref != "" {
		b.WriteString(" " + string(d.Ref))
	}
	if d.Role != "" {
		b.WriteString(" " + oneLine(d.Role))
	}
	if d.Name != "" {
		b.WriteString(" " + Quote(d.Name, labelRunes))
	}
	if d.At != nil {
		b.WriteString(" at " + d.At.String())
	}
	if d.By != "" {
		b.WriteString(" by " + d.By)
	}
	if d.Action != "" {
		b.WriteString(" (" + oneLine(d.Action) + ")")
	}
	if d.Partial != nil {
		b.WriteString(", " + d.Partial.text())
	}
	return b.String()
}

// text is "12 of 300 chars".
func (p Partial) text() string {
	for _, c := range []struct {
		n    *int
		kind string
	}{{p.Chars, "chars"}, {p.Keys, "keys"}, {p.Notches, "notches"}, {p.Points, "points"}, {p.Verbs, "verbs"}} {
		if c.n != nil {
			return strconv.Itoa(*c.n) + " of " + strconv.Itoa(p.Of) + " " + c.kind
		}
	}
	return "nothing of " + strconv.Itoa(p.Of)
}

// text tells what was seen after an act. A nil observation (--no-observe) says
// nothing.
func (o *Observed) text(b *strings.Builder) {
	if o == nil {
		return
	}
	if o.Failed != "" {
		fmt.Fprintf(b, "  not observed: %s; do not repeat the act for that\n", oneLine(o.Failed))
		return
	}
	fmt.Fprintf(b, "  settled in %d ms", o.SettledMs)
	if len(o.Diff) == 0 && o.PictureChanged == nil {
		b.WriteString(", no change of the tree seen")
	}
	if o.PictureChanged != nil {
		b.WriteString(", picture changed: " + yes(*o.PictureChanged))
	}
	b.WriteByte('\n')
	for _, line := range o.Diff {
		b.WriteString("  " + oneLine(line) + "\n")
	}
}
