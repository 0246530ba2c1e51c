package target

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	rig "vibespace/internal/need"
	"vibespace/internal/reach"
	"vibespace/internal/store"
	"vibespace/x11"
)

// desk is an engine with one fixture open, held by session a.
type desk struct {
	t   *testing.T
	e   *Engine
	c   api.Caller
	h   api.Handle
	log *fixtures.Journal
}

// openDesk opens the fixture on an engine of its own.
func openDesk(t *testing.T, cfg Config) *desk {
	t.Helper()
	rig.Display(t)
	dir := rig.Dir(t)
	cfg.RuntimeDir, cfg.StateDir, cfg.Inject = filepath.Join(dir, "r"), filepath.Join(dir, "s"), true
	for _, made := range []string{cfg.RuntimeDir, cfg.StateDir} {
		must(t, store.PrivateDir(made))
	}
	var err error
	cfg.Store, err = store.Open(cfg.StateDir)
	must(t, err)
	cfg.Reach, err = reach.Open(t.Context(), cfg.Store, reach.Config{})
	must(t, err)
	cfg.Leases, err = lease.Open(t.Context(), cfg.Store, lease.Config{})
	must(t, err)
	cfg.Audit, err = audit.Open(t.Context(), cfg.Store, audit.Config{})
	must(t, err)
	_, err = cfg.Reach.New(t.Context(), "a", "")
	must(t, err)
	d := &desk{t: t, c: api.Caller{Session: "a"}}
	d.e, err = New(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		defer cancel()
		must(t, d.e.Shutdown(ctx))
		must(t, cfg.Store.Close())
	})
	path := filepath.Join(dir, "journal")
	d.log = fixtures.Log(t, path)
	a, err := d.e.Open(d.bound(), d.c, api.OpenRequest{App: fixtures.Path(t, "gtk3.py"), Env: []string{fixtures.LogVariable + "=" + path}})
	must(t, err)
	d.h = a.Window.Handle
	d.log.Wait(t, fixtures.Is("ready"), 60*time.Second)
	return d
}

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bound is the time of one verb.
func (d *desk) bound() context.Context {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 90*time.Second)
	d.t.Cleanup(cancel)
	return ctx
}

// ref is the ref of the control of a name, told anew.
func (d *desk) ref(name string) api.Ref {
	d.t.Helper()
	snap, err := d.e.Snapshot(d.bound(), d.c, api.SnapshotRequest{Handle: d.h, All: true})
	must(d.t, err)
	for _, n := range snap.Nodes {
		if n.Name == name && n.Role != "label" {
			return n.Ref
		}
	}
	d.t.Fatalf("nothing is called %s", name)
	return ""
}

// has says whether the control of a name has a state.
func (d *desk) has(name, state string) bool {
	d.t.Helper()
	f, err := d.e.Find(d.bound(), d.c, api.FindRequest{Handle: d.h, Name: name, State: state})
	must(d.t, err)
	return slices.ContainsFunc(f.Nodes, func(n api.Node) bool { return n.Name == name })
}

// race is a verb, and what comes of it when the person takes the window over
// right after each time it was decided that it may go on: "-" is a refusal before
// anything reached the program, "+" one after something did, "." a verb that was
// through. A decision that is not asked for any more is a letter less.
type race struct {
	name string
	want string
	do   func(d *desk) error
	// reach is set for a verb that needs no lease: there the share is taken back.
	reach bool
	// most is after how many decisions to stop, for a verb that asks on and on.
	most int
	// anew is set for a verb that looks again, and asks again, when something changed
	// meanwhile: how often is the program's affair.
	anew bool
}

// saw says whether the program saw anything but the focus come and go.
func (d *desk) saw() bool {
	d.t.Helper()
	return slices.ContainsFunc(d.log.Since(), func(e fixtures.Event) bool {
		return e.Kind != "focus" && e.Kind != "scroll" && e.Key != mark || e.Kind == "scroll" && e.Offset > 0
	})
}

// The letters of a verb are its decisions in order: the first is at its
// beginning, for an act the second when its turn to act came, the last right
// before what it is for.

