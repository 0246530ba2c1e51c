package target

import (
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/api"
)

// TestWindowsAreNotToldToWhoLostThem: which windows came, and which stand in the
// way of a close, is told by X while an application is silent. A takeover that
// comes after the act keeps both from the agent.
func TestWindowsAreNotToldToWhoLostThem(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	d.e.cfg.Leases.OnTakeover(nil)
	act := api.Act{Handle: d.h}
	modal := d.ref("Open Modal")
	for _, c := range []struct {
		verb string
		do   func() (api.Acted, error)
		last func(api.Did) bool // the decision is the one right before the act
	}{
		{"click", func() (api.Acted, error) {
			return d.e.Click(d.bound(), d.c, api.ClickRequest{Act: act, Ref: modal})
		}, func(did api.Did) bool { return did.By == "tree" }},
		{"close", func() (api.Acted, error) {
			return d.e.Close(d.bound(), d.c, api.CloseRequest{Act: act})
		}, func(did api.Did) bool { return did.Name != "" }},
	} {
		taken := false
		d.e.testAsked = func(turn *turn) {
			if turn.verb == c.verb && c.last(turn.did) && !taken {
				taken = d.take(race{}) == nil
			}
		}
		a, err := c.do()
		d.e.testAsked = nil
		if err != nil || a.Observed == nil || !taken {
			t.Fatalf("%s: %+v, %v", c.verb, a, err)
		}
		if len(a.Observed.Diff) > 0 || !strings.HasPrefix(a.Observed.Failed, string(api.WindowPaused)) {
			t.Errorf("%s: %+v", c.verb, a.Observed)
		}
		d.log.Wait(t, fixtures.Dialog("Modal", true), 45*time.Second)
		d.giveBack(race{})
	}
}

// TestFocusIsNotTakenFromThePerson: keys bring the focus to the window first. A
// person who took over right before keeps it where they have it.
func TestFocusIsNotTakenFromThePerson(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	d.e.cfg.Leases.OnTakeover(nil)
	disp, err := d.e.window(d.h).live()
	must(t, err)
	must(t, disp.WM().Close()) // it would bring the focus back by itself
	must(t, disp.X().Focus(d.bound(), disp.X().Root()))
	turns := 0
	d.e.testAsked = func(turn *turn) {
		if turns++; turn.verb == "key" && turns == 2 { // it has its turn
			must(t, d.take(race{}))
		}
	}
	_, err = d.e.Key(d.bound(), d.c, api.KeyRequest{Act: api.Act{Handle: d.h, NoObserve: true}, Keys: []string{"x"}})
	d.e.testAsked = nil
	if api.CodeOf(err) != api.WindowPaused {
		t.Errorf("the key: %v", err)
	}
	if now, err := disp.X().Focused(d.bound()); err != nil || now != 0 {
		t.Errorf("the focus was brought to %#x, %v", now, err)
	}
}

// TestHandedBackIsNotLookedAtWhenTakenAgain: how a window stands that was handed
// back is looked up with the session's next verb, not when the person has taken
// it over again by then.
func TestHandedBackIsNotLookedAtWhenTakenAgain(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	_, err := d.e.Snapshot(d.bound(), d.c, api.SnapshotRequest{Handle: d.h})
	must(t, err)
	person := api.Caller{Owner: true}
	for _, again := range []bool{false, true} {
		_, err = d.e.Takeover(d.bound(), person, api.TakeoverRequest{Handle: d.h})
		must(t, err)
		_, err = d.e.Handback(d.bound(), person, api.HandbackRequest{Handle: d.h})
		must(t, err)
		owed := d.e.takeOwed(d.c.Session)
		if len(owed) != 1 {
			t.Fatalf("%d are owed", len(owed))
		}
		if again {
			must(t, d.take(race{}))
		}
		d.e.stand(d.bound(), d.c, owed[0])
		said := owed[0].said
		if again && (said.Title != "" || len(said.Diff) > 0 || !strings.HasPrefix(said.Failed, string(api.WindowPaused))) {
			t.Errorf("the person drives: %+v", said)
		}
		if !again && (said.Title == "" || said.Failed != "") {
			t.Errorf("it is the agent's: %+v", said)
		}
	}
}

