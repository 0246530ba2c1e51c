package browser

import (
	"context"
	"errors"
	"sync"
	"time"

	"vibespace/browser/page"
	"vibespace/internal/api"
)

// The trace of acts on pages. A picture of a page takes longer than an act, so
// no act waits for its own: the page is looked at beside, once it has been left
// alone for a moment after an act or a reading, and what was seen then is what
// there was after the one act and before the next. Acts that follow each other
// at once are told without.

const (
	// lookSettle is how long a page is left alone before it is looked at.
	lookSettle = 20 * time.Millisecond
	// lookWait is how long an act waits for a look that has begun.
	lookWait = 25 * time.Millisecond
	// lookFresh is how old a look may be for a reading to leave it, and for an act
	// to take it for what is there without a word.
	lookFresh = time.Second
)

// The words for pictures that are not there.
const (
	noteNone   = "no picture before: the page was not looked at since the last act"
	noteNext   = "no picture after: the next act came at once"
	noteGone   = "no picture after: "
	noteDriven = "no picture after: the person took over"
)

// PageAct is the pictures of one act on a page.
type PageAct struct {
	Row    int64 // of the audit
	At     time.Time
	Handle api.Handle
	Box    *api.Rect // where it was done, in the picture after it where that shows it
	Before *PagePicture
	After  *PagePicture
	Note   string
}

// PagePicture is a picture of a page: what of it is not to be kept, and where
// the act was done.
type PagePicture struct {
	JPEG  []byte
	Hide  []api.Rect
	Whole bool // all of it is not to be kept
	Mark  *api.Rect
}

// Traces keeps the pictures of acts. Neither waits for the disk.
type Traces interface {
	// Expect says that the pictures of an act are to come, Keep gives them.
	Expect(row int64)
	Keep(PageAct)
}

// traced are the verbs whose acts have pictures.
var traced = map[string]bool{
	"open": true, "back": true, "forward": true, "reload": true, "click": true, "type": true, "fill": true, "select": true, "check": true,
	"uncheck": true, "press": true, "hover": true, "scroll": true, "upload": true, "eval": true,
}

// glances are the readings that a look follows.
var glances = map[string]bool{"snapshot": true, "find": true, "wait": true, "extract": true, "screenshot": true, "dialog": true}

// shifts are the readings that change what is to be seen: a picture of more than
// is on show brings that into view, and the answer to a dialog lets a page go on.
var shifts = map[string]bool{"screenshot": true, "dialog": true}

// sights are the looks at the tabs of one browser.
type sights struct {
	mu   sync.Mutex
	tabs map[api.TabID]*sight
}

// sight is the looking at one tab. Its fields are guarded by the lock of sights.
type sight struct {
	p *page.Page
	// acts counts the acts that began, asked the looks that were asked for, busy
	// the verbs that run.
	acts, asked, busy int
	looking           bool          // somebody sees to it
	taking            chan struct{} // closed when the look that has begun is over
	last              *page.Look    // nil when something was done since
	due               *tracing      // the act that has no picture after it yet
}

// forget drops every last look: the person may have done anything since.
func (s *sights) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.tabs {
		one.last = nil
		one.acts++ // what is being looked at now is of before, too
	}
}

// tracing is one act that is traced.
type tracing struct {
	v      *visit
	before *page.Look
	note   string
}

// sight is the looking at a tab; nil when no pictures are kept.
func (e *Engine) sight(r *running, p *page.Page) *sight {
	if e.cfg.Traces == nil {
		return nil
	}
	r.sights.mu.Lock()
	defer r.sights.mu.Unlock()
	if r.sights.tabs == nil {
		r.sights.tabs = map[api.TabID]*sight{}
	}
	for id := range r.sights.tabs {
		if _, err := r.browser.Page(id); err != nil && !r.sights.tabs[id].looking {
			delete(r.sights.tabs, id)
		}
	}
	s := r.sights.tabs[p.ID()]
	if s == nil {
		s = &sight{p: p}
		r.sights.tabs[p.ID()] = s
	}
	return s
}

// begin notes that a verb begins on a page, and takes the last look as what was
// to be seen before an act.
func (v *visit) begin(ctx context.Context, c api.Caller, p *page.Page) {
	s := v.e.sight(v.run, p)
	if s == nil {
		return
	}
	v.sight = s
	mu := &v.run.sights.mu
	mu.Lock()
	s.busy++
	taking := s.taking
	if shifts[v.verb] { // a look that runs may show what it does
		s.acts++
		s.last = nil
	}
	mu.Unlock()
	if !traced[v.verb] {
		return
	}
	if taking != nil { // nearly always over: somebody acts in the moment of a look
		soon := time.NewTimer(lookWait)
		defer soon.Stop()
		select {
		case <-taking:
		case <-soon.C:
		case <-ctx.Done():
		}
	}
	mu.Lock()
	s.acts++
	due, last := s.due, s.last
	s.due, s.last = nil, nil
	mu.Unlock()
	if last != nil && !p.Shows(last) { // the page went on by itself
		last = nil
	}
	if due != nil {
		v.e.traced(due, nil, noteNext)
	}
	if c.Owner {
		return
	}
	v.traced = &tracing{v: v, before: last}
	switch {
	case last == nil:
		v.traced.note = noteNone
	case time.Since(last.At) > lookFresh:
		v.traced.note = "the picture before is of " + time.Since(last.At).Round(100*time.Millisecond).String() + " before the act"
	}
}

