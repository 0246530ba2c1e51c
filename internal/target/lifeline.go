package target

import (
	"context"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/proc"
)

// lifeline is an application as long as anything of it lives. Its first
// process may leave its place to another: a starter script does, and so does a
// program that forks.
type lifeline struct {
	*display.App
	// gone is closed when the application has ended.
	gone chan struct{}
}

// windowless is how long what an application left behind may live without a
// window before the application counts as ended. A program that forks has its
// window well before.
const windowless = 3 * time.Second

// follow waits for the application's end.
func (l *lifeline) follow(ctx context.Context, w *window, d *display.Display) {
	defer close(l.gone)
	select {
	case <-l.Done():
	case <-d.Done():
		return
	case <-ctx.Done():
		return
	}
	left := time.Now()
	for {
		rest := remaining(d)
		if len(rest) == 0 {
			return
		}
		wait, cancel := context.WithTimeout(ctx, windowless)
		_ = proc.Await(wait, rest)
		cancel()
		if ctx.Err() != nil || closed(d.Done()) {
			return
		}
		s, err := w.look(ctx, d)
		if err != nil || (s.main == nil && time.Since(left) >= windowless) {
			return
		}
		if s.main != nil {
			left = time.Now()
		}
	}
}

// follows are the refusals that an application's end brings about by itself:
// its windows go, what lay behind them comes up, and nobody answers.
var follows = map[api.Code]bool{
	api.Occluded: true, api.WindowNotVisible: true, api.OutsideWindow: true, api.NotResponding: true,
}

// endNotice bounds how long a refusal waits for the record of an end that has
// begun.
const endNotice = time.Second

// awaitEnd waits, for a bounded time, until the end of an application whose
// first process is no more is recorded. It does not wait for one that lives.
func (w *window) awaitEnd() {
	w.mu.Lock()
	l := w.proc
	w.mu.Unlock()
	if l == nil || l.Ident().Alive() {
		return
	}
	for end := time.Now().Add(endNotice); w.alive() && time.Now().Before(end); {
		time.Sleep(readBackPoll)
	}
}

// remaining are the application's processes that live.
func remaining(d *display.Display) []proc.Ident {
	found, err := d.Processes()
	if err != nil {
		return nil
	}
	var rest []proc.Ident
	for _, p := range found {
		if p.What == display.WhatApp {
			rest = append(rest, p.Ident)
		}
	}
	return rest
}

// closed says whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