// TestNoPictureOfThePerson: an agent's act has no picture after it when the
// person took over since, also when they did while it was taken.
func TestNoPictureOfThePerson(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{})
	d.e.cfg.Leases.OnTakeover(nil)
	ref := d.ref("Alpha")
	d.e.testPictured = func() { must(t, d.take(race{})) }
	_, err := d.e.Click(d.bound(), d.c, api.ClickRequest{Act: api.Act{Handle: d.h, NoObserve: true}, Ref: ref})
	must(t, err)
	for limit := d.bound(); ; time.Sleep(10 * time.Millisecond) {
		must(t, limit.Err())
		a, err := d.e.Trace(d.bound(), api.Caller{Owner: true}, api.TraceRequest{Handle: d.h})
		must(t, err)
		if len(a.Rows) == 0 || a.Rows[0].Note == "" && a.Rows[0].After == "" {
			continue // it is being written
		}
		if a.Rows[0].After != "" || !strings.Contains(a.Rows[0].Note, noteDriven) {
			t.Errorf("%+v", a.Rows[0])
		}
		return
	}
}

// TestKeysBringTheFocus: keys go to the window although nothing has the focus
// and no manager gives it.
func TestKeysBringTheFocus(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	disp, err := d.e.window(d.h).live()
	must(t, err)
	must(t, disp.WM().Close())
	must(t, disp.X().Focus(d.bound(), disp.X().Root()))
	d.log.Mark()
	_, err = d.e.Key(d.bound(), d.c, api.KeyRequest{Act: api.Act{Handle: d.h, NoObserve: true}, Keys: []string{"q"}})
	must(t, err)
	d.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" && e.Key == "q" }, 45*time.Second)
}

// TestTypeNeedsTheFocus: keys that are meant for an element which does not take
// the focus are not pressed: they would go to the one that has it.
func TestTypeNeedsTheFocus(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	act := api.Act{Handle: d.h, NoObserve: true}
	_, err := d.e.Set(d.bound(), d.c, api.SetRequest{Act: act, Ref: d.ref("Notes"), Focus: true})
	must(t, err)
	found, err := d.e.Find(d.bound(), d.c, api.FindRequest{Handle: d.h, Role: "label"})
	must(t, err)
	if len(found.Nodes) == 0 {
		t.Fatal("no label")
	}
	d.quiet()
	d.log.Mark()
	_, err = d.e.Type(d.bound(), d.c, api.TypeRequest{Act: act, Ref: found.Nodes[0].Ref, Text: "qq", Keys: true})
	if api.CodeOf(err) != api.NotEditable {
		t.Errorf("%v", err)
	}
	d.quiet()
	if d.saw() {
		t.Errorf("the program saw %v", d.log.Since())
	}
}

// TestPixelsCarryNoTree: what reads the tree is refused under a share as pixels,
// also when the share became one while it was read.
func TestPixelsCarryNoTree(t *testing.T) {
	t.Parallel()
	d := openDesk(t, Config{NoTrace: true})
	alpha := d.ref("Alpha")
	share := func(mode string) { must(t, d.e.cfg.Reach.Share(d.bound(), d.h, "session:a", mode)) }
	for name, do := range map[string]func() error{
		"snapshot": func() error {
			_, err := d.e.Snapshot(d.bound(), d.c, api.SnapshotRequest{Handle: d.h})
			return err
		},
		"get": func() error {
			_, err := d.e.Get(d.bound(), d.c, api.GetRequest{Handle: d.h, Ref: alpha})
			return err
		},
		"click": func() error {
			_, err := d.e.Click(d.bound(), d.c, api.ClickRequest{Act: api.Act{Handle: d.h, NoObserve: true}, Ref: alpha})
			return err
		},
	} {
		asked := 0
		d.e.testAsked = func(*turn) {
			if asked++; asked == 1 {
				share("pixels")
			}
		}
		for _, when := range []string{"while it is read", "before"} {
			if err := do(); api.CodeOf(err) != api.ModePixels {
				t.Errorf("%s, %s: %v", name, when, err)
			}
		}
		d.e.testAsked = nil
		share("auto")
		must(t, do())
	}
}
