package state

import (
	"fmt"
	"strings"
	"time"

	"vibespace/internal/api"
)

// Control is who drives a window, as this viewer sees it.
type Control int

// The ways a window can stand.
const (
	Starting  Control = iota
	Watched           // an agent may act; this viewer looks on
	Driving           // this viewer drives
	Elsewhere         // another viewer of the person drives
	Attached          // the person drives it as a window of their desktop
	Paused            // the person drove and no viewer does: after a restart
	Gone              // it has ended
)

// ControlOf says how a window stands for a viewer.
func ControlOf(w api.Window, viewer string) Control {
	switch {
	case w.Ended != nil || w.State == "ended":
		return Gone
	case w.State == "starting":
		return Starting
	case w.Input != "user":
		return Watched
	case w.Driven == nil || w.Driven.Viewer == "":
		return Paused
	case w.Driven.Viewer == viewer:
		return Driving
	case api.IsAttached(w.Driven.Viewer):
		return Attached
	}
	return Elsewhere
}

// Badge is the word for it, never the same for two ways.
func (c Control) Badge(l Lang) string {
	return l.Say([...]Word{StartingState, Watching, InControl, OtherControl, HereControl, PausedState, EndedState}[c])
}

// MayTake and MayGive say which of the two buttons is there: never both, and
// none where neither would do anything.
func (c Control) MayTake() bool { return c == Watched || c == Paused }

// MayGive says whether the window can be handed back from here.
func (c Control) MayGive() bool { return c == Driving || c == Attached || c == Paused }

// Explain says in a sentence what the way a window stands means for the person.
// typing says that the keyboard goes to the window now.
func (c Control) Explain(l Lang, w api.Window, typing bool) string {
	switch c {
	case Starting:
		return l.Say(Opening, Title(w))
	case Watched:
		if w.Holder == nil {
			return l.Say(WatchingFreeHint)
		}
		return l.Say(WatchingHint)
	case Driving:
		if typing {
			return l.Say(InControlHint, WayOut)
		}
		return l.Say(InControlLoose)
	case Elsewhere:
		return l.Say(OtherControlHint, w.Driven.Since.Local().Format("15:04"))
	case Attached:
		return l.Say(HereControlHint, w.Driven.Since.Local().Format("15:04"))
	case Paused:
		return l.Say(PausedHint)
	}
	if w.Ended == nil {
		return l.Say(EndedState)
	}
	return l.Say(EndedWhy, Title(w), w.Ended.Why)
}

// Title is what a window is called: its title, or its application where it has
// none yet. It is one line and bounded: a page can call itself anything.
func Title(w api.Window) string {
	if t := Line(w.Title, 120); t != "" {
		return t
	}
	return Line(w.App, 60)
}

// LapseWhy says in a language why a takeover ended by itself.
func LapseWhy(l Lang, why string) string {
	switch why {
	case api.LapseIdle:
		return l.Say(LapsedIdle)
	case api.LapseAway:
		return l.Say(LapsedAway)
	}
	return Line(why, 200)
}

// Short is Title where it stands in a sentence of one line.
func Short(w api.Window) string { return Line(Title(w), 40) }

// Line makes one bounded line of what an application said.
func Line(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), func(r rune) bool {
		return r < 0x20 || r == 0x7f || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return strings.TrimSpace(s)
}

// Lines makes bounded lines of what an agent said, its line breaks kept.
func Lines(s string, most int) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(l, most)
	}
	return strings.Join(lines, "\n")
}

// Brief says in a few words who has to do with a window beside the person.
func Brief(l Lang, w api.Window) string {
	switch {
	case w.Ended != nil && w.Opener == "":
		return l.Say(Mine)
	case w.Holder != nil:
		return l.Say(HeldBy, *w.Holder)
	case w.Opener != "":
		return l.Say(OpenedBy, w.Opener)
	case len(w.Shares) == 0:
		return l.Say(OnlyYou)
	case len(w.Shares) == 1:
		return GranteeName(l, w.Shares[0].With)
	}
	return l.Say(SharedWithN, len(w.Shares))
}

