package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// text tells that the person drives.
func (a TakeoverAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "you drive %s since %s", a.Handle, moment(a.Driven.Since))
	if a.Driven.Layout != "" {
		b.WriteString(", keyboard " + oneLine(a.Driven.Layout))
	}
	fmt.Fprintf(b, "; it goes back after %s without input, or by vibespace handback %s\n", ms(a.IdleMs), a.Handle)
	for _, i := range a.Interrupted {
		b.WriteString("  " + i.text() + "\n")
	}
	a.notices(b)
}

// ms is a duration as sentences give it.
func ms(n int) string {
	s := (time.Duration(n) * time.Millisecond).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

// text tells that a window went back, and who will be told what.
func (a HandbackAnswer) text(b *strings.Builder) {
	if a.NotTaken {
		fmt.Fprintf(b, "%s was not taken over: there is nothing to hand back\n", a.Handle)
		a.notices(b)
		return
	}
	fmt.Fprintf(b, "handed back %s", a.Handle)
	if a.Told != nil {
		fmt.Fprintf(b, ": session %s is told with its next command", oneLine(string(*a.Told)))
	} else {
		b.WriteString(": nobody is told")
	}
	b.WriteByte('\n')
	for _, i := range a.Interrupted {
		b.WriteString("  " + i.text() + "\n")
	}
	for _, r := range a.Refused {
		b.WriteString("  " + r.text() + "\n")
	}
	a.notices(b)
}

// text is "interrupted type by keys, 12 of 300 chars, at …".
func (i Interrupted) text() string {
	return fmt.Sprintf("interrupted: %s, at %s", i.Did.text(), moment(i.At))
}

// text is "refused click, 3 times, last at …".
func (r Refused) text() string {
	if r.Times > 1 {
		return fmt.Sprintf("refused: %s, %d times, last at %s", oneLine(r.Verb), r.Times, moment(r.At))
	}
	return fmt.Sprintf("refused: %s, at %s", oneLine(r.Verb), moment(r.At))
}

// hows says how a window came back.
var hows = map[string]string{
	"note": "the person gave it back",
	"idle": "the person's takeover lapsed: nobody did anything in it",
	"away": "the person's takeover lapsed: its viewer went away",
}

// text tells the holder of a window that came back: how it stands, the note,
// what was interrupted, what was refused.
func (h HandedBack) text(b *strings.Builder) {
	how := hows[h.How]
	if how == "" {
		how = oneLine(h.How)
	}
	fmt.Fprintf(b, "%s is yours again: %s at %s. Earlier refs are stale until a snapshot.\n", h.Handle, how, moment(h.At))
	fmt.Fprintf(b, "  stands: %s", Quote(h.Title, labelRunes))
	switch {
	case h.Failed != "":
		fmt.Fprintf(b, "; %s", oneLine(h.Failed))
	case len(h.Diff) == 0:
		b.WriteString("; nothing of what you were told changed")
	}
	b.WriteByte('\n')
	for _, line := range h.Diff {
		b.WriteString("  " + oneLine(line) + "\n")
	}
	if h.Note != "" {
		fmt.Fprintf(b, "  note: %s\n", Quote(h.Note, 0))
	}
	for _, i := range h.Interrupted {
		b.WriteString("  " + i.text() + "\n")
	}
	for _, r := range h.Refused {
		b.WriteString("  " + r.text() + "\n")
	}
	if h.RefusedMore > 0 {
		fmt.Fprintf(b, "  refused: %d more\n", h.RefusedMore)
	}
}

// handedBack tells the detail of a refusal that says which windows came back, as
// an answer would; false when it is none. Over the wire it has lost its type.
func handedBack(b *strings.Builder, detail any) bool {
	raw, err := json.Marshal(detail)
	var list []HandedBack
	if err != nil || json.Unmarshal(raw, &list) != nil {
		return false
	}
	for _, h := range list {
		h.text(b)
	}
	return true
}
