package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"vibespace/internal/api"
)

const (
	// crowd is how many windows are open while one of them hangs.
	crowd = 8

	// frozenPasses is how often each of the others is read in one turn: for about
	// as long as a refusal takes.
	frozenPasses = 12

	// warmUp is how often they are read before anything counts: the first reads
	// of a program are slower than those that follow.
	warmUp = 3
)

// frozen stops one application of eight and measures what the others notice of
// it, while an agent keeps asking the stopped one. What a machine does besides
// changes over seconds, so the one is stopped and goes on again in turns, and
// either side comes first as often.
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
	if _, err := r.everyone(ctx, others, warmUp); err != nil {
		return err
	}
	var before, during, refused, recovers series
	for round := range r.rounds {
		calm := func() error {
			took, err := r.everyone(ctx, others, frozenPasses)
			before = append(before, took...)
			return err
		}
		stopped := func() error {
			took, refusals, back, err := r.whileStopped(ctx, still, others)
			during, refused, recovers = append(during, took...), append(refused, refusals...), append(recovers, back)
			return err
		}
		turns := []func() error{calm, stopped}
		if round%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return err
			}
		}
	}
	for _, result := range []Result{
		compare("frozen.others", app, "ms", during, "while all run", before),
		alone("frozen.refused", app, "ms", refused),
		alone("frozen.recovers", app, "ms", recovers),
	} {
		if err := r.tell(result); err != nil {
			return err
		}
	}
	return nil
}

// whileStopped stops an application, asks it without end, takes snapshots of the
// others meanwhile, and lets it go on until it answers again.
func (r *rig) whileStopped(ctx context.Context, still opened, others []opened) (took, refusals series, back float64, err error) {
	if err := syscall.Kill(still.PID, syscall.SIGSTOP); err != nil {
		return nil, nil, 0, err
	}
	defer func() { _ = syscall.Kill(still.PID, syscall.SIGCONT) }()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var fault error
	var asked sync.WaitGroup
	asked.Go(func() { refusals, fault = r.refusals(asking, still) })
	took, err = r.everyone(ctx, others, frozenPasses)
	stop()
	asked.Wait()
	if err = errors.Join(err, fault); err != nil {
		return nil, nil, 0, err
	}
	if err := syscall.Kill(still.PID, syscall.SIGCONT); err != nil {
		return nil, nil, 0, err
	}
	back, err = r.recovers(ctx, still)
	return took, refusals, back, err
}

// everyone takes fresh snapshots of windows in turn.
func (r *rig) everyone(ctx context.Context, list []opened, passes int) (took series, err error) {
	for range passes {
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
