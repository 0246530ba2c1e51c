package target

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/display"
)

// begunPrefix begins the names of the files, in a display's directory, that say
// which acts have begun and have no row of the audit yet. They outlive this
// daemon and not the machine, as the display does, so that nothing is forced to
// the disk for them.
const begunPrefix = "act-"

// begins says, before the first thing is done to a window, what is being done: a
// daemon that dies in it leaves that to the next, which writes the row.
func (a *act) begins() {
	if a.begunFile != "" {
		return
	}
	text, err := json.Marshal(a.auditRow(a.w.handle, string(api.Unreachable)))
	if err != nil {
		return
	}
	a.begunFile = filepath.Join(a.d.Dir(), begunPrefix+strconv.FormatUint(a.w.actsSoFar(), 10))
	if err := os.WriteFile(a.begunFile, text, 0o600); err != nil {
		a.e.cfg.Log.Warn("what is being done could not be kept", "handle", a.w.handle, "err", err)
	}
}

// settled drops what begins said, once the verb has its row.
func (t *turn) settled() {
	if t.begunFile != "" {
		_ = os.Remove(t.begunFile) // gone with its display is as well
	}
}

// auditRow is the verb's row.
func (t *turn) auditRow(h api.Handle, verdict string) api.AuditRow {
	return api.AuditRow{
		At: time.Now().UTC(), Session: t.c.Session, Handle: h, Verb: t.verb, By: t.did.By, Ref: t.did.Ref,
		Role: t.did.Role, Name: t.did.Name, Verdict: verdict, TookMs: int(time.Since(t.since).Milliseconds()),
	}
}

// recordBegun writes the rows of the acts in which an earlier daemon died, with
// the verdict that their callers were told: it may or may not have been done.
func (e *Engine) recordBegun(ctx context.Context, d *display.Display) error {
	files, err := filepath.Glob(filepath.Join(d.Dir(), begunPrefix+"*"))
	for _, file := range files {
		text, rerr := os.ReadFile(file)
		var row api.AuditRow
		if rerr == nil && json.Unmarshal(text, &row) == nil && row.Verb != "" {
			if _, err := e.cfg.Audit.Row(ctx, row); err != nil {
				return err
			}
		}
		_ = os.Remove(file)
	}
	return err
}
