package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"

	"vibespace/internal/api"
)

// crowd is how many windows are open while one of them hangs.
const crowd = 8

// frozen stops one application of eight and measures what the others notice of
// it, while an agent keeps asking the stopped one.
func frozen(ctx context.Context, r *rig) (err error) {
	const app = "mousepad"
	var open []opened
	defer func() {
		for _, w := range open {
			r.stop(w)
		}
	}()
	for range crowd {
		w, err := r.open(ctx, api.OpenRequest{App: app})
		if err != nil {
			return err
		}
		open = append(open, w)
	}
	still, others := open[0], open[1:]
	before, err := r.everyone(ctx, others)
	if err != nil {
		return err
	}
	if err := syscall.Kill(still.PID, syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { _ = syscall.Kill(still.PID, syscall.SIGCONT) }()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var refusals series
	var fault error
	var asked sync.WaitGroup
	asked.Go(func() { refusals, fault = r.refusals(asking, still) })
	during, err := r.everyone(ctx, others)
	stop()
	asked.Wait()
	if err = errors.Join(err, fault); err != nil {
		return err
	}
	if err := syscall.Kill(still.PID, syscall.SIGCONT); err != nil {
		return err
	}
	back, err := r.recovers(ctx, still)
	if err != nil {
		return err
	}
	for _, result := range []Result{
		compare("frozen.others", app, "ms", during, "before it froze", before),
		alone("frozen.refused", app, "ms", refusals),
		alone("frozen.recovers", app, "ms", series{back}),
	} {
		if err := r.tell(result); err != nil {
			return err
		}
	}
	return nil
}

// everyone takes fresh snapshots of windows in turn.
func (r *rig) everyone(ctx context.Context, list []opened) (took series, err error) {
	for range r.rounds {
		for _, w := range list {
			_, ms, err := r.snapshot(ctx, api.SnapshotRequest{Handle: w.Handle, Fresh: true})
			if err != nil {
				return nil, err
			}
			took = append(took, ms)
		}
	}
	return took, nil
}

// refusals asks a stopped application until ctx ends, and at least once.
func (r *rig) refusals(ctx context.Context, w opened) (took series, err error) {
	for len(took) == 0 || ctx.Err() == nil {
		_, ms, err := r.snapshot(context.WithoutCancel(ctx), api.SnapshotRequest{Handle: w.Handle, Fresh: true})
		if api.CodeOf(err) != api.NotResponding {
			return took, fmt.Errorf("a stopped application: %w, instead of %s", err, api.NotResponding)
		}
		took = append(took, ms)
	}
	return took, nil
}

// recovers gives the milliseconds until an application that goes on is read.
func (r *rig) recovers(ctx context.Context, w opened) (float64, error) {
	return clocked(func() error {
		for {
			_, _, err := r.snapshot(ctx, api.SnapshotRequest{Handle: w.Handle})
			if err == nil || api.CodeOf(err) != api.NotResponding {
				return err
			}
		}
	})
}
