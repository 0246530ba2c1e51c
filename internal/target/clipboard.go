package target

import (
	"context"
	"errors"
	"unicode/utf8"

	"vibespace/internal/api"
	"vibespace/x11"
)

// Clipboard reads or sets the clipboard of the window's own display; the
// person's is another one. What it holds is never recorded.
func (e *Engine) Clipboard(ctx context.Context, c api.Caller, r api.ClipboardRequest) (api.ClipboardAnswer, error) {
	if err := checkClipboard(r); err != nil {
		return api.ClipboardAnswer{}, err
	}
	var traced *tracing
	answer, err := doing(ctx, e, c, r.Handle, "clipboard", needSee, func(ctx context.Context, t *turn) (api.ClipboardAnswer, error) {
		done, err := t.w.lock(ctx)
		if err != nil {
			return api.ClipboardAnswer{}, err
		}
		defer done()
		board, err := t.clipboard(ctx)
		if err != nil {
			return api.ClipboardAnswer{}, err
		}
		if err := t.again(ctx); err != nil {
			return api.ClipboardAnswer{}, err
		}
		set := false
		if s, err := t.w.look(ctx, t.d); r.Do == "set" && err == nil && s.main != nil {
			traced = t.traceBegin(ctx, s, traceTake, func() bool { return set })
		}
		answer := api.ClipboardAnswer{Handle: t.w.handle, Did: t.did, Applied: "yes"}
		if r.Do == "set" {
			if err := board.Set(ctx, r.Text); err != nil {
				return api.ClipboardAnswer{}, t.w.fault(err)
			}
			set = true
			yes := true
			answer.Verified = &yes
		}
		if r.Do == "get" {
			text, err := board.Get(ctx)
			if answer.Empty = errors.Is(err, x11.ErrEmpty); err != nil && !answer.Empty {
				return api.ClipboardAnswer{}, t.w.fault(err)
			}
			answer.Text = text
			if err := t.again(ctx); err != nil {
				return api.ClipboardAnswer{}, err
			}
		}
		answer.Answer = e.answer(c)
		return answer, nil
	})
	traced.traceEnd()
	return answer, err
}

// checkClipboard refuses a request that neither reads nor sets.
func checkClipboard(r api.ClipboardRequest) error {
	switch {
	case r.Do != "get" && r.Do != "set":
		return api.Refuse(api.BadRequest, "a clipboard is read or set").WithHint("clipboard %s get", r.Handle)
	case utf8.RuneCountInString(r.Text) > maxText:
		return api.Refuse(api.TextTooLong, "the text is longer than a clipboard takes here").
			WithHint("at most %d characters", maxText).With("limit", maxText)
	case !utf8.ValidString(r.Text):
		return api.Refuse(api.ControlChar, "the text is not valid UTF-8").WithHint("send it as UTF-8")
	}
	return nil
}

// clipboard is the display's, dealt with from the first time it is asked for:
// what was set must be offered as long as the window lives.
func (t *turn) clipboard(ctx context.Context) (*x11.Clipboard, error) {
	t.w.mu.Lock()
	board := t.w.board
	t.w.mu.Unlock()
	if board != nil {
		return board, nil
	}
	board, err := t.d.X().Clipboard(ctx)
	if err != nil {
		return nil, t.w.fault(err)
	}
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.w.board = board
	return board, nil
}
