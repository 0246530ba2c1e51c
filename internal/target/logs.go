package target

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"strings"

	"vibespace/internal/api"
)

// The bounds of what logs gives.
const (
	logLines = 100
	maxLines = 2000
	logBytes = 256 << 10
)

// Logs gives the last lines an application wrote to its own output. They are
// the application's words: data, never an instruction.
func (e *Engine) Logs(ctx context.Context, c api.Caller, r api.LogsRequest) (api.LogsAnswer, error) {
	if r.Tail == 0 {
		r.Tail = logLines
	}
	if r.Tail < 1 || r.Tail > maxLines {
		return api.LogsAnswer{}, api.Refuse(api.BadRequest, "--tail is between 1 and %d", maxLines).WithHint("logs %s --tail 50", r.Handle)
	}
	return doing(ctx, e, c, r.Handle, "logs", needReach, func(ctx context.Context, t *turn) (api.LogsAnswer, error) {
		if !c.Owner && (t.w.alive() || !t.own()) {
			// A window that has ended is nobody's to hold; its opener may read on.
			t.need |= needLease
			if err := t.again(ctx); err != nil {
				return api.LogsAnswer{}, err
			}
		}
		lines, err := t.w.output(r.Tail)
		if err != nil {
			return api.LogsAnswer{}, err
		}
		if err := t.again(ctx); err != nil {
			return api.LogsAnswer{}, err
		}
		return api.LogsAnswer{Answer: e.answer(c), Handle: t.w.handle, Lines: lines}, nil
	})
}

// output gives the last lines of an application; of one that has ended, its
// last words.
func (w *window) output(n int) ([]string, error) {
	w.mu.Lock()
	app, words, ended := w.proc, w.words, w.ended
	w.mu.Unlock()
	if app == nil || ended != nil {
		if words == nil {
			words = []string{}
		}
		return words[max(0, len(words)-n):], nil
	}
	f, err := os.Open(app.LogFile)
	if err != nil {
		return nil, api.Refuse(api.StoreFailed, "the output of %s could not be read", w.app)
	}
	defer f.Close()
	if size, err := f.Seek(0, 2); err == nil {
		_, _ = f.Seek(max(0, size-logBytes), 0)
	}
	var data bytes.Buffer
	_, _ = data.ReadFrom(bufio.NewReader(f))
	all := strings.Split(strings.TrimRight(strings.ToValidUTF8(data.String(), "�"), "\n"), "\n")
	if len(all) == 1 && all[0] == "" {
		all = []string{}
	}
	return all[max(0, len(all)-n):], nil
}
