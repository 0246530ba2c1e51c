package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
	"vibespace/internal/proc"
	"vibespace/x11/xvfb"
)

func TestDialRefusesBadDisplays(t *testing.T) {
	t.Parallel()
	for _, display := range []string{"", "101", ":", ":x", ":-1", "host:101", "tcp/host:1"} {
		if c, err := Dial(within(t), display, nil); err == nil || c != nil {
			t.Errorf("Dial(%q) gave %v", display, err)
		}
	}
	if _, err := Dial(within(t), ":99999", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no server: %v", err)
	}
}

// The library loses an error it has no name for and the caller waits for ever;
// it also keeps one table of numbers for all servers of the process.
func TestExtensionErrorsAndEventsArrive(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	err := s.do(within(t), func(x *xgb.Conn) error {
		_, err := randr.GetCrtcInfo(x, 12345, 0).Reply()
		return err
	})
	var bad randr.BadCrtcError
	if !errors.As(err, &bad) {
		t.Errorf("an unknown crtc: %T %v", err, err)
	}
	sub := s.subscribe(func(ev xgb.Event) bool { _, ok := ev.(damage.NotifyEvent); return ok }, 8)
	defer sub.close()
	id := s.open(s.Conn, frame{Rect: Rect{0, 0, 50, 50}})
	err = s.do(within(t), func(x *xgb.Conn) error {
		d, err := damage.NewDamageId(x)
		if err != nil {
			return err
		}
		if err := damage.CreateChecked(x, d, xproto.Drawable(id), damage.ReportLevelNonEmpty).Check(); err != nil {
			return err
		}
		return xproto.ClearAreaChecked(x, false, xproto.Window(id), 0, 0, 10, 10).Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case ev := <-sub.C:
		if n := ev.(damage.NotifyEvent); n.Drawable != xproto.Drawable(id) {
			t.Errorf("damage of %#x", n.Drawable)
		}
	case <-time.After(patience):
		t.Error("no damage event")
	}
}

// A server that dies is the end of its own connection: no panic, no wait, no
// spin, nothing left.
func TestServerDies(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]func(*Conn) error{
		"idle":      func(c *Conn) error { <-c.Done(); return c.Sync(context.Background()) },
		"in flight": func(c *Conn) error { return flood(c, c.Sync) },
		"reading": func(c *Conn) error {
			return flood(c, func(ctx context.Context) error { _, err := c.TopLevels(ctx); return err })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if err := busy(s.Conn); !errors.Is(err, ErrGone) {
						t.Errorf("%v, want %v", err, ErrGone)
					}
				})
			}
			if err := proc.Signal(s.server.Ident(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			wg.Wait()
			<-s.Done()
			if _, err := s.Focused(within(t)); !errors.Is(err, ErrGone) {
				t.Errorf("a call afterwards: %v", err)
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
}

// Round after round, nothing of a dead server stays: no goroutine, no open file.
// It runs beside no other test, so that what it counts is its own.
func TestServersDieOverAndOver(t *testing.T) {
	need.Xvfb(t)
	round := func() {
		server, err := xvfb.Start(within(t), xvfb.Config{Dir: need.Dir(t), NoGL: true, Screen: xvfb.Size{W: 640, H: 480}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Dial(within(t), server.Display(), server.Cookie())
		if err != nil {
			t.Fatal(err)
		}
		m, err := StartWM(within(t), c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Watch(within(t))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _ = flood(c, c.Sync) })
		if err := proc.Signal(server.Ident(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if err := errors.Join(m.Close(), c.Close(), server.Stop(within(t))); err != nil {
			t.Fatal(err)
		}
	}
	round()
	files, routines := descriptors(t), runtime.NumGoroutine()
	const rounds = 20
	for range rounds {
		round()
	}
	// Some belong to whatever looks for leftovers meanwhile.
	if now := descriptors(t); now > files+rounds/2 {
		t.Errorf("%d open files, %d before", now, files)
	}
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > routines && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > routines {
		t.Errorf("%d goroutines, %d before", now, routines)
	}
}

// flood calls f until it fails.
func flood(c *Conn, f func(context.Context) error) error {
	for {
		if err := f(context.Background()); err != nil {
			return err
		}
	}
}

// A stopped server answers nothing: calls end with their context, a few at a
// time hold a goroutine, and all goes on when it continues. It runs beside no other
// test, so that what it counts is its own.
func TestServerStops(t *testing.T) {
	s := newScreen(t)
	stopped := s.dial()
	if err := proc.Signal(s.server.Ident(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for range 3 * maxInFlight {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			if err := s.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a call to a stopped server: %v", err)
			}
		})
	}
	wg.Wait()
	if grown := runtime.NumGoroutine() - before; grown > 2*maxInFlight {
		t.Errorf("%d goroutines more", grown)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if c, err := Dial(ctx, s.server.Display(), s.server.Cookie()); !errors.Is(err, context.DeadlineExceeded) || c != nil {
		t.Errorf("Dial of a stopped server: %v", err)
	}
	if err := stopped.Close(); err != nil {
		t.Errorf("close while stopped: %v", err)
	}
	if err := proc.Signal(s.server.Ident(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(within(t)); err != nil {
		t.Errorf("after it continued: %v", err)
	}
}

// The buffer of a stopped server's socket fills, and then even sending blocks.
func TestServerStopsUnderLoad(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	id := s.create(s.Conn, frame{Rect: Rect{0, 0, 10, 10}})
	if err := proc.Signal(s.server.Ident(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	big := make([]byte, 200<<10)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	err := s.do(ctx, func(x *xgb.Conn) error {
		for range 100 {
			xproto.ChangeProperty(x, xproto.PropModeReplace, xproto.Window(id), xproto.AtomWmName, xproto.AtomString, 8, uint32(len(big)), big)
		}
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("sending to a stopped server: %v", err)
	}
	if err := proc.Signal(s.server.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(within(t)); !errors.Is(err, ErrGone) {
		t.Errorf("after it died: %v", err)
	}
}

func TestConnectionsComeAndGo(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	before := descriptors(t)
	for range 50 {
		c, err := Dial(within(t), s.server.Display(), s.server.Cookie())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Sync(within(t)), c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	// Other tests run beside this one and open files of their own, for a while.
	s.until("no more than 45 open files more after 50 connections", func() bool { return descriptors(t)-before <= 45 })
}

// A consumer that stands still loses events, knows it, and harms nobody.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	all := func(ev xgb.Event) bool { // the window that the test makes tells its own maker, too
		v, ok := ev.(xproto.ConfigureNotifyEvent)
		return ok && v.Event == s.root
	}
	slow, quick := s.subscribe(all, 4), s.subscribe(all, 1000)
	id := s.create(s.Conn, frame{Rect: Rect{0, 0, 10, 10}})
	const n = 200
	for i := range n {
		if err := s.Move(within(t), id, Point{i + 1, 0}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		select {
		case ev := <-quick.C:
			if got := ev.(xproto.ConfigureNotifyEvent).X; int(got) != i+1 {
				t.Fatalf("event %d says x=%d", i, got)
			}
		case <-time.After(patience):
			t.Fatal("an event is missing")
		}
	}
	// Who subscribes waits until the last event is handed out to everybody.
	s.subscribe(all, 1).close()
	if !slow.lost() || slow.lost() || quick.lost() {
		t.Error("what was lost is not told once, to the slow one alone")
	}
	if len(slow.C) != 4 {
		t.Errorf("%d events in a queue of 4", len(slow.C))
	}
}

// A subscription ends when it is closed and with the connection, whichever is
// first, and there is none after that.
func TestSubscriptionEnds(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	all := func(xgb.Event) bool { return true }
	closed, open := s.subscribe(all, 1), s.subscribe(all, 1)
	closed.close()
	closed.close()
	if _, ok := <-closed.C; ok {
		t.Error("closed and open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, sub := range map[string]*subscription{"made before the end": open, "made after it": s.subscribe(all, 1)} {
		if _, ok := <-sub.C; ok {
			t.Errorf("%s: open", name)
		}
		sub.close()
	}
}

func TestIdentifiersAreReused(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	seen := map[uint32]bool{}
	for range 100 {
		id, err := s.ids.take(s.x)
		if err != nil {
			t.Fatal(err)
		}
		seen[id] = true
		s.ids.give(id)
	}
	if len(seen) != 1 {
		t.Errorf("%d identifiers for one at a time", len(seen))
	}
}

// Text in any script is typed on keycodes nobody uses: a display needs many.
func TestSpareKeycodes(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	low, high := s.setup.MinKeycode, s.setup.MaxKeycode
	keys, err := call(within(t), s.Conn, func(x *xgb.Conn) (*xproto.GetKeyboardMappingReply, error) {
		return xproto.GetKeyboardMapping(x, low, byte(high-low+1)).Reply()
	})
	if err != nil {
		t.Fatal(err)
	}
	per := int(keys.KeysymsPerKeycode)
	spare := 0
	have := map[xproto.Keysym]bool{}
	for row := range slices.Chunk(keys.Keysyms, per) {
		if !slices.ContainsFunc(row, func(k xproto.Keysym) bool { return k != 0 }) {
			spare++
		}
		for _, k := range row {
			have[k] = true
		}
	}
	t.Logf("%d of %d keycodes are free", spare, len(keys.Keysyms)/per)
	if spare < 100 {
		t.Errorf("%d free keycodes, want 100", spare)
	}
	for k := xproto.Keysym(' '); k <= '~'; k++ {
		if !have[k] {
			t.Errorf("no key for %q", rune(k))
		}
	}
	for _, k := range []xproto.Keysym{0xff0d, 0xff08, 0xff09, 0xff1b, 0xffff, 0xff50, 0xff57, 0xff51, 0xff54, 0xffbe, 0xffc9, 0xffe1, 0xffe3, 0xffe9, 0xffeb, 0xff55, 0xff56, 0xff63, 0xff67} {
		if !have[k] {
			t.Errorf("no key for keysym %#x", k)
		}
	}
}

// The cookie in the environment belongs to somebody else's display.
func TestEnvironmentIsNotRead(t *testing.T) {
	s := newScreen(t)
	t.Setenv("DISPLAY", ":4242")
	t.Setenv("XAUTHORITY", "/nonexistent")
	c, err := Dial(within(t), s.server.Display(), s.server.Cookie())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkDial(b *testing.B) {
	s := newScreen(b)
	for b.Loop() {
		c, err := Dial(within(b), s.server.Display(), s.server.Cookie())
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTopLevels(b *testing.B) {
	for _, n := range []int{5, 20, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newScreen(b)
			for i := range n { // applications show one window in four or five of theirs
				id := s.create(s.Conn, frame{Rect: Rect{0, 0, 10, 10}, title: "a window", deletes: true})
				if i%4 == 0 {
					s.show(s.Conn, id)
				}
			}
			ctx := within(b)
			for b.Loop() {
				if windows, err := s.TopLevels(ctx); err != nil || len(windows) != n {
					b.Fatal(len(windows), err)
				}
			}
		})
	}
}
