package target

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
)

// hostGrace is how long the display of a browser that an earlier daemon left
// waits for who claims it.
const hostGrace = 10 * time.Second

// ParkedWhy begins the reason for which a window whose display is parked has
// ended, as far as this daemon is concerned.
const ParkedWhy = "its display is parked"

// parked is a display that could not be proven to be ours, or is nobody's. It is
// left alone until the person ends it.
type parked struct {
	w   *window // nil for a display without a window
	o   *display.Orphan
	why string
}

// name is what the person ends it by.
func (p parked) name() api.Handle {
	if p.w != nil {
		return p.w.handle
	}
	return api.Handle(p.o.ID)
}

// park leaves a display alone. Its window has ended as far as this daemon is
// concerned; its row stays, so that a later one tries again.
func (e *Engine) park(w *window, o *display.Orphan, why error) {
	e.cfg.Log.Warn("a display was parked", "display", o.ID, "err", why)
	p := parked{w: w, o: o, why: why.Error()}
	if w != nil {
		w.mu.Lock()
		w.ended, w.state = &api.Ended{Why: fmt.Sprintf("%s: %s", ParkedWhy, why), At: time.Now().UTC()}, "ended"
		first := !w.burying
		w.burying = true
		w.mu.Unlock()
		if first {
			close(w.down)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.parked = append(e.parked, p)
}

// Parked lists the displays that were left alone, for the doctor: a finding
// each, with the command that ends it.
func (e *Engine) Parked() []api.Finding {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := []api.Finding{}
	for _, p := range e.parked {
		list = append(list, api.Finding{
			What: string(p.name()), Why: fmt.Sprintf("display %s of an earlier daemon is parked: %s", p.o.ID, p.why),
			Mend: fmt.Sprintf("vibespace down and up tries again; vibespace stop %s ends it and everything on it", p.name()),
		})
	}
	return list
}

// unpark takes a parked display from the list; nil when there is none of that
// name.
func (e *Engine) unpark(name api.Handle) *parked {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.parked, func(p parked) bool { return p.name() == name })
	if i < 0 {
		return nil
	}
	p := e.parked[i]
	e.parked = slices.Delete(e.parked, i, i+1)
	return &p
}

// stopParked is Stop of a parked display, with its audit row.
func (e *Engine) stopParked(ctx context.Context, c api.Caller, p *parked) (api.HandleAnswer, error) {
	t := &turn{e: e, c: c, verb: "stop", since: time.Now(), did: api.Did{Verb: "stop"}}
	n, err := e.endParked(ctx, p)
	if err := t.leave(ctx, p.name(), err); err != nil {
		return api.HandleAnswer{}, err
	}
	return api.HandleAnswer{Answer: e.answer(c), Handle: p.name(), Ended: n}, nil
}

// endParked ends a parked display for the person.
func (e *Engine) endParked(ctx context.Context, p *parked) (int, error) {
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), buryBound)
	defer cancel()
	n, err := p.o.End(bound)
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.parked = append(e.parked, *p)
		return n, err
	}
	if p.w == nil {
		return n, nil
	}
	p.w.mu.Lock()
	p.w.ended = &api.Ended{Why: "it was stopped", At: time.Now().UTC()}
	p.w.mu.Unlock()
	if err := e.cfg.Leases.Forget(bound, p.w.handle); err != nil {
		return n, err
	}
	return n, e.keepRow(bound, p.w)
}

// unowned decides about a display that has no window: the rest of one that was
// being ended is ended, a browser's waits for who claims it, and what runs
// something else is parked.
func (e *Engine) unowned(o *display.Orphan, ended bool, h *unclaimed) {
	defer e.hostKnown(o, h)
	running, err := o.Processes()
	switch {
	case err != nil:
		e.park(nil, o, err)
	case ended || o.Unproven != "" && len(running) == 0:
		e.endOrphan(o)
	case o.Unproven != "":
		e.park(nil, o, fmt.Errorf("%s", o.Unproven))
	case h == nil:
		e.parkUsed(o)
	default:
		e.waitForHost(o, h)
	}
}

// expectHost enters the display of a browser, before anything is asked of it:
// who claims it waits for what becomes of it. It is nil for any other display.
func (e *Engine) expectHost(o *display.Orphan) *unclaimed {
	if o.For == "" {
		return nil
	}
	h := &unclaimed{ready: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unclaimed[api.Handle(o.For)] = h
	return h
}

// hostKnown lets who claims a browser's display go on. One that was not taken
// back is nobody's.
func (e *Engine) hostKnown(o *display.Orphan, h *unclaimed) {
	if h == nil {
		return
	}
	e.mu.Lock()
	if h.display == nil && e.unclaimed[api.Handle(o.For)] == h {
		delete(e.unclaimed, api.Handle(o.For))
	}
	e.mu.Unlock()
	close(h.ready)
}

// waitForHost takes the display of a browser back and keeps it until somebody
// claims it.
func (e *Engine) waitForHost(o *display.Orphan, h *unclaimed) {
	ctx, cancel := context.WithTimeout(e.life, proveBound)
	defer cancel()
	d, err := o.Adopt(ctx, e.displayConfig(api.Handle(o.For)), display.Size{})
	if err == nil {
		h.display = d
		e.work.Go(func() { e.endUnclaimed(api.Handle(o.For), h) })
		return
	}
	switch {
	case e.life.Err() == nil:
		e.parkUsed(o)
	case e.isClosing():
		e.endOrphan(o)
	}
}

// unclaimed is the display of a browser that came back without the browser's
// engine having asked for it.
type unclaimed struct {
	ready   chan struct{} // closed when display is known
	display *display.Display
}

// claim gives the display that was left for a handle, nil for none.
func (e *Engine) claim(ctx context.Context, h api.Handle) *display.Display {
	e.mu.Lock()
	u := e.unclaimed[h]
	e.mu.Unlock()
	if u == nil {
		return nil
	}
	select {
	case <-u.ready:
	case <-ctx.Done():
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unclaimed[h] != u {
		return nil // it was ended, or somebody else came first
	}
	delete(e.unclaimed, h)
	return u.display
}

// endUnclaimed ends a browser's display that nobody claims.
func (e *Engine) endUnclaimed(handle api.Handle, h *unclaimed) {
	late := pause(e.life, hostGrace) == nil
	e.mu.Lock()
	mine := e.unclaimed[handle] == h
	if mine {
		delete(e.unclaimed, handle)
	}
	e.mu.Unlock()
	if !mine {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	_, err := h.display.End(ctx)
	if err == nil && late {
		err = e.cfg.Leases.Forget(ctx, handle)
	}
	if err != nil {
		e.cfg.Log.Error("a display that nobody claimed did not end", "handle", handle, "err", err)
	}
}

// parkUsed parks a display on which something runs, and ends one that is empty.
func (e *Engine) parkUsed(o *display.Orphan) {
	running, err := o.Processes()
	if err == nil && !slices.ContainsFunc(running, func(p display.Process) bool { return p.What == display.WhatApp }) {
		e.endOrphan(o)
		return
	}
	e.park(nil, o, fmt.Errorf("no window of this daemon's is on it, and an application is"))
}

// endOrphan ends a display of an earlier daemon.
func (e *Engine) endOrphan(o *display.Orphan) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	n, err := o.End(ctx)
	if err != nil {
		e.park(nil, o, err)
		return
	}
	e.cfg.Log.Info("ended what an earlier daemon left behind", "display", o.ID, "processes", n)
}
