package daemon

import (
	"context"
	"reflect"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/audit"
)

// unrecorded are the words that leave no row: they tell nothing of a window or
// a session, and the audit is not a record of reading it. Nor is it one of what
// the person does with their own hands.
var unrecorded = map[string]bool{
	"hello": true, "own": true, "person/audit": true, "person/doctor": true, "person/ps": true, "person/config": true, "person/down": true,
	"person/driving": true, "person/input": true,
}

// recorded does a job and sees to it that the verb leaves a row. The engine
// writes it where it knows what was done to what; a verb that was refused by its
// arguments, and one that is about no window, gets its row here. One that was
// answered and cannot be recorded is refused, as in the engine.
func (d *Daemon) recorded(ctx context.Context, c api.Caller, word string, j job) (any, error) {
	if c.Owner && word != "person/list" || word == "ask" {
		defer d.engine.Touch()
	} else {
		defer d.engine.Stir()
	}
	if unrecorded[word] || d.audit == nil {
		return j.do(ctx, c)
	}
	began := time.Now()
	ctx, mark := audit.WithMark(ctx)
	answer, err := j.do(ctx, c)
	if mark.Written() {
		return answer, err
	}
	verdict := "ok"
	if err != nil {
		verdict = string(api.AsError(err, api.Internal).Code)
	}
	_, werr := d.audit.Row(ctx, api.AuditRow{
		Session: c.Session, Handle: j.handle, Verb: strings.TrimPrefix(word, "person/"), Verdict: verdict,
		TookMs: int(time.Since(began).Milliseconds()),
	})
	if err == nil && werr != nil {
		return nil, werr
	}
	return answer, err
}

// handleOf is the window a request is about, "" for none.
func handleOf(q any) api.Handle {
	v := reflect.ValueOf(q)
	if v.Kind() != reflect.Struct {
		return ""
	}
	if f := v.FieldByName("Handle"); f.IsValid() && f.Kind() == reflect.String {
		return api.Handle(f.String())
	}
	return ""
}

// hasHandle says whether a request names a window.
func hasHandle[Q request]() bool {
	t := reflect.TypeFor[Q]()
	if t.Kind() != reflect.Struct {
		return false
	}
	_, ok := t.FieldByName("Handle")
	return ok
}