// run takes the window over after the k-th decision of a verb and gives what
// came of it as a letter, "" when there is no k-th one.
func (d *desk) run(r race, k int) string {
	d.t.Helper()
	asked, taken := 0, false
	verb, _, _ := strings.Cut(r.name, " ")
	do := r.do
	d.quiet()
	d.log.Mark()
	d.e.testAsked = func(t *turn) {
		if t.verb != verb {
			return
		}
		if asked++; asked == k {
			taken = d.take(r) == nil
		}
	}
	err := do(d)
	d.e.testAsked = nil
	if !taken {
		must(d.t, err)
		return ""
	}
	if err == nil {
		d.giveBack(r)
		return "." // a program that was closed has nothing more to say
	}
	d.quiet()
	saw := d.saw()
	if k <= len(r.want) && r.want[k-1] == '+' {
		// GTK presses a button a while after it took the order.
		for limit := d.bound(); !saw && limit.Err() == nil; saw = d.saw() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	code := d.giveBack(r)
	switch {
	case api.CodeOf(err) != code:
		d.t.Errorf("%s after decision %d: %v", r.name, k, err)
		return "?"
	case saw:
		return "+"
	}
	return "-"
}

// take takes the window away, past the cut: here the questions have to find it.
func (d *desk) take(r race) error {
	ctx := context.Background()
	if r.reach {
		_, err := d.e.cfg.Reach.Unshare(ctx, d.h, "session:a")
		return err
	}
	_, err := d.e.cfg.Leases.Takeover(ctx, d.h, "test")
	return err
}

// giveBack gives it back, and says by what a verb was refused meanwhile.
func (d *desk) giveBack(r race) api.Code {
	d.t.Helper()
	ctx := context.Background()
	if r.reach {
		must(d.t, d.e.cfg.Reach.Share(ctx, d.h, "session:a", "auto"))
		return api.NotExposed
	}
	_, err := d.e.cfg.Leases.Handback(ctx, d.h, "test")
	must(d.t, err)
	return api.WindowPaused
}

// mark is a key that no verb presses.
const mark = "F9"

// quiet waits until the program has written everything it was sent: it has
// answered on the bus, and a key that comes after all others is there.
func (d *desk) quiet() {
	d.t.Helper()
	disp, err := d.e.window(d.h).live()
	must(d.t, err)
	apps, err := disp.Access().Apps(d.bound())
	must(d.t, err)
	for _, app := range apps {
		must(d.t, disp.Access().Responds(d.bound(), app.Root))
	}
	marks := func() (n int) {
		for _, e := range d.log.Events() {
			if e.Kind == "key" && e.Key == mark {
				n++
			}
		}
		return n
	}
	before := marks()
	chord, err := x11.ParseChord(mark)
	must(d.t, err)
	inj, _ := disp.Injector()
	must(d.t, inj.Chord(d.bound(), chord, nil))
	for limit := d.bound(); marks() == before; time.Sleep(5 * time.Millisecond) {
		must(d.t, limit.Err())
	}
}

// TestEveryDecisionIsAskedFor: wherever a verb waits, and before everything it
// does and hands over, it asks again whether it may; a takeover that comes right
// after any answer is found by the next question, and nothing is done between.
func TestEveryDecisionIsAskedFor(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{})
	d.e.cfg.Leases.OnTakeover(nil) // nothing cuts: the questions alone must do
	act := func() api.Act { return api.Act{Handle: d.h, NoObserve: true} }
	// What an observation differs from is known, so that no act asks to look.
	_, err := d.e.Snapshot(d.bound(), d.c, api.SnapshotRequest{Handle: d.h})
	must(t, err)
	for _, r := range races(d, act, strings.Repeat("0123456789", 4)) {
		t.Run(r.name, func(t *testing.T) {
			got := ""
			for k := 1; k <= cmp.Or(r.most, 30); k++ {
				letter := d.run(r, k)
				if letter == "" {
					break
				}
				got += letter
				if letter == "." {
					break
				}
			}
			for r.anew && strings.Contains(got, "--") {
				got = strings.ReplaceAll(got, "--", "-")
			}
			if got != r.want {
				t.Errorf("%s: %s, want %s", r.name, got, r.want)
			}
		})
	}
}

