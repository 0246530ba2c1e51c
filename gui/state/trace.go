package state

import (
	"context"
	"slices"
	"time"

	"vibespace/internal/api"
)

// traceRows is how many acts of a window are shown.
const traceRows = 60

// Trace lists what was done to a window, the newest first.
func (d *Desk) Trace(ctx context.Context, h api.Handle) ([]api.TraceRow, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.Trace(bounded, api.TraceRequest{Handle: h, Limit: traceRows})
	rows := slices.Clone(a.Rows)
	slices.Reverse(rows)
	return rows, err
}

// TraceText says what an act of the trace was: who, what, when.
func TraceText(l Lang, r api.TraceRow) string {
	return l.Say(LastAct, r.Session, did(l, &api.SeenAct{
		Did: api.Did{Verb: r.Verb, By: r.By, Ref: r.Ref, Role: r.Role, Name: r.Name}, Verdict: r.Verdict,
	}), r.At.Local().Format(time.TimeOnly))
}

// TracePicture is the picture that stands for an act: how things were after it,
// else before; "" for none.
func TracePicture(r api.TraceRow) string {
	if r.After != "" {
		return r.After
	}
	return r.Before
}
