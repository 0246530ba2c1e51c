package daemontest

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/client"
)

// patience is how long a loaded machine may take for a step.
const patience = 90 * time.Second

var (
	ground = color.RGBA{R: 0x20, G: 0x40, B: 0x60, A: 0xff}
	red    = color.RGBA{R: 0xff, A: 0xff}
)

// painter opens the painting fixture for a session and gives its window.
func painter(t *testing.T, c *client.Client, size api.Size, args ...string) api.Window {
	t.Helper()
	a, err := c.Open(t.Context(), api.OpenRequest{
		Common: api.Common{TimeoutMs: 60000}, App: fixtures.Path(t, "painter.py"), Args: args, Size: &size, Mode: "pixels",
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.Window
}

// watcher reads a window's stream in steps.
type watcher struct {
	t *testing.T
	w *client.Watching
}

func watch(t *testing.T, c *client.Client, r api.WatchRequest) watcher {
	t.Helper()
	w, err := c.Watch(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return watcher{t, w}
}

// until reads, and acknowledges, until something is so.
func (w watcher) until(what string, is func(client.Seen) bool) client.Seen {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		s, err := w.w.Next(ctx)
		if err != nil {
			w.t.Fatalf("%s: %v", what, err)
		}
		if err := w.w.Took(ctx, s); err != nil {
			w.t.Fatalf("%s: %v", what, err)
		}
		if is(s) {
			return s
		}
	}
}

// picture waits for a picture whose pixel is of a colour.
func (w watcher) picture(x, y int, c color.RGBA) client.Seen {
	w.t.Helper()
	return w.until("a colour", func(s client.Seen) bool { return s.Picture != nil && s.Picture.RGBAAt(x, y) == c })
}

// silent says that nothing comes for a while, after what was on its way.
func (w watcher) silent() {
	w.t.Helper()
	quiet := func() (s client.Seen, silent bool) {
		ctx, cancel := context.WithTimeout(w.t.Context(), 300*time.Millisecond)
		defer cancel()
		s, err := w.w.Next(ctx)
		return s, err != nil
	}
	for end := time.Now().Add(patience); ; {
		s, silent := quiet()
		if silent {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("a still window goes on, with %+v of %v", s.Note, s.Changed)
		}
	}
}

// TestWatch: a watcher is told that the window is live, gets it whole, then what
// changed and no more, the act that changed it, another size when its pane has
// one, and the end.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, memory := range map[string]bool{"socket": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watchOnce(t, memory)
		})
	}
}

func watchOnce(t *testing.T, memory bool) {
	d := New(t)
	alice := d.Session("alice")
	win := painter(t, alice, api.Size{W: 640, H: 480})
	w := watch(t, d.Owner(), api.WatchRequest{Handle: win.Handle, Pane: api.Size{W: 320, H: 400}, Memory: memory})
	small := watch(t, d.Owner(), api.WatchRequest{Handle: win.Handle, Pane: api.Size{W: 64, H: 64}, Rate: 5})
	w.until("live", func(s client.Seen) bool { return s.Note != nil && s.Note.State == "live" })
	s := w.picture(100, 100, ground)
	if s.Shared != memory {
		t.Errorf("the pixels came through shared memory: %v", s.Shared)
	}
	if s.Picture.Rect.Dx() != 320 || s.Picture.Rect.Dy() != 240 || (s.Source != api.Size{W: 640, H: 480}) {
		t.Errorf("a picture of %v of a window of %v", s.Picture.Rect, s.Source)
	}
	if got := small.picture(5, 5, ground).Picture.Rect; got != image.Rect(0, 0, 64, 48) {
		t.Errorf("the small picture is %v", got)
	}
	// The first square ends the beginning, in which the whole may come twice.
	for _, x := range []int{400, 200} {
		if x == 200 {
			w.picture(200, 50, red)
		}
		if _, err := alice.Click(t.Context(), api.ClickRequest{Act: api.Act{Handle: win.Handle}, At: &api.Point{X: x, Y: 100}}); err != nil {
			t.Fatal(err)
		}
	}
	told := false
	for seen := false; !seen || !told; {
		w.until("the square and who painted it", func(s client.Seen) bool {
			if s.Note != nil && s.Note.Act != nil && s.Note.Act.Did.At != nil && s.Note.Act.Did.At.X == 200 {
				told = true
				if a := s.Note.Act; a.Session != "alice" || a.Did.Verb != "click" || a.Did.At == nil || *a.Did.At != (api.Point{X: 200, Y: 100}) || a.Verdict != "ok" {
					t.Errorf("the act is told as %+v", a)
				}
			}
			if s.Picture != nil && s.Picture.RGBAAt(100, 50) == red {
				seen = true
				for _, r := range s.Changed {
					if !r.In(image.Rect(90, 40, 110, 60)) {
						t.Errorf("a square at 100,50 changed %v (key %v)", r, s.Key)
					}
				}
			}
			return true
		})
	}
	small.picture(20, 10, red)
	if err := w.w.Resize(t.Context(), api.Size{W: 2000, H: 2000}); err != nil {
		t.Fatal(err)
	}
	if s := w.picture(200, 100, red); !s.Key || s.Picture.Rect.Dx() != 640 {
		t.Errorf("in a larger pane it is %v, key %v", s.Picture.Rect, s.Key)
	}
	if _, err := d.Owner().PersonStop(t.Context(), api.HandleRequest{Handle: win.Handle}); err != nil {
		t.Fatal(err)
	}
	end := w.until("the end", func(s client.Seen) bool { return s.Note != nil && s.Note.State == "ended" })
	if end.Note.Ended == nil || end.Note.Ended.Why == "" {
		t.Errorf("it ended without a reason: %+v", end.Note)
	}
	if _, err := w.w.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// TestStillWindowIsSilent: what does not paint sends nothing, and a viewer that
// acknowledges nothing gets two frames and no third, then the newest.
func TestStillWindowIsSilent(t *testing.T) {
	t.Parallel()
	d := New(t)
	alice := d.Session("alice")
	win := painter(t, alice, api.Size{W: 640, H: 480})
	click := func(x, y int) {
		t.Helper()
		_, err := alice.Click(t.Context(), api.ClickRequest{Act: api.Act{Handle: win.Handle, NoObserve: true}, At: &api.Point{X: x, Y: y}})
		if err != nil {
			t.Fatal(err)
		}
	}
	fast := watch(t, d.Owner(), api.WatchRequest{Handle: win.Handle})
	fast.picture(5, 5, ground)
	slow := watch(t, d.Owner(), api.WatchRequest{Handle: win.Handle})
	var frames []client.Seen
	next := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for {
			s, err := slow.w.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if s.Picture != nil {
				frames = append(frames, s)
				return
			}
		}
	}
	next()
	click(50, 50)
	fast.picture(50, 50, red)
	next()
	for x := 100; x < 600; x += 50 {
		click(x, 50)
		fast.picture(x, 50, red)
	}
	// The slow one took two and has said nothing: nothing more may come to it.
	// What comes after its word is one frame, as things are then.
	if err := slow.w.Took(t.Context(), frames[1]); err != nil {
		t.Fatal(err)
	}
	next()
	if got := frames[2].Picture; got.RGBAAt(100, 50) != red || got.RGBAAt(550, 50) != red {
		t.Error("the third frame is not the newest")
	}
	fast.silent()
}