// Owner is the session whose colour a window has: who holds it, else who opened
// it; "" for the person's own.
func Owner(w api.Window) api.SessionID {
	if w.Holder != nil {
		return *w.Holder
	}
	return w.Opener
}

// Facts says of a window, in short phrases, whose it is, how it is read and who
// sees it.
func Facts(l Lang, w api.Window) string {
	var parts []string
	if w.Opener != "" {
		parts = append(parts, l.Say(OpenedBy, w.Opener))
	} else {
		parts = append(parts, l.Say(Mine))
	}
	switch {
	case w.Ended != nil:
		return strings.Join(parts, " · ")
	case w.Holder != nil && *w.Holder != w.Opener:
		parts = append(parts, l.Say(HeldBy, *w.Holder))
	case w.Holder == nil && len(w.Shares) > 0:
		parts = append(parts, l.Say(HeldByNobody))
	}
	switch {
	case len(w.Shares) == 0 && w.Opener == "":
		parts = append(parts, l.Say(OnlyYou))
	case len(w.Shares) > 1:
		parts = append(parts, l.Say(SharedWithN, len(w.Shares)))
	}
	if len(w.Shares) > 0 {
		mode := ByTree
		if w.Mode.Resolved == "pixels" {
			mode = ByPixels
		}
		parts = append(parts, l.Say(mode))
	}
	return strings.Join(parts, " · ")
}

// SizeText says how large a window is, whether that is pinned, and at how many
// hundredths it is shown.
// It is "" for a window without one: it has ended, or only starts.
func SizeText(l Lang, w api.Window, shown api.Size) string {
	if w.Ended != nil || w.Size.W <= 0 || w.Size.H <= 0 {
		return ""
	}
	size := fmt.Sprintf("%d × %d", w.Size.W, w.Size.H)
	if w.Pin != nil {
		size = l.Say(PinnedAt, size)
	}
	if shown.W <= 0 {
		return size
	}
	return l.Say(ShownAt, size, (100*shown.W+w.Size.W/2)/w.Size.W)
}

// ActText says what an agent did: who, what, when.
func ActText(l Lang, a *api.SeenAct, now time.Time) string {
	if a == nil {
		return l.Say(NoAct)
	}
	return l.Say(LastAct, a.Session, did(l, a), l.Ago(int(now.Sub(a.At).Seconds())))
}

// ActLabel is what stands beside the agent's cursor.
func ActLabel(l Lang, a api.SeenAct) string { return fmt.Sprintf("%s · %s", a.Session, did(l, &a)) }

// did says what an act did, without its text.
func did(l Lang, a *api.SeenAct) string {
	what := Line(a.Did.Name, 40)
	if what != "" {
		what = "“" + what + "”"
	} else if what = Line(a.Did.Role, 40); what == "" {
		what = l.Say(AtPoint)
	}
	done := ""
	switch a.Did.Verb {
	case "click":
		done = l.Say(ClickDid, what)
	case "type":
		if a.Did.Ref == "" {
			what = l.Say(TheFocus)
		}
		done = l.Say(TypeDid, what)
	case "key":
		done = l.Say(KeyDid)
	case "scroll":
		done = l.Say(ScrollDid)
	case "drag":
		done = l.Say(DragDid)
	case "hover":
		done = l.Say(HoverDid)
	case "set", "select":
		done = l.Say(SetDid, what)
	case "menu":
		done = l.Say(MenuDid, what)
	default:
		done = l.Say(OtherDid, a.Did.Verb)
	}
	if a.Verdict != "ok" {
		return done + " — " + l.Say(RefusedDid, a.Verdict)
	}
	return done
}

// Place is where an act's cursor belongs, in window coordinates: its point, or
// the middle of its element; false when neither is known.
func Place(a *api.SeenAct) (api.Point, bool) {
	switch {
	case a == nil:
	case a.Did.At != nil:
		return *a.Did.At, true
	case a.Box != nil:
		return api.Point{X: a.Box.X + a.Box.W/2, Y: a.Box.Y + a.Box.H/2}, true
	}
	return api.Point{}, false
}
