package gui

import (
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// longName is what a stranger may call a window: it may be cut, on purpose.
var longName = "Quarterly figures of the northern branch, " + strings.Repeat("第三稿最终版本", 11) + " — Mousepad"

// shownWindows are the windows the screens have.
func shownWindows() []api.Window {
	alice, bob := api.SessionID("alice"), api.SessionID("research-assistant-with-a-long-name")
	return []api.Window{
		window("w1", func(w *api.Window) {
			w.Title, w.Holder, w.Opener, w.Shares = "Widget Factory", &alice, alice, []api.Share{{With: "session:alice", Mode: "tree"}, {With: "group:research", Mode: "pixels"}}
		}),
		window("w2", func(w *api.Window) {
			w.Title, w.Holder, w.Pin, w.Input, w.Driven = longName, &bob, &api.Size{W: 1920, H: 1080}, "user", &api.Driven{Viewer: "me"}
		}),
		window("w3", func(w *api.Window) { w.Title, w.Input, w.Driven = "Files", "user", &api.Driven{Viewer: "cli"} }),
		window("w4", func(w *api.Window) {
			w.Title, w.State, w.Ended = "xterm", "ended", &api.Ended{Why: "it exited with status 1 and wrote a core file", Status: new(int)}
		}),
	}
}

// screens are what the app shows, each put on the screen by its own hand.
func screens(t *testing.T) []struct {
	name string
	show func(u *ui)
} {
	before, after := traced(t, "before"), traced(t, "after")
	windows := shownWindows()
	pane := func(u *ui, w api.Window) *pane {
		u.showing = ""
		p := newPane(u, w)
		t.Cleanup(p.close)
		u.put(p.content)
		return p
	}
	row := func(verb, name, note string) api.TraceRow {
		r := api.TraceRow{Before: before, After: after, Note: note}
		r.Session, r.Verb, r.Name, r.Verdict, r.At = "alice", verb, name, "ok", now()
		return r
	}
	rows := []api.TraceRow{row("click", longName, ""), row("type", "Name", "masked: a password field was on the screen"), row("scroll", "", "")}
	return []struct {
		name string
		show func(u *ui)
	}{
		{"launcher", func(u *ui) { u.goTo(pageHome) }},
		{"people", func(u *ui) { u.showing = pagePeople; u.show() }},
		{"settings", func(u *ui) { u.showing = pageSettings; u.show() }},
		{"configuration", func(u *ui) {
			list := column(0)
			for _, s := range settingsShown() {
				list.Add(newSettingRow(u, s).content)
			}
			u.put(page(title(u.say(state.SettingsTitle)), card(list)))
		}},
		{"watching", func(u *ui) { pane(u, windows[0]) }},
		{"taken-over", func(u *ui) { pane(u, windows[1]) }},
		{"elsewhere", func(u *ui) { pane(u, windows[2]) }},
		{"ended", func(u *ui) { pane(u, windows[3]) }},
		{"trace", func(u *ui) {
			p := pane(u, windows[0])
			p.history()
			p.past.show(rows)
		}},
		{"trace-open", func(u *ui) {
			p := pane(u, windows[0])
			p.history()
			p.past.show(rows)
			p.past.open(rows[0])
		}},
		{"two-panes", func(u *ui) {
			u.showing = ""
			a, b := newPane(u, windows[0]), newPane(u, windows[1])
			t.Cleanup(func() { a.close(); b.close() })
			u.putPanes([]fyne.CanvasObject{a.content, b.content})
		}},
		{"share", func(u *ui) { pane(u, windows[0]); u.showShare(windows[0]) }},
		{"share-first", func(u *ui) { pane(u, windows[2]); u.showShare(windows[2]) }},
		{"size-menu", func(u *ui) {
			p := pane(u, windows[0])
			p.pop(p.pin, u.sizeMenu(windows[0]))
		}},
		{"size-other", func(u *ui) { pane(u, windows[0]); u.askSize(windows[0]) }},
		{"window-menu", func(u *ui) {
			p := pane(u, windows[0])
			p.pop(p.pin, u.windowMenu(windows[0]))
		}},
		{"hand-back", func(u *ui) { pane(u, windows[1]).handBack() }},
		{"stop", func(u *ui) { pane(u, windows[1]); u.askStop(windows[1]) }},
		{"quit", func(u *ui) { u.showing = pageSettings; u.show(); u.askQuit() }},
		{"token", func(u *ui) {
			u.showing = pagePeople
			u.show()
			u.showToken(api.SessionAnswer{Label: "alice", Token: strings.Repeat("0123456789abcdef", 4), Env: map[string]string{"VIBESPACE_TOKEN": strings.Repeat("0123456789abcdef", 4), "VIBESPACE_SOCKET": "/run/user/1000/vibespace/socket"}})
		}},
		{"members", func(u *ui) { u.showing = pagePeople; u.show(); u.editGroup(u.groups[0]) }},
		{"notices", func(u *ui) {
			u.goTo(pageHome)
			u.asked.show([]api.Question{{ID: "q1", Session: "alice", Handle: "w1", Text: "The form asks for a phone number that I do not have. Should I leave it empty, or is there one you would like me to use?"}})
			u.notice(u.say(state.Lapsed, longName, state.LapseWhy(u.settings.Lang, api.LapseAway)), "", theme.InfoIcon(), tint(theme.ColorNameWarning))
			u.fault(api.Refuse(api.BadSize, "12 × 4 is no size"))
		}},
	}
}

// settingsShown are settings of each kind.
func settingsShown() []api.Setting {
	return []api.Setting{
		{Key: "takeover.idle", Value: "10m", Running: "10m", Default: "10m", From: "default", Personal: true, Doc: "after how long without input a takeover ends"},
		{Key: "trace.enabled", Value: "true", Running: "false", Default: "true", From: "config.yaml:3", Personal: true, Doc: "keep pictures of what agents do"},
		{Key: "windows.max", Value: "12", Running: "12", Default: "20", From: "VIBESPACE_WINDOWS_MAX", Fixed: true, Personal: true, Doc: "how many windows there may be"},
	}
}

// traced makes a picture as a trace has them.
func traced(t *testing.T, name string) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 200))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 997)
	}
	path := filepath.Join(t.TempDir(), name+".jpg")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jpeg.Encode(f, img, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawnText is a text on the screen, with what holds it.
type drawnText struct {
	text  string
	min   fyne.Size
	at    fyne.Position
	size  fyne.Size
	clip  area // what a scroller leaves of the screen
	holds []area
	free  bool // in a scroller or a field, which show a part of it
}

// area is a part of the screen.
type area struct {
	a, b fyne.Position
	what string
}

func (r area) and(o area) area {
	r.a = fyne.NewPos(max(r.a.X, o.a.X), max(r.a.Y, o.a.Y))
	r.b = fyne.NewPos(min(r.b.X, o.b.X), min(r.b.Y, o.b.Y))
	return r
}

// drawnTexts collects the texts below an object.
func drawnTexts(o fyne.CanvasObject, offset fyne.Position, clip area, holds []area, free bool) (list []drawnText) {
	if o == nil || !o.Visible() {
		return nil
	}
	at := o.Position().Add(offset)
	here := area{a: at, b: at.AddXY(o.Size().Width, o.Size().Height), what: fmt.Sprintf("%T", o)}
	var inside []fyne.CanvasObject
	switch o := o.(type) {
	case *canvas.Text:
		if strings.TrimSpace(o.Text) == "" {
			return nil
		}
		return []drawnText{{text: o.Text, min: o.MinSize(), at: at, size: o.Size(), clip: clip, holds: holds, free: free}}
	case *canvas.Raster: // there is no picture, and the software painter wants one
		o.Generator = func(w, h int) image.Image { return image.NewGray(image.Rect(0, 0, w, h)) }
	case *fyne.Container:
		inside = o.Objects
	case *container.Scroll:
		inside, clip, holds, free = test.WidgetRenderer(o).Objects(), clip.and(here), nil, true
	case *widget.Entry:
		inside, clip, holds, free = test.WidgetRenderer(o).Objects(), clip.and(here), nil, true
	case fyne.Widget:
		inside = test.WidgetRenderer(o).Objects()
	default:
		return nil
	}
	for _, c := range inside {
		list = append(list, drawnTexts(c, at, clip, append(holds[:len(holds):len(holds)], here), free)...)
	}
	return list
}

// slack is what rounding makes of a place.
const slack = 1.5

// box is where a text is drawn: canvas.Text draws all of it, however small the
// room that it was given.
func (d drawnText) box() area {
	return area{a: d.at, b: d.at.AddXY(max(d.min.Width, 0), d.min.Height)}
}

// mayEnd says whether a text may end with an ellipsis: what strangers name, the
// facts beside a title, and words that have one.
func mayEnd(l state.Lang, text string) bool {
	for _, part := range []string{"Quarterly figure", "research-assistant", "w1 · ", "w2 · "} {
		if strings.Contains(text, part) {
			return true
		}
	}
	for _, w := range []state.Word{state.Connecting, state.SizeOther} {
		if text == l.Say(w) {
			return true
		}
	}
	return text == l.Say(state.QuitAll)+"…" || text == l.Say(state.Share)+"…"
}

// faults says what is wrong with the texts of a layer.
func faults(l state.Lang, texts []drawnText) (list []string) {
	for i, d := range texts {
		box := d.box()
		if strings.HasSuffix(d.text, "…") && !mayEnd(l, d.text) {
			list = append(list, fmt.Sprintf("%q has lost its end", d.text))
		}
		if d.min.Width > d.size.Width+slack || d.min.Height > d.size.Height+slack {
			list = append(list, fmt.Sprintf("%q needs %v and has %v", d.text, d.min, d.size))
		}
		for _, h := range d.holds {
			if h.a == h.b {
				continue // the toolkit places a dialog's title without giving it a size
			}
			if box.a.X < h.a.X-slack || box.a.Y < h.a.Y-slack || box.b.X > h.b.X+slack || box.b.Y > h.b.Y+slack {
				list = append(list, fmt.Sprintf("%q at %v–%v goes beyond a %s at %v–%v", d.text, box.a, box.b, h.what, h.a, h.b))
				break
			}
		}
		if d.free && (box.b.X > d.clip.b.X+slack || box.a.X < d.clip.a.X-slack) {
			list = append(list, fmt.Sprintf("%q at %v–%v is cut at the side of %v–%v", d.text, box.a, box.b, d.clip.a, d.clip.b))
		}
		for _, o := range texts[:i] {
			both := box.and(d.clip).and(o.box()).and(o.clip)
			if both.b.X-both.a.X > slack && both.b.Y-both.a.Y > slack {
				list = append(list, fmt.Sprintf("%q at %v–%v lies over %q at %v–%v", d.text, box.a, box.b, o.text, o.box().a, o.box().b))
			}
		}
	}
	return list
}

// TestScreens: on each screen, in each language and size, every text is within
// its room and what holds it, none lies over another, and none lost its end but
// what strangers named. VIBESPACE_KEEP_PICTURES names where to put pictures of
// them all, in every look.
func TestScreens(t *testing.T) {
	keep := os.Getenv("VIBESPACE_KEEP_PICTURES")
	for _, lang := range []state.Lang{state.English, state.Chinese, state.Japanese} {
		u := newTestUI(t, lang)
		u.apps = []api.AppInfo{{App: "xterm", Name: "XTerm"}, {App: "gimp", Name: "GNU Image Manipulation Program", Needs: []string{"gimp"}}, {App: "mousepad", Name: "Mousepad"}}
		u.settings.Recent = []string{"mousepad"}
		u.sessions = []api.SessionInfo{{Label: api.DefaultSession}, {Label: "alice", Holds: []api.Handle{"w1"}}, {Label: "research-assistant-with-a-long-name"}}
		u.groups = []api.GroupInfo{{Group: "research", Members: []api.SessionID{"alice"}}, {Group: "empty"}}
		looks, sizes := []state.Look{state.LookLight}, []fyne.Size{{Width: 1280, Height: 800}}
		if keep != "" { // no text's place depends on it
			looks = append(looks, state.LookDark, state.LookContrast)
		}
		if keep != "" || lang == state.English { // what has room is the same in all
			sizes = append(sizes, fyne.Size{Width: 1920, Height: 1080})
		}
		for _, look := range looks {
			u.settings.Look = look
			u.cfg.App.Settings().SetTheme(newSkin(look))
			for _, size := range sizes {
				for _, s := range screens(t) {
					name := fmt.Sprintf("%s-%vx%v-%s-%s", s.name, size.Width, size.Height, look, lang)
					u.window.Resize(size)
					u.rebuild()
					u.rail.update(shownWindows(), true, nil)
					u.home.update()
					s.show(u)
					c := u.window.Canvas()
					all := area{b: fyne.NewPos(c.Size().Width, c.Size().Height), what: "screen"}
					layers := append([]fyne.CanvasObject{c.Content()}, c.Overlays().List()...)
					for _, o := range layers {
						test.LaidOutObjects(o) // as the real canvas does before it draws
						for _, f := range faults(lang, drawnTexts(o, fyne.Position{}, all, []area{all}, false)) {
							t.Errorf("%s: %s", name, f)
						}
					}
					if keep != "" {
						keepPicture(t, filepath.Join(keep, name+".png"), c.Capture())
					}
					for _, o := range c.Overlays().List() {
						c.Overlays().Remove(o)
					}
					u.asks = nil
				}
			}
		}
	}
}

func keepPicture(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}
