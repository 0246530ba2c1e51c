package daemon

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestInput: lines come as they are written, whatever pieces they arrive in,
// and the end of the request is told from its being cut.
func TestInput(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	var in input
	gone := make(chan struct{})
	in.begin(r, func() { close(gone) })
	next := func() (string, error) {
		line, err := in.next(t.Context(), 10*time.Second, nil)
		return string(line), err
	}
	for _, piece := range []string{"a", "b\r\n", "\nc\nd"} {
		if _, err := io.WriteString(w, piece); err != nil {
			t.Fatal(err)
		}
	}
	w.CloseWithError(io.EOF)
	for _, want := range []string{"ab", "", "c", "d"} {
		if got, err := next(); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	for range 2 {
		if _, err := next(); !errors.Is(err, io.EOF) {
			t.Errorf("the end is %v", err)
		}
	}
	if n := in.count(); n != 3 {
		t.Errorf("%d lines counted", n)
	}
	<-in.done
	select {
	case <-gone:
		t.Error("a whole request counts as one whose caller has gone")
	default:
	}
}

// TestInputEnds: a caller that goes away in the middle is noticed by a verb
// that waits for nothing, and each other reason not to wait has its own error.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	var in input
	gone := make(chan struct{})
	in.begin(r, func() { close(gone) })
	stop, ctx := make(chan struct{}), t.Context()
	if _, err := in.next(ctx, time.Millisecond, nil); !errors.Is(err, errIdle) {
		t.Errorf("idle: %v", err)
	}
	close(stop)
	if _, err := in.next(ctx, 0, stop); !errors.Is(err, errStopped) {
		t.Errorf("stopped: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := in.next(ended, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	w.CloseWithError(io.ErrUnexpectedEOF)
	<-gone
	if _, err := in.next(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("gone: %v", err)
	}
}

// TestInputBounds: what is too much is refused while it comes.
func TestInputBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		kept int
	}{
		"a long line":    {"ok\n" + strings.Repeat("x", api.MaxBody+1), 1},
		"many lines":     {strings.Repeat("\n", 2*api.MaxBatchLines+1), 2 * api.MaxBatchLines},
		"many bytes":     {strings.Repeat(strings.Repeat("x", api.MaxBody-1)+"\n", 9), 8},
		"as long as may": {strings.Repeat("x", api.MaxBody-1) + "\n", 1},
	} {
		var in input
		in.begin(strings.NewReader(c.body), func() { t.Errorf("%s: counts as gone", name) })
		<-in.done
		n := 0
		for ; ; n++ {
			_, err := in.next(t.Context(), 0, nil)
			if err == nil {
				continue
			}
			if name != "as long as may" && api.CodeOf(err) != api.TooLarge {
				t.Errorf("%s: %v", name, err)
			}
			break
		}
		if n != c.kept {
			t.Errorf("%s: %d lines kept, want %d", name, n, c.kept)
		}
	}
}
