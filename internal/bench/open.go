package main

import (
	"context"
	"fmt"
	"path/filepath"

	"vibespace/internal/api"
)

// open measures how long an agent waits for a terminal, from a command that
// starts until the window is painted, and how much of it is the display.
func open(ctx context.Context, r *rig) error {
	var whole, display series
	for range r.rounds {
		var w opened
		var answer api.OpenAnswer
		took, err := clocked(func() (err error) {
			answer, err = r.agent.Open(ctx, api.OpenRequest{App: "xterm"})
			return err
		})
		if err != nil {
			return fmt.Errorf("open xterm: %w", err)
		}
		w.Window = answer.Window
		r.stop(w)
		whole = append(whole, took)
		display = append(display, float64(answer.DisplayMs))
	}
	if err := r.tell(alone("open", "xterm", "ms", whole)); err != nil {
		return err
	}
	if err := r.tell(alone("open.display", "xterm", "ms", display)); err != nil {
		return err
	}
	return openCommand(ctx, r)
}

// openCommand measures the same as an agent with a shell sees it.
func openCommand(ctx context.Context, r *rig) error {
	var whole series
	for range r.rounds {
		handle, took, err := r.command(ctx, filepath.Join(r.bin, "vibespace-window"), "open", "xterm", "--json")
		if err != nil {
			return err
		}
		r.stop(opened{Window: api.Window{Handle: handle, App: "xterm"}})
		whole = append(whole, took)
	}
	return r.tell(alone("open.command", "xterm", "ms", whole))
}
