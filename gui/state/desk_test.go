package state

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/daemon/daemontest"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// patience is how long a loaded machine may take for a step.
const patience = 90 * time.Second

// followed runs a desk until the test ends; heard tells of its changes.
func followed(t *testing.T, d *daemontest.Daemon, starter *client.Client) (desk *Desk, heard chan struct{}) {
	t.Helper()
	desk, heard = NewDesk(d.Owner(), starter, "me"), make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		desk.Run(ctx, func() {
			select {
			case heard <- struct{}{}:
			default:
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return desk, heard
}

// TestDesk: against a real daemon and a real window, the desk hears of it, shows
// it live, takes it over, sends what the person does, hands it back, and hears
// of its end.
func TestDesk(t *testing.T) {
	t.Parallel()
	d := daemontest.New(t)
	desk, heard := followed(t, d, nil)
	until := func(what string, is func([]api.Window) bool) api.Window {
		t.Helper()
		late := time.After(patience)
		for {
			if list, known, _ := desk.Windows(); known && is(list) {
				if len(list) == 0 {
					return api.Window{}
				}
				return list[0]
			}
			select {
			case <-heard:
			case <-late:
				t.Fatalf("%s: it did not come", what)
			}
		}
	}
	until("nothing", func(l []api.Window) bool { return len(l) == 0 })
	opened, err := desk.Launch(t.Context(), fixtures.Path(t, "painter.py"), "")
	if err != nil {
		t.Fatal(err)
	}
	w := until("ready", func(l []api.Window) bool { return len(l) == 1 && l[0].State == "ready" })
	if w.Handle != opened.Handle || ControlOf(w, desk.Viewer()) != Watched {
		t.Errorf("it is heard of as %+v", w)
	}
	live := desk.Live(w.Handle, api.Size{W: 320, H: 320}, 0)
	news := make(chan struct{}, 1)
	go live.Run(t.Context(), func() {
		select {
		case news <- struct{}{}:
		default:
		}
	})
	pixel := func(what string, x, y int, red bool) {
		t.Helper()
		late := time.After(patience)
		for {
			if img := live.Draw(nil); img != nil {
				if c := img.RGBAAt(x, y); (c.R == 0xff && c.G == 0) == red && c.A == 0xff {
					return
				}
			}
			select {
			case <-news:
			case <-late:
				t.Fatalf("%s: pixel %d,%d did not come", what, x, y)
			}
		}
	}
	pixel("the window", 100, 60, false)
	if _, err := desk.TakeOver(t.Context(), w.Handle, "us"); err != nil {
		t.Fatal(err)
	}
	until("driving", func(l []api.Window) bool { return ControlOf(l[0], desk.Viewer()) == Driving })
	sender := desk.Sender(w.Handle, func(err error) { t.Errorf("it was not sent: %v", err) })
	var input Input
	at := api.Point{X: 200, Y: 120}
	sender.Send(append(input.Move(at), append(input.Down("left", at), input.Up("left", at)...)...))
	pixel("what the click painted", 100, 60, true)
	if _, err := desk.HandBack(t.Context(), w.Handle, "done"); err != nil {
		t.Fatal(err)
	}
	until("handed back", func(l []api.Window) bool { return ControlOf(l[0], desk.Viewer()) == Watched })
	if rows, err := desk.Trace(t.Context(), w.Handle); err != nil {
		t.Errorf("its trace of %d: %v", len(rows), err)
	}
	if err := desk.Stop(t.Context(), w.Handle); err != nil {
		t.Fatal(err)
	}
	if w := until("ended", func(l []api.Window) bool { return l[0].Ended != nil }); ControlOf(w, desk.Viewer()) != Gone {
		t.Errorf("ended, it is %+v", w)
	}
}

// TestDeskStartsNothing: a daemon that was ended stays ended while the desk
// looks for it; one is started at first and when the person says so.
func TestDeskStartsNothing(t *testing.T) {
	t.Parallel()
	d := daemontest.New(t)
	started := filepath.Join(t.TempDir(), "started")
	program := started + ".sh"
	need.Script(t, program, "#!/bin/sh\necho >>"+started+"\n")
	starter := client.New(client.Config{Paths: d.Paths, Version: "test", Owner: true, Daemon: program})
	t.Cleanup(func() { starter.Close() })
	desk, heard := followed(t, d, starter)
	until := func(what string, is func() bool) {
		t.Helper()
		for late := time.After(patience); !is(); {
			select {
			case <-heard:
			case <-late:
				t.Fatalf("%s: it did not come", what)
			}
		}
	}
	until("heard", func() bool { _, known, _ := desk.Windows(); return known })
	if away, ended, startable := desk.Away(); away || ended || startable {
		t.Error("it is away while it is heard")
	}
	d.Down()
	until("ended", func() bool { _, ended, startable := desk.Away(); return ended && startable })
	for range 3 { // three looks
		<-heard
	}
	if _, err := os.Stat(started); err == nil {
		t.Fatal("looking started a daemon")
	}
	if err := desk.Start(t.Context()); err == nil {
		t.Error("a program that is no daemon was started as one")
	}
	if _, err := os.Stat(started); err != nil {
		t.Errorf("the person's word started nothing: %v", err)
	}
	daemontest.At(t, d.Paths)
	until("heard again", func() bool { _, known, _ := desk.Windows(); away, _, _ := desk.Away(); return known && !away })
}
