package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

const (
	// streamTime is how long a live view is watched, streamStill how long one of
	// a window that does not paint.
	streamTime  = 10 * time.Second
	streamStill = 5 * time.Second
	// painterRate is how often the window repaints: more often than is shown.
	painterRate = "75"
)

var (
	streamSize = api.Size{W: 1920, H: 1080}
	streamPane = api.Size{W: 900, H: 506}
)

// stream measures the live view of a window that repaints all of itself without
// pause, and of one that stays as it is.
func stream(ctx context.Context, r *rig) error {
	for _, s := range []struct {
		bench string
		args  []string
		pane  api.Size
		watch time.Duration
	}{
		{"stream", []string{"--fps", painterRate}, streamPane, streamTime},
		{"stream.full", []string{"--fps", painterRate}, streamSize, streamTime},
		{"stream.still", nil, streamPane, streamStill},
	} {
		if err := streamOf(ctx, r, s.bench, s.args, s.pane, s.watch); err != nil {
			return err
		}
	}
	return nil
}

// painter opens the window that is looked at.
func (r *rig) painter(ctx context.Context, args []string) (opened, error) {
	program, err := filepath.Abs(filepath.Join("fixtures", "painter.py"))
	if err != nil {
		return opened{}, err
	}
	return r.open(ctx, api.OpenRequest{App: program, Args: args, Size: &streamSize, Mode: "pixels"})
}

// streamOf watches one window for a while.
func streamOf(ctx context.Context, r *rig, bench string, args []string, pane api.Size, during time.Duration) error {
	w, err := r.painter(ctx, args)
	if err != nil {
		return err
	}
	defer r.stop(w)
	view, err := r.person.Watch(ctx, api.WatchRequest{Handle: w.Handle, Pane: pane, Memory: true})
	if err != nil {
		return err
	}
	defer view.Close()
	// The beginning is not what lasts: the whole picture comes, the window settles.
	seen := count(ctx, view)
	if _, err := seen.during(ctx, time.Second); err != nil {
		return err
	}
	before, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	frames, err := seen.during(ctx, during)
	if err != nil {
		return err
	}
	after, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	percent := float64(after-before) / ticksASecond / during.Seconds() * 100
	app := fmt.Sprintf("%dx%d in %dx%d", streamSize.W, streamSize.H, pane.W, pane.H)
	if err := r.tell(alone(bench, app, "frames/s", series{float64(frames) / during.Seconds()})); err != nil {
		return err
	}
	return r.tell(alone(bench+".cpu", "vibespaced", "% CPU", series{percent}))
}

// counter reads a watch until it ends, and counts its frames.
type counter struct {
	frames atomic.Int64
	done   chan struct{}
	err    error // once done is closed
}

// count begins to read.
func count(ctx context.Context, view *client.Watching) *counter {
	c := &counter{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for c.err == nil {
			var s client.Seen
			if s, c.err = view.Next(ctx); c.err != nil {
				return
			}
			if s.Picture != nil {
				c.frames.Add(1)
			}
			c.err = view.Took(ctx, s)
		}
	}()
	return c
}

// during counts the frames that come in a time.
func (c *counter) during(ctx context.Context, d time.Duration) (int64, error) {
	before := c.frames.Load()
	select {
	case <-time.After(d):
		return c.frames.Load() - before, nil
	case <-c.done:
		return 0, fmt.Errorf("the watch ended: %w", c.err)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
