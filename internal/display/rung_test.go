package display

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
	"vibespace/internal/proc"
	"vibespace/x11"
)

// onXpra starts a display that xpra manages.
func onXpra(t *testing.T) *Display {
	t.Helper()
	need.Xpra(t)
	d := begin(t, Config{Inject: true, Rung: RungXpra})
	if rung, why := d.Rung(); rung != RungXpra || why != "" {
		t.Fatalf("the rung is %s: %s", rung, why)
	}
	return d
}

// shown waits for a viewable window of a class that is no popup.
func shown(t testing.TB, d *Display, class string) x11.Window {
	t.Helper()
	var found x11.Window
	until(t, "a window of "+class, func() bool {
		tops, err := d.X().TopLevels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tops {
			if w.Viewable && !w.OverrideRedirect && w.Class == class {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

// process gives the live process of a display that is of a kind.
func process(t testing.TB, d *Display, what What) proc.Ident {
	t.Helper()
	for _, p := range d.find.recorded() {
		if p.What == what && p.Alive() {
			return p.Ident
		}
	}
	t.Fatalf("display %s has no %s", d.ID(), what)
	return proc.Ident{}
}

// TestXpraShowsWhatNobodyLooksAt: on the xpra rung a window is shown, has the
// focus, a picture and its keys, and is pinned to the pixel, with no viewer
// attached; what xpra made for itself is none of the windows.
func TestXpraShowsWhatNobodyLooksAt(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := onXpra(t)
	file := filepath.Join(need.Dir(t), "typed")
	app := launch(t, d, AppSpec{Path: xterm, Args: []string{"-e", "sh", "-c", "cat > " + file}})
	w := shown(t, d, "XTerm")
	if w.Geometry.X != 0 || w.Geometry.Y != 0 {
		t.Errorf("it is at %+v", w.Geometry)
	}
	if w.PID != app.PID() {
		t.Errorf("it is process %d's, and %d was launched", w.PID, app.PID())
	}
	tops, err := d.X().TopLevels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range tops {
		if o.Viewable && o.ID != w.ID {
			t.Errorf("a window of nobody: %+v", o)
		}
	}
	until(t, "it has the focus", func() bool {
		id, err := d.X().Focused(t.Context())
		return err == nil && id == w.ID
	})
	if id, err := d.X().At(t.Context(), x11.Point{X: 5, Y: 5}); err != nil || id != w.ID {
		t.Errorf("at 5,5 is %#x, %v", id, err)
	}
	if _, err := d.X().Painted(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
	in, why := d.Injector()
	if in == nil {
		t.Fatal(why)
	}
	const text = "é ü 你好 😀"
	if _, err := in.Text(t.Context(), text+"\n", x11.TextOpts{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the text is typed", func() bool {
		got, _ := os.ReadFile(file)
		return string(got) == text+"\n"
	})
	for _, size := range []Size{{801, 603}, {640, 480}} {
		got, err := d.WM().Pin(t.Context(), w.ID, size.W, size.H)
		if err != nil || !got.Exact() {
			t.Errorf("pinned to %v it is %+v, %v", size, got, err)
		}
		img, _, err := d.X().Capture(t.Context(), w.ID)
		if err != nil || img.Rect.Dx() != size.W || img.Rect.Dy() != size.H {
			t.Errorf("its picture is %v, %v", img.Bounds(), err)
		}
	}
}

// TestXpraClickBringsToTheFront: a click on a window that is behind another raises
// and focuses it, and reaches it; when the one in front goes, the focus comes back.
func TestXpraClickBringsToTheFront(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := onXpra(t)
	has := func(what string, id x11.WindowID, at x11.Point) {
		t.Helper()
		until(t, what, func() bool {
			focused, err := d.X().Focused(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			top, err := d.X().At(t.Context(), at)
			return err == nil && focused == id && top == id
		})
	}
	launch(t, d, AppSpec{Path: xterm, Args: []string{"-class", "Behind", "-geometry", "100x40"}})
	behind := shown(t, d, "Behind")
	over := launch(t, d, AppSpec{Path: xterm, Args: []string{"-class", "Over", "-geometry", "20x5"}})
	front := shown(t, d, "Over")
	corner := x11.Point{X: 5, Y: 5}
	has("the new window is in front", front.ID, corner)
	in, why := d.Injector()
	if in == nil {
		t.Fatal(why)
	}
	click := func(at x11.Point) {
		t.Helper()
		if err := in.Click(t.Context(), at, x11.ClickOpts{}); err != nil {
			t.Fatal(err)
		}
	}
	click(x11.Point{X: behind.Geometry.W - 5, Y: behind.Geometry.H - 5})
	has("the one behind came to the front", behind.ID, corner)
	if err := proc.Signal(over.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	launch(t, d, AppSpec{Path: xterm, Args: []string{"-class", "Third", "-geometry", "20x5", "-e", "sleep", "1000"}})
	third := shown(t, d, "Third")
	has("the third is in front", third.ID, corner)
	if _, err := d.X().CloseWindow(t.Context(), third.ID); err != nil {
		t.Fatal(err)
	}
	has("the focus came back", behind.ID, corner)
}

// TestXpraIsMissing: a display that cannot have xpra is a plain one, and says
// what is missing.
func TestXpraIsMissing(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	// An interpreter without the packages that were added to it, and so without PIL.
	bare := filepath.Join(dir, "xpra")
	need.Script(t, bare, "#!"+need.SystemPython+" -S\nimport sys\nsys.exit('started')\n")
	for program, pkg := range map[string]string{filepath.Join(dir, "nothing"): "package xpra", bare: "python3-pil"} {
		d := begin(t, Config{Rung: RungXpra, Xpra: program})
		if rung, why := d.Rung(); rung != RungPlain || !strings.Contains(why, pkg) {
			t.Errorf("%s: %s, because %q", program, rung, why)
		}
		if _, ok := d.WM().(*x11.WM); !ok {
			t.Errorf("%s: %T manages the windows", program, d.WM())
		}
		if _, err := d.Viewer(t.Context()); !errors.Is(err, ErrNoXpra) || !strings.Contains(err.Error(), pkg) {
			t.Errorf("%s: a viewer: %v", program, err)
		}
		if _, err := d.Attach(t.Context(), "v", nil); !errors.Is(err, ErrNotXpra) {
			t.Errorf("%s: attached: %v", program, err)
		}
	}
}

// TestXpraEnds: when xpra is killed its windows go on under our own window
// manager, where they were, pinned as they were, and the display says so.
func TestXpraEnds(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := onXpra(t)
	app := launch(t, d, AppSpec{Path: xterm, Args: []string{"-e", "sh", "-c", "printf kept; exec sleep 1000"}})
	w := shown(t, d, "XTerm")
	if got, err := d.WM().Pin(t.Context(), w.ID, 700, 500); err != nil || !got.Exact() {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := proc.Signal(process(t, d, WhatXpra), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "it is a plain display", func() bool {
		rung, why := d.Rung()
		return rung == RungPlain && strings.Contains(why, "xpra ended")
	})
	if again := shown(t, d, "XTerm"); again.ID != w.ID {
		t.Errorf("it was %#x and is %#x", w.ID, again.ID)
	}
	until(t, "it has its size and place", func() bool {
		now, err := d.X().Window(t.Context(), w.ID)
		return err == nil && now.Geometry == x11.Rect{W: 700, H: 500}
	})
	if _, err := d.X().Painted(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
	if _, over := app.Exit(); over {
		t.Error("the application ended with xpra")
	}
	select {
	case <-d.Done():
		t.Errorf("the display is dead: %s", d.Why())
	default:
	}
	until(t, "the record says so", func() bool {
		r, err := readRecord(d.at)
		text, _ := os.ReadFile(d.at.recordFile())
		return err == nil && r.Rung == string(RungPlain) && r.RungWhy != "" && !bytes.Contains(text, []byte(`"what": "xpra"`))
	})
}

// TestXpraIsAdopted: the daemon after the one that died is xpra's client again;
// where xpra was stopped meanwhile the display goes on without it.
func TestXpraIsAdopted(t *testing.T) {
	t.Parallel()
	need.Xpra(t)
	dir := need.Dir(t)
	records := orphanedOn(t, dir, RungXpra)
	for i, want := range []Rung{RungXpra, RungPlain} {
		o := orphan(t, dir, records[i].ID)
		if records[i].Rung != string(RungXpra) || !o.xpra().Alive() {
			t.Fatalf("the record: %+v", records[i])
		}
		if want == RungPlain {
			if err := proc.Signal(o.xpra(), syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			until(t, "xpra is stopped", func() bool {
				table, err := proc.Processes()
				return err == nil && table[o.xpra().PID].State == 'T'
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		d, err := o.Adopt(ctx, Config{RuntimeDir: dir, Inject: true}, Size{})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { finish(t, d) })
		if rung, why := d.Rung(); rung != want || (why == "") != (want == RungXpra) {
			t.Errorf("%s: %s, because %q", o.ID, rung, why)
		}
		launch(t, d, AppSpec{Path: need.Xterm(t)})
		w := shown(t, d, "XTerm")
		if _, err := d.WM().Pin(t.Context(), w.ID, 600, 400); err != nil && !errors.Is(err, x11.ErrNoWindow) {
			t.Error(err)
		}
	}
}

// TestMove: a display goes plain, xpra and plain again while its application runs:
// the window is the same one, shown and written to on each.
func TestMove(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	need.Xpra(t)
	d := begin(t, Config{Inject: true})
	file := filepath.Join(need.Dir(t), "typed")
	app := launch(t, d, AppSpec{Path: xterm, Args: []string{"-e", "sh", "-c", "cat > " + file}})
	w := shown(t, d, "XTerm")
	in, why := d.Injector()
	if in == nil {
		t.Fatal(why)
	}
	typed := ""
	write := func(text string) {
		t.Helper()
		until(t, "it has the focus", func() bool {
			id, err := d.X().Focused(t.Context())
			return err == nil && id == w.ID
		})
		// Xpra moves the focus once more after it has come: what is typed in that
		// moment is nobody's, and is typed again. What was there stays.
		until(t, "it is typed", func() bool {
			if _, err := in.Text(t.Context(), text+"\n", x11.TextOpts{}); err != nil {
				t.Fatal(err)
			}
			for range 30 {
				got, _ := os.ReadFile(file)
				if s := string(got); strings.HasPrefix(s, typed) && strings.HasSuffix(s, text+"\n") {
					typed = s
					return true
				}
				time.Sleep(100 * time.Millisecond)
			}
			return false
		})
	}
	write("on its own")
	for _, to := range []Rung{RungXpra, RungXpra, RungPlain} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err := d.Move(ctx, to)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if rung, why := d.Rung(); rung != to || why != "" {
			t.Errorf("moved to %s it is on %s: %s", to, rung, why)
		}
		if again := shown(t, d, "XTerm"); again.ID != w.ID {
			t.Errorf("%s: it was %#x and is %#x", to, w.ID, again.ID)
		}
		write("on " + string(to))
		if got, err := d.WM().Pin(t.Context(), w.ID, 700, 500); err != nil || !got.Exact() {
			t.Errorf("%s: %+v, %v", to, got, err)
		}
		if err := d.WM().Unpin(t.Context(), w.ID); err != nil {
			t.Error(err)
		}
		if r, err := readRecord(d.at); err != nil || r.Rung != string(to) {
			t.Errorf("the record: %+v, %v", r, err)
		}
	}
	if _, over := app.Exit(); over {
		t.Error("the application ended")
	}
	select {
	case <-d.Done():
		t.Errorf("the display is dead: %s", d.Why())
	default:
	}
}

// TestXpraEndsWhileTheServerStands: an X server that was stopped for longer than our
// own window manager is waited for costs nothing: it takes the windows once the
// server goes on.
func TestXpraEndsWhileTheServerStands(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	need.Xpra(t)
	failed := make(chan struct{})
	d := begin(t, Config{Rung: RungXpra, Log: slog.New(told{text: "no window manager took xpra's place", once: sync.OnceFunc(func() { close(failed) })})})
	app := launch(t, d, AppSpec{Path: xterm, Args: []string{"-e", "sleep", "1000"}})
	w := shown(t, d, "XTerm")
	server := process(t, d, WhatServer)
	if err := proc.Signal(server, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := proc.Signal(process(t, d, WhatXpra), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-failed:
	case <-d.Done():
		t.Fatalf("the display is dead: %s", d.Why())
	case <-time.After(patience):
		t.Fatal("nobody tried to take xpra's place")
	}
	if err := proc.Signal(server, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "it is a plain display", func() bool { rung, _ := d.Rung(); return rung == RungPlain })
	if again := shown(t, d, "XTerm"); again.ID != w.ID {
		t.Errorf("it was %#x and is %#x", w.ID, again.ID)
	}
	if _, over := app.Exit(); over {
		t.Error("the application ended")
	}
	if closed(d.Done()) {
		t.Errorf("the display is dead: %s", d.Why())
	}
}

// told is a log that says when a line was written to it.
type told struct {
	text string
	once func()
}

func (told) Enabled(context.Context, slog.Level) bool { return true }
func (h told) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h told) WithGroup(string) slog.Handler          { return h }
func (h told) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.text {
		h.once()
	}
	return nil
}

// TestEndDuringAMove: a display that is ended while xpra is put on it is ended at
// once and whole: the move gives up, and leaves nothing behind the end.
func TestEndDuringAMove(t *testing.T) {
	t.Parallel()
	need.Xpra(t)
	never := filepath.Join(need.Dir(t), "xpra")
	need.Script(t, never, "#!"+need.SystemPython+"\nimport time\ntime.sleep(1000)\n")
	d := begin(t, Config{Xpra: never})
	moved := make(chan error, 1)
	go func() { moved <- d.Move(context.Background(), RungXpra) }()
	until(t, "xpra is started", func() bool {
		for _, p := range d.find.recorded() {
			if p.What == WhatXpra {
				return true
			}
		}
		return false
	})
	finish(t, d)
	if err := <-moved; !errors.Is(err, ErrDead) {
		t.Errorf("the move ended with %v", err)
	}
	if left := leftOf(d); len(left) > 0 {
		t.Errorf("left behind the end: %s", strings.Join(left, ", "))
	}
	if err := d.Move(t.Context(), RungXpra); !errors.Is(err, ErrDead) {
		t.Errorf("a move after the end: %v", err)
	}
}

// TestXpraMenuTakesNoFocusAlong: a menu that has the keyboard focus and goes leaves
// it to the window that was used last.
func TestXpraMenuTakesNoFocusAlong(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	python := need.GTK3(t)
	d := onXpra(t)
	has := func(what string, ok func(x11.WindowID) bool) {
		t.Helper()
		until(t, what, func() bool {
			id, err := d.X().Focused(t.Context())
			return err == nil && ok(id)
		})
	}
	launch(t, d, AppSpec{Path: xterm, Args: []string{"-e", "sleep", "1000"}})
	w := shown(t, d, "XTerm")
	has("the window has the focus", func(id x11.WindowID) bool { return id == w.ID })
	menu := launch(t, d, AppSpec{Path: python, Args: []string{"-c", `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
w = Gtk.Window(type=Gtk.WindowType.POPUP)
w.set_default_size(50, 50)
w.show_all()
Gtk.main()
`}})
	var popup x11.WindowID
	until(t, "the menu is shown", func() bool {
		tops, err := d.X().TopLevels(t.Context())
		for _, o := range tops {
			if o.Viewable && o.OverrideRedirect && o.PID == menu.PID() {
				popup = o.ID
			}
		}
		return err == nil && popup != 0
	})
	has("the menu has the focus", func(id x11.WindowID) bool {
		if id != popup {
			if err := d.X().OfferFocus(t.Context(), popup); err != nil {
				t.Fatal(err)
			}
		}
		return id == popup
	})
	if err := proc.Signal(menu.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	has("the window has it again", func(id x11.WindowID) bool { return id == w.ID })
}

// TestXpraTitlesAreFollowed: who comes to a display that xpra has put its windows
// into frames of, as the next daemon does, is told of their new titles.
func TestXpraTitlesAreFollowed(t *testing.T) {
	t.Parallel()
	xterm := need.Xterm(t)
	d := onXpra(t)
	sign := filepath.Join(need.Dir(t), "sign")
	launch(t, d, AppSpec{Path: xterm, Args: []string{
		"-e", "sh", "-c", `while ! [ -e "$0" ]; do sleep 0.05; done; printf '\033]0;another\007'; exec sleep 1000`, sign,
	}})
	w := shown(t, d, "XTerm")
	late, err := x11.Dial(t.Context(), d.Number(), d.server.Cookie())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	late.SeeThrough(true)
	changes, err := late.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Close()
	if err := os.WriteFile(sign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	never := time.After(patience)
	for {
		select {
		case e, ok := <-changes.C:
			if !ok {
				t.Fatal("the watch ended")
			}
			if e.Change == x11.Retitled && e.Window == w.ID {
				return
			}
		case <-never:
			t.Fatal("nobody told of the new title")
		}
	}
}
