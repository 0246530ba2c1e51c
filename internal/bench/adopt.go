package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// adopt kills the daemon and measures how long an agent's next command waits,
// until the window it had open is as it was: the start of the next daemon and
// its taking back a terminal and a window with a tree.
func adopt(ctx context.Context, r *rig) error {
	term, err := r.open(ctx, api.OpenRequest{App: "xterm", Size: &api.Size{W: 1280, H: 800}})
	if err != nil {
		return err
	}
	defer func() { r.stop(term) }()
	tree, err := r.open(ctx, api.OpenRequest{App: "mousepad"})
	if err != nil {
		return err
	}
	defer func() { r.stop(tree) }()
	var took series
	for range r.rounds {
		if err := r.kill(ctx); err != nil {
			return err
		}
		ms, err := clocked(func() error { return r.back(ctx, term, tree) })
		if err != nil {
			return err
		}
		took = append(took, ms)
	}
	return r.tell(alone("adopt", "xterm and mousepad", "ms", took))
}

// kill ends the daemon as a fault would, and waits until it is gone.
func (r *rig) kill(ctx context.Context) error {
	if err := syscall.Kill(r.daemon, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill the daemon: %w", err)
	}
	for syscall.Kill(r.daemon, 0) == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// back asks for the windows until all are ready, by a client that starts the
// next daemon.
func (r *rig) back(ctx context.Context, windows ...opened) error {
	c := client.New(client.Config{Paths: r.paths, Daemon: r.program(), Environ: r.environ()})
	defer c.Close()
	hello, err := c.Hello(ctx, api.HelloRequest{})
	if err != nil {
		return fmt.Errorf("start the next daemon: %w", err)
	}
	r.daemon = hello.PID
	list, err := c.List(ctx, api.ListRequest{})
	if err != nil {
		return err
	}
	ready := map[api.Handle]bool{}
	for _, w := range list.Windows {
		ready[w.Handle] = w.State == "ready" && w.Visible && w.Holder != nil
	}
	for _, w := range windows {
		if !ready[w.Handle] {
			return fmt.Errorf("%s did not come back: %+v", w.App, list.Windows)
		}
	}
	return nil
}
