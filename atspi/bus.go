package atspi

import (
	"context"
	"fmt"
)

// The launcher that starts the accessibility bus, on the session bus.
const (
	launcherName = "org.a11y.Bus"
	launcherPath = "/org/a11y/bus"
	statusIface  = "org.a11y.Status"
)

// Address asks the launcher on that session bus for the address of the
// accessibility bus, which starts the bus if need be. [ErrGone] says that no
// launcher is there.
func Address(ctx context.Context, sessionBus string) (string, error) {
	c, err := Dial(ctx, sessionBus)
	if err != nil {
		return "", err
	}
	defer c.Close()
	var address string
	err = c.call(ctx, launcherName, launcherPath, launcherName+".GetAddress", nil, &address)
	if err != nil {
		return "", fmt.Errorf("address of the accessibility bus: %w", err)
	}
	if address == "" {
		return "", fmt.Errorf("address of the accessibility bus: %w: empty", ErrMalformed)
	}
	return clean(address), nil
}

// Enable tells the applications of that session bus that somebody reads them:
// both status flags, because toolkits look at either. Applications look once,
// at their start, so it comes before them.
func Enable(ctx context.Context, sessionBus string) error {
	c, err := Dial(ctx, sessionBus)
	if err != nil {
		return err
	}
	defer c.Close()
	launcher := Ref{Bus: launcherName, Path: launcherPath}
	for _, flag := range []string{"IsEnabled", "ScreenReaderEnabled"} {
		if err := c.setProperty(ctx, launcher, statusIface, flag, true); err != nil {
			return fmt.Errorf("enable accessibility: %w", err)
		}
	}
	return nil
}