// races are the verbs.
func races(d *desk, act func() api.Act, text string) []race {
	ctx := d.bound
	acted := func(_ api.Acted, err error) error { return err }
	seen := func(a api.Acted, err error) error {
		if err == nil && a.Observed.Failed != "" {
			if len(a.Observed.Diff) > 0 && a.Did.Verb == "click" {
				d.t.Errorf("it failed to look, and tells what it saw: %+v", a.Observed)
			}
			return api.Refuse(api.Code(strings.SplitN(a.Observed.Failed, ":", 2)[0]), "")
		}
		return err
	}
	return []race{
		{name: "snapshot", want: "-.", do: func(d *desk) error {
			_, err := d.e.Snapshot(ctx(), d.c, api.SnapshotRequest{Handle: d.h})
			return err
		}},
		{name: "find", want: "-.", do: func(d *desk) error {
			_, err := d.e.Find(ctx(), d.c, api.FindRequest{Handle: d.h, Name: "Alpha"})
			return err
		}},
		{name: "get", want: "-.", do: func(d *desk) error {
			_, err := d.e.Get(ctx(), d.c, api.GetRequest{Handle: d.h, Ref: d.ref("Alpha")})
			return err
		}},
		{name: "screenshot", want: "-.", do: func(d *desk) error {
			_, err := d.e.Screenshot(ctx(), d.c, api.ScreenshotRequest{Handle: d.h})
			return err
		}},
		{name: "wait", want: "-.", anew: true, do: func(d *desk) error {
			_, err := d.e.Wait(ctx(), d.c, api.WaitRequest{Handle: d.h, Name: "Alpha", Role: "push button"})
			return err
		}},
		{name: "wait idle", want: "-.", anew: true, do: func(d *desk) error {
			_, err := d.e.Wait(ctx(), d.c, api.WaitRequest{Handle: d.h, IdleMs: 30})
			return err
		}},
		{name: "wait on", want: "--", most: 2, do: func(d *desk) error {
			_, err := d.e.Wait(ctx(), d.c, api.WaitRequest{Handle: d.h, Title: "no such title"})
			return err
		}},
		{name: "click tree", want: "--.", do: func(d *desk) error {
			return acted(d.e.Click(ctx(), d.c, api.ClickRequest{Act: act(), Ref: d.ref("Alpha")}))
		}},
		{name: "click point", want: "---.", do: func(d *desk) error {
			return acted(d.e.Click(ctx(), d.c, api.ClickRequest{Act: act(), Ref: d.ref("Alpha"), Point: true}))
		}},
		{name: "click at", want: "---.", do: func(d *desk) error {
			return acted(d.e.Click(ctx(), d.c, api.ClickRequest{Act: act(), At: &api.Point{X: 5, Y: 300}}))
		}},
		{name: "type tree", want: "--.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Name"), Text: "x"}))
		}},
		{name: "type replace", want: "--.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Name"), Text: fmt.Sprint(time.Now()), Replace: true}))
		}},
		{name: "type secret", want: "--.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Password"), Text: "x"}))
		}},
		{name: "type enter", want: "--+.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Name"), Text: "x", Enter: true}))
		}},
		{name: "type keys", want: "----++.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Notes"), Text: text, Keys: true}))
		}},
		{name: "type keys replace", want: "----++++.", do: func(d *desk) error {
			return acted(d.e.Type(ctx(), d.c, api.TypeRequest{Act: act(), Ref: d.ref("Notes"), Text: "y", Keys: true, Replace: true, Enter: true}))
		}},
		{name: "key", want: "---++.", do: func(d *desk) error {
			return acted(d.e.Key(ctx(), d.c, api.KeyRequest{Act: act(), Keys: []string{"x", "y"}}))
		}},
		{name: "scroll", want: "---.", do: func(d *desk) error {
			return acted(d.e.Scroll(ctx(), d.c, api.ScrollRequest{Act: act(), Direction: "down", By: 2}))
		}},
		{name: "scroll ref", want: "---.", do: func(d *desk) error {
			return acted(d.e.Scroll(ctx(), d.c, api.ScrollRequest{Act: act(), Direction: "down", By: 2, Ref: d.ref("Notes")}))
		}},
		{name: "drag", want: "---.", do: func(d *desk) error {
			return acted(d.e.Drag(ctx(), d.c, api.DragRequest{Act: act(), From: &api.Point{X: 5, Y: 300}, To: &api.Point{X: 40, Y: 310}}))
		}},
		{name: "hover", want: "--.", do: func(d *desk) error {
			return acted(d.e.Hover(ctx(), d.c, api.HoverRequest{Act: act(), At: &api.Point{X: 5, Y: 300}}))
		}},
		{name: "set value", want: "--.", do: func(d *desk) error {
			v := fmt.Sprint(time.Now().UnixNano() % 90)
			return acted(d.e.Set(ctx(), d.c, api.SetRequest{Act: act(), Ref: d.ref("Count"), Value: &v}))
		}},
		{name: "set check", want: "--.", do: func(d *desk) error {
			on := d.has("Check", "checked")
			on = !on
			return acted(d.e.Set(ctx(), d.c, api.SetRequest{Act: act(), Ref: d.ref("Check"), Check: &on}))
		}},
		{name: "set select", want: "--.", do: func(d *desk) error {
			f, err := d.e.Find(ctx(), d.c, api.FindRequest{Handle: d.h, Role: "combo box"})
			if err != nil || len(f.Nodes) != 1 {
				return fmt.Errorf("%d combo boxes: %w", len(f.Nodes), err)
			}
			blue := "Blue"
			return acted(d.e.Set(ctx(), d.c, api.SetRequest{Act: act(), Ref: f.Nodes[0].Ref, Select: &blue}))
		}},
		{name: "set focus", want: "--.", do: func(d *desk) error {
			return acted(d.e.Set(ctx(), d.c, api.SetRequest{Act: act(), Ref: d.ref("Name"), Focus: true}))
		}},
		{name: "select", want: "--.", do: func(d *desk) error {
			return acted(d.e.Select(ctx(), d.c, api.SelectRequest{Act: act(), Ref: d.ref("Notes"), From: 0, To: 1}))
		}},
		{name: "menu", want: "---.", do: func(d *desk) error {
			if err := acted(d.e.Key(ctx(), d.c, api.KeyRequest{Act: act(), Keys: []string{"Escape"}})); err != nil {
				return err
			}
			d.quiet()
			d.log.Mark()
			return acted(d.e.Menu(ctx(), d.c, api.MenuRequest{Act: act(), Path: "File>Save As"}))
		}},
		{name: "clipboard get", want: "--.", do: func(d *desk) error {
			_, err := d.e.Clipboard(ctx(), d.c, api.ClipboardRequest{Act: act(), Do: "get"})
			return err
		}},
		{name: "clipboard set", want: "-.", do: func(d *desk) error {
			_, err := d.e.Clipboard(ctx(), d.c, api.ClipboardRequest{Act: act(), Do: "set", Text: "x"})
			return err
		}},
		{name: "size", want: "-.", do: func(d *desk) error {
			_, err := d.e.Size(ctx(), d.c, api.SizeRequest{Handle: d.h})
			return err
		}},
		{name: "mode", want: "-.", do: func(d *desk) error {
			_, err := d.e.Mode(ctx(), d.c, api.ModeRequest{Handle: d.h, Mode: "auto"})
			return err
		}},
		{name: "batch", want: "--.", do: func(d *desk) error {
			return d.e.Batch(ctx(), d.c, d.h, func(ctx context.Context, b *Batch) error { return b.Stands(ctx) })
		}},
		{name: "click observed", want: "--+.", do: func(d *desk) error {
			return seen(d.e.Click(ctx(), d.c, api.ClickRequest{Act: api.Act{Handle: d.h}, Ref: d.ref("Alpha")}))
		}},
		{name: "click observed by its picture", want: "---+.", do: func(d *desk) error {
			must(d.t, d.e.cfg.Reach.Share(ctx(), d.h, "session:a", "pixels"))
			defer func() { must(d.t, d.e.cfg.Reach.Share(context.Background(), d.h, "session:a", "auto")) }()
			return seen(d.e.Click(ctx(), d.c, api.ClickRequest{Act: api.Act{Handle: d.h}, At: &api.Point{X: 5, Y: 300}}))
		}},
		{name: "key expected", want: "---++.", do: func(d *desk) error {
			return seen(d.e.Key(ctx(), d.c, api.KeyRequest{Act: api.Act{Handle: d.h, Expect: "text=Alpha", Snapshot: true}, Keys: []string{"x"}}))
		}},
		{name: "watch goes on", want: "--", reach: true, most: 2, do: func(d *desk) error {
			bound, cancel := context.WithTimeout(ctx(), 20*time.Second)
			defer cancel()
			return d.e.Changes(bound, d.c, api.ChangesRequest{Handle: d.h}, func(api.Change) error { return nil })
		}},
		{name: "attach", want: "-.", reach: true, do: func(d *desk) error {
			_, err := d.e.Attach(ctx(), d.c, api.HandleRequest{Handle: d.h})
			return err
		}},
		{name: "logs", want: "--.", reach: true, do: func(d *desk) error {
			_, err := d.e.Logs(ctx(), d.c, api.LogsRequest{Handle: d.h})
			return err
		}},
		{name: "close", want: "--.", do: func(d *desk) error {
			return acted(d.e.Close(ctx(), d.c, api.CloseRequest{Act: act()}))
		}},
	}
}
