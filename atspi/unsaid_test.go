package atspi

import "testing"

// TestKeptTreesSeeWhatNoEventTells does to GTK 3 what it sends no event of the
// node for, and compares: a pane that is scrolled shows other widgets, a slider
// is described by its value, and a menu takes the focus from a field.
func TestKeptTreesSeeWhatNoEventTells(t *testing.T) {
	t.Parallel()
	r := newRig(t, "gtk3")
	ctx := r.ctx()
	k, err := r.conn.Keep(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	app, err := r.conn.App(ctx, r.app)
	if err != nil {
		t.Fatal(err)
	}
	r.agree(ctx, k, app, "at first", DoubtNone)

	bar, ok := r.scrollBar()
	if !ok {
		t.Fatal("no scroll bar")
	}
	for _, to := range []float64{200, 80} {
		if err := r.conn.SetValue(ctx, bar, to); err != nil {
			t.Fatal(err)
		}
		settled(ctx, t, k)
		r.agree(ctx, k, app, "scrolled", DoubtNone)
	}

	if err := r.conn.SetValue(ctx, r.find("Level").Ref, 33); err != nil {
		t.Fatal(err)
	}
	settled(ctx, t, k)
	r.agree(ctx, k, app, "slid", DoubtNone)

	if err := r.conn.GrabFocus(ctx, r.find("Cherry").Ref); err != nil {
		t.Fatal(err)
	}
	settled(ctx, t, k)
	r.agree(ctx, k, app, "focused", DoubtNone)
	if err := r.click("Help"); err != nil {
		t.Fatal(err)
	}
	settled(ctx, t, k)
	r.agree(ctx, k, app, "with a menu", DoubtNone)
}
