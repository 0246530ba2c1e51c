package keeper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vibespace/internal/proc"
)

// How ending waits.
const (
	// endLimit bounds the whole end of a browser.
	endLimit = 10 * time.Second
	// closeGrace is for writing a profile to disk.
	closeGrace = 4 * time.Second
)

// endBrowser ends every process of a browser whose keeper is gone and returns
// how many there were.
func endBrowser(ctx context.Context, rec record) (int, error) {
	n, err := proc.EndAll(ctx, func() ([]proc.Ident, error) { return belonging(rec.Browser, rec.Mark) })
	if err != nil {
		return n, fmt.Errorf("end the browser: %w", err)
	}
	return n, nil
}

// belonging lists the living processes of a browser: its main process, its
// group, its session, what descends from it, and whatever carries the mark.
func belonging(browser proc.Ident, mark string) ([]proc.Ident, error) {
	t, err := proc.Processes()
	if err != nil {
		return nil, err
	}
	var found []proc.Ident
	if mark != "" {
		found = t.WithEnv(markVariable, mark, browser.Start)
	}
	// Its number may be a stranger's by now: then only the mark tells.
	if now, ok := t[browser.PID]; !ok || now.Start == browser.Start {
		found = append(found, t.Where(func(e proc.Entry) bool {
			return e.Start >= browser.Start && (e.Group == browser.PID || e.Session == browser.PID)
		})...)
	}
	if browser.Alive() {
		found = append(found, t.Descendants(browser.PID)...)
	}
	slices.SortFunc(found, func(a, b proc.Ident) int { return a.PID - b.PID })
	return slices.Compact(found), nil
}
