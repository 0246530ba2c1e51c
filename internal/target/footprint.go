package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/internal/proc"
)

const (
	// footprintLook is how often the memory of a living window is added up; the
	// doctor does it when asked.
	footprintLook = time.Minute
	// footprintGap is the least time between two reports of one window.
	footprintGap = time.Hour
	// defaultFootprint is the line where nothing is configured: two gigabytes.
	defaultFootprint = 2 << 30
)

// footprint is what is known of one window's memory. What is used is never
// ended for it: it is reported, once for each time it grows past the line.
type footprint struct {
	over bool // it was reported, and has not been under nine tenths of the line since
	said time.Time
}

// crosses takes what was added up at a moment and says whether it is to be
// reported: past the line, for the first time since it was well below, and not
// within an hour of the last report.
func (f *footprint) crosses(bytes, line int64, now time.Time) bool {
	if bytes < line/10*9 {
		f.over = false
	}
	if bytes < line || f.over || !f.said.IsZero() && now.Sub(f.said) < footprintGap {
		return false
	}
	f.over, f.said = true, now
	return true
}

// watchFootprint looks at a window's memory now and then, as long as it lives.
func (e *Engine) watchFootprint(w *window, d *display.Display) {
	tick := time.NewTicker(footprintLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.weigh(w, d)
		case <-w.down:
			return
		case <-d.Done():
			return
		case <-e.life.Done():
			return
		}
	}
}

// weigh adds up what a window's processes take, and reports a crossing.
func (e *Engine) weigh(w *window, d *display.Display) int64 {
	found, err := d.Processes()
	if err != nil {
		e.cfg.Log.Warn("a footprint could not be added up", "handle", w.handle, "err", err)
		return 0
	}
	sum := int64(0)
	for _, p := range found {
		bytes, err := proc.Pss(p.PID)
		if err != nil && !errors.Is(err, proc.ErrGone) {
			e.cfg.Log.Debug("a process is not in the footprint", "handle", w.handle, "err", err)
		}
		sum += bytes
	}
	line := cmp.Or(e.cfg.Footprint, defaultFootprint)
	w.mu.Lock()
	report := w.footprint.crosses(sum, line, time.Now())
	w.mu.Unlock()
	if report {
		e.reportFootprint(w, sum, line)
	}
	return sum
}

// reportFootprint tells the log, the audit and who holds the window, or opened
// it, that it grew past the line.
func (e *Engine) reportFootprint(w *window, sum, line int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.life), buryBound)
	defer cancel()
	words := heavy(w, sum, line)
	e.cfg.Log.Warn("a window has grown past its line", "handle", w.handle, "mb", sum>>20, "line", line>>20)
	opener, holder := e.whose(w)
	if _, err := e.cfg.Audit.Row(ctx, api.AuditRow{Session: holder, Handle: w.handle, Verb: "footprint", Name: fmt.Sprintf("%d MB", sum>>20), Verdict: "reported"}); err != nil {
		e.cfg.Log.Error("an audit row could not be written", "verb", "footprint", "err", err)
	}
	told := cmp.Or(holder, opener)
	if told == "" {
		return
	}
	if err := e.cfg.Store.AddNotice(ctx, told, words+"; nothing was ended for it", time.Now().UTC()); err != nil {
		e.cfg.Log.Error("a notice could not be kept", "handle", w.handle, "err", err)
	}
}

// heavy says how large a window is.
func heavy(w *window, sum, line int64) string {
	return fmt.Sprintf("%s (%s) takes %d MB of memory with all its processes; its line is %d MB", w.handle, w.app, sum>>20, line>>20)
}

// Heavy lists the windows that are past their line now, for the doctor.
func (e *Engine) Heavy() []api.Finding {
	line := cmp.Or(e.cfg.Footprint, defaultFootprint)
	list := []api.Finding{}
	for _, w := range e.all() {
		d, err := w.live()
		if err != nil {
			continue
		}
		if sum := e.weigh(w, d); sum >= line {
			list = append(list, api.Finding{What: string(w.handle), Why: heavy(w, sum, line), Mend: fmt.Sprintf("vibespace stop %s, when nobody needs it", w.handle)})
		}
	}
	return list
}
