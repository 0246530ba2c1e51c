package atspi

import (
	"context"
	"errors"
	"fmt"
)

// registryName is the name every application looks for on an accessibility bus.
const registryName = "org.a11y.atspi.Registry"

// Peers lists the pids of the processes that are connected to the bus, this one
// included, each once and in no order. The bus answers by itself: an application
// that hangs is listed like any other. It works on a session bus as well.
func (c *Conn) Peers(ctx context.Context) ([]int, error) {
	var names []string
	if err := c.call(ctx, busName, busPath, busName+".ListNames", nil, &names); err != nil {
		return nil, fmt.Errorf("peers of the bus: %w", err)
	}
	seen := map[int]bool{}
	pids := []int{}
	for _, name := range names {
		if len(name) == 0 || name[0] != ':' {
			continue
		}
		var pid uint32
		err := c.call(ctx, busName, busPath, busName+".GetConnectionUnixProcessID", []any{name}, &pid)
		if errors.Is(err, ErrClosed) || ctx.Err() != nil {
			return nil, fmt.Errorf("peers of the bus: %w", err)
		}
		if err != nil || seen[int(pid)] {
			continue // left meanwhile
		}
		seen[int(pid)] = true
		pids = append(pids, int(pid))
	}
	return pids, nil
}

// StartRegistry makes the bus start its registry and returns when it has its
// name; at once when it runs. Without it the first application to come waits for
// it.
func (c *Conn) StartRegistry(ctx context.Context) error {
	args := []any{registryName, uint32(0)}
	if err := c.call(ctx, busName, busPath, busName+".StartServiceByName", args); err != nil {
		return fmt.Errorf("start the registry: %w", err)
	}
	return nil
}

// SetServiceEnv sets variables for what that session bus starts from now on. It
// works on a session bus as well as on an accessibility bus.
func (c *Conn) SetServiceEnv(ctx context.Context, env map[string]string) error {
	if err := c.call(ctx, busName, busPath, busName+".UpdateActivationEnvironment", []any{env}); err != nil {
		return fmt.Errorf("environment of the bus's services: %w", err)
	}
	return nil
}
