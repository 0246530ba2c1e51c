package api

import (
	"fmt"
	"strings"
	"time"
)

// done says what an answer's verb did to a window.
var done = map[string]string{
	"open": "opened", "launch": "launched", "attach": "attached", "detach": "detached",
	"stop": "stopped", "new": "opened", "size": "size of", "mode": "mode of", "rung": "moved", "share": "shared",
	"end-hold": "ended the hold of",
}

// doing gives the words for a verb, itself where it has none.
func doing(verb string) string {
	if w := done[verb]; w != "" {
		return w
	}
	return verb
}

// Line is the window on one line of a list.
func (w Window) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", w.Handle, oneLine(w.App))
	if w.Label != "" {
		fmt.Fprintf(&b, " (%s)", oneLine(w.Label))
	}
	if w.Title != "" {
		b.WriteByte(' ')
		b.WriteString(Quote(w.Title, labelRunes))
	}
	b.WriteByte(' ')
	b.WriteString(w.State)
	if w.Ended != nil {
		fmt.Fprintf(&b, " (%s)", oneLine(w.Ended.Why))
		return b.String()
	}
	w.lineSize(&b)
	w.lineRole(&b)
	return b.String()
}

// lineSize adds the size and whether it is pinned and seen.
func (w Window) lineSize(b *strings.Builder) {
	if w.Size.W > 0 {
		b.WriteByte(' ')
		b.WriteString(w.Size.String())
	}
	switch {
	case w.Pin != nil && *w.Pin != w.Size:
		b.WriteString(" (pin " + w.Pin.String() + ")")
	case w.Pin != nil:
		b.WriteString(" pinned")
	}
	if !w.Visible && w.State == "ready" {
		b.WriteString(" not visible")
	}
}

// lineRole adds the mode, the holder and who drives.
func (w Window) lineRole(b *strings.Builder) {
	if w.Mode.Resolved != "" {
		b.WriteString(", " + w.Mode.Resolved)
		if w.Mode.Share != w.Mode.Resolved {
			b.WriteString(" (" + w.Mode.Share + ")")
		}
	}
	if w.Holder != nil {
		b.WriteString(", held by " + oneLine(string(*w.Holder)))
	} else {
		b.WriteString(", held by nobody")
	}
	if w.Input == "user" {
		b.WriteString(", the person drives")
	}
	if w.Lapsed != nil {
		fmt.Fprintf(b, ", handed back by itself at %s: %s", moment(w.Lapsed.At), oneLine(w.Lapsed.Why))
	}
}

// parts adds the dialogs and popups of a target, a line each.
func parts(b *strings.Builder, ps []Part) {
	for _, p := range ps {
		if p.N == 0 {
			continue
		}
		fmt.Fprintf(b, "  window %d: %s", p.N, p.Kind)
		if p.Title != "" {
			b.WriteString(" " + Quote(p.Title, labelRunes))
		}
		fmt.Fprintf(b, " (%s)\n", p.Bounds)
	}
}

// text tells an opened, attached, pinned or shared window.
func (a OpenAnswer) text(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%s %s", doing(verb), a.Window.Line())
	if a.TookMs > 0 {
		fmt.Fprintf(b, ", %d ms", a.TookMs)
	}
	b.WriteByte('\n')
	if why := a.Window.Mode.Why; why != "" {
		fmt.Fprintf(b, "  mode: %s\n", oneLine(why))
	}
	if why := a.Window.RungWhy; why != "" {
		fmt.Fprintf(b, "  rung: %s, because %s\n", a.Window.Rung, oneLine(why))
	}
	for _, n := range a.NotReady {
		fmt.Fprintf(b, "  not ready: %s\n", oneLine(n))
	}
	if len(a.Remembered) > 0 {
		remembered(b, "  ", a.Remembered)
		fmt.Fprintf(b, "  apply: vibespace share %s --with remembered\n", a.Window.Handle)
	}
	parts(b, a.Window.Windows)
	a.notices(b)
}

// text lists windows.
func (a ListAnswer) text(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%s\n", plural(len(a.Windows), "window"))
	for _, w := range a.Windows {
		if verb == "person list" {
			w.entry(b)
			continue
		}
		b.WriteString(w.Line() + "\n")
		parts(b, w.Windows)
	}
	switch {
	case a.EndedMore > 0 && verb == "person list":
		fmt.Fprintf(b, "%d more ended: vibespace list --ended\n", a.EndedMore)
	case a.EndedMore > 0:
		fmt.Fprintf(b, "%d more ended earlier\n", a.EndedMore)
	}
	a.notices(b)
}

// text tells a detached or stopped window.
func (a HandleAnswer) text(b *strings.Builder, verb string) {
	if verb == "end-hold" && a.Holder == "" {
		fmt.Fprintf(b, "nobody holds %s: nothing was ended\n", a.Handle)
		a.notices(b)
		return
	}
	if a.EndedBefore != nil {
		fmt.Fprintf(b, "%s had ended already: %s\n", a.Handle, oneLine(a.EndedBefore.Why))
		a.notices(b)
		return
	}
	fmt.Fprintf(b, "%s %s", doing(verb), a.Handle)
	if a.Holder != "" {
		fmt.Fprintf(b, ": session %s had it", oneLine(string(a.Holder)))
	}
	switch {
	case a.Ended > 0:
		fmt.Fprintf(b, ": %s ended", processes(a.Ended))
	case a.EndsBy != nil:
		fmt.Fprintf(b, ": the person drives it; it ends when they are done, at %s at the latest", a.EndsBy.UTC().Format(time.RFC3339))
	}
	b.WriteByte('\n')
	a.notices(b)
}

// processes is "1 process" or "5 processes".
func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// text lists what can be opened.
func (a AppsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s can be opened here\n", plural(len(a.Apps), "application"))
	for _, app := range a.Apps {
		fmt.Fprintf(b, "%s %s %s", oneLine(app.App), app.Kind, Quote(app.Name, labelRunes))
		if len(app.Needs) > 0 {
			fmt.Fprintf(b, " needs %s", oneLine(strings.Join(app.Needs, ", ")))
		}
		b.WriteByte('\n')
	}
	a.notices(b)
}

// text tells how the session stands.
func (a StatusAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "session %s: holds %s", oneLine(string(a.Session)), handles(a.Held))
	if len(a.Paused) > 0 {
		fmt.Fprintf(b, "; the person drives %s", handles(a.Paused))
	}
	b.WriteByte('\n')
	if a.Daemon != "" {
		fmt.Fprintf(b, "daemon %s\n", oneLine(a.Daemon))
	}
	a.notices(b)
}