// end notes that a verb is over, and has the page looked at. err is what became
// of it.
func (v *visit) end(err error) {
	s := v.sight
	if s == nil {
		return
	}
	v.run.sights.mu.Lock()
	defer v.run.sights.mu.Unlock()
	s.busy--
	v.settle(err)
	fresh := s.last != nil && time.Since(s.last.At) <= lookFresh && s.p.Shows(s.last)
	asks := traced[v.verb] || glances[v.verb]
	// An act that waits for its picture asks again with whatever ended.
	if s.due == nil && (fresh || !asks) {
		return
	}
	if s.asked++; !s.looking {
		v.e.looks(v.run, s)
	}
}

// settle has an act wait for the picture after it. After one that was refused the
// page is looked at anew as well: it may have been scrolled, or gone on. The lock
// of sights is held.
func (v *visit) settle(err error) {
	if v.traced != nil && v.row != 0 && acted(err) {
		v.e.cfg.Traces.Expect(v.row)
		v.sight.due = v.traced
	}
}

// looks begins to look at a page, unless the engine is ending. The lock of
// sights is held.
func (e *Engine) looks(r *running, s *sight) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closing {
		s.looking = true
		e.work.Go(func() { e.lookAt(r, s) })
		return
	}
	if due := s.due; due != nil {
		s.due = nil
		e.traced(due, nil, noteGone+"the daemon was ending")
	}
}

// acted says whether anything came to the page of a verb that ended so.
func acted(err error) bool {
	var refusal *api.Error
	if err == nil || !errors.As(err, &refusal) {
		return err == nil
	}
	_, did := refusal.Details["did"]
	return did
}

// lookAt looks at a page until nobody asks any more.
func (e *Engine) lookAt(r *running, s *sight) {
	mu := &r.sights.mu
	settle := time.NewTimer(lookSettle)
	defer settle.Stop()
	for {
		mu.Lock()
		asked := s.asked
		mu.Unlock()
		settle.Reset(lookSettle)
		select {
		case <-settle.C:
		case <-e.life.Done():
		}
		mu.Lock()
		switch {
		case s.busy > 0: // its end asks again
			s.looking = false
			mu.Unlock()
			return
		case s.asked != asked:
			mu.Unlock()
			continue
		}
		acts, taking := s.acts, make(chan struct{})
		s.taking = taking
		mu.Unlock()
		look, note := e.look(r, s)
		mu.Lock()
		s.taking = nil
		close(taking)
		var due *tracing
		switch {
		case s.acts == acts:
			s.last = look
			due, s.due = s.due, nil
		case s.asked == asked && s.busy == 0: // the person drove meanwhile
			due, s.due, look, note = s.due, nil, nil, noteDriven
		} // else it may show what was being done
		done := s.asked == asked || e.life.Err() != nil
		s.looking = !done
		mu.Unlock()
		if due != nil {
			e.traced(due, look, note)
		}
		if done {
			return
		}
	}
}

// look looks at a page; a word when there is nothing to keep of it.
func (e *Engine) look(r *running, s *sight) (*page.Look, string) {
	if e.driven(r.seat.Handle) {
		return nil, noteDriven
	}
	look, err := s.p.Look(e.life)
	switch {
	case e.driven(r.seat.Handle): // what the person does is no agent's act
		return nil, noteDriven
	case err != nil:
		return nil, noteGone + plainly(err)
	}
	return look, ""
}

// plainly is an error in its sentence alone.
func plainly(err error) string {
	var r *api.Error
	if errors.As(err, &r) {
		return r.Message
	}
	return err.Error()
}

// traced has the pictures of an act kept.
func (e *Engine) traced(tr *tracing, after *page.Look, note string) {
	act := PageAct{
		Row: tr.v.row, At: time.Now().UTC(), Handle: tr.v.seat.Handle,
		Before: tr.picture(tr.before, false), After: tr.picture(after, true), Note: tr.note,
	}
	if act.Before != nil {
		act.Box = act.Before.Mark
	}
	if act.After != nil && act.After.Mark != nil {
		act.Box = act.After.Mark
	}
	if act.Note != "" && note != "" {
		act.Note += "; "
	}
	act.Note += note
	e.cfg.Traces.Keep(act)
}

// fillsTarget are the verbs whose target is filled in in the picture after them,
// whatever it is.
var fillsTarget = map[string]bool{"type": true, "fill": true, "select": true, "upload": true}

// picture is a look as the picture of an act.
func (tr *tracing) picture(l *page.Look, after bool) *PagePicture {
	if l == nil {
		return nil
	}
	p := &PagePicture{JPEG: l.JPEG, Hide: l.Hide, Whole: l.Whole}
	did := tr.v.did
	if box, ok := l.Places[did.Ref]; ok && did.Ref != "" {
		p.Mark = &box
		if after && fillsTarget[tr.v.verb] {
			p.Hide = append(p.Hide[:len(p.Hide):len(p.Hide)], box)
		}
	}
	return p
}