// TestWatchIsThePersons: no session may, and what does not exist is said so.
func TestWatchIsThePersons(t *testing.T) {
	t.Parallel()
	d := New(t)
	if _, err := d.Session("alice").Watch(t.Context(), api.WatchRequest{Handle: "w1"}); api.CodeOf(err) != api.OwnerOnly {
		t.Errorf("a session: %v", err)
	}
	if _, err := d.Session("alice").Follow(t.Context()); api.CodeOf(err) != api.OwnerOnly {
		t.Errorf("a session follows: %v", err)
	}
	for _, c := range []struct {
		r    api.WatchRequest
		code api.Code
	}{
		{api.WatchRequest{Handle: "w99"}, api.NotExposed},
		{api.WatchRequest{Handle: "w99", Rate: 500}, api.BadRequest},
		{api.WatchRequest{Handle: "w99", Pane: api.Size{W: -1, H: 2}}, api.BadSize},
	} {
		w, err := d.Owner().Watch(t.Context(), c.r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Next(t.Context()); api.CodeOf(err) != c.code {
			t.Errorf("%+v: %v", c.r, err)
		}
		w.Close()
	}
}

// TestFollow: the windows as they are, and again when one opens and ends.
func TestFollow(t *testing.T) {
	t.Parallel()
	d := New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	f, err := d.Owner().Follow(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, err := f.Next(ctx)
	if err != nil || !first.OK || len(first.Windows) != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	alice := d.Session("alice")
	win := painter(t, alice, api.Size{W: 640, H: 480})
	state := func(want string) api.Window {
		t.Helper()
		for {
			e, err := f.Next(ctx)
			if err != nil {
				t.Fatalf("waiting for %s: %v", want, err)
			}
			if len(e.Windows) == 1 && e.Windows[0].State == want && (want != "ready" || e.Windows[0].Holder != nil) {
				return e.Windows[0]
			}
		}
	}
	if got := state("ready"); got.Handle != win.Handle || *got.Holder != "alice" {
		t.Errorf("%+v", got)
	}
	d.Token("bob")
	if _, err := d.Owner().Share(ctx, api.ShareRequest{Handle: win.Handle, With: "session:bob", Mode: "pixels"}); err != nil {
		t.Fatal(err)
	}
	for shared := false; !shared; {
		e, err := f.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for the share: %v", err)
		}
		for _, s := range e.Windows[0].Shares {
			shared = shared || s.With == "session:bob" && s.Mode == "pixels"
		}
	}
	if _, err := alice.Stop(ctx, api.HandleRequest{Handle: win.Handle}); err != nil {
		t.Fatal(err)
	}
	if got := state("ended"); got.Ended == nil {
		t.Errorf("%+v", got)
	}
}

// TestAttachHereIsThePersons: no session may show a window on a desktop, and what
// cannot be is said before a viewer is started.
func TestAttachHereIsThePersons(t *testing.T) {
	t.Parallel()
	d := New(t)
	for _, row := range []struct {
		c    *client.Client
		r    api.AttachRequest
		code api.Code
	}{
		{d.Session("alice"), api.AttachRequest{Handle: "w1", Desktop: ":0"}, api.OwnerOnly},
		{d.Owner(), api.AttachRequest{Handle: "w99", Desktop: ":0"}, api.NotExposed},
		{d.Owner(), api.AttachRequest{Handle: "w99"}, api.BadRequest},
		{d.Owner(), api.AttachRequest{Common: api.Common{TimeoutMs: -1}, Handle: "w99", Desktop: ":0"}, api.BadRequest},
	} {
		if _, err := row.c.AttachHere(t.Context(), row.r); api.CodeOf(err) != row.code {
			t.Errorf("%+v: %v", row.r, err)
		}
	}
}
