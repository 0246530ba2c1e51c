//go:build gles

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// trayWatcher is whom a tray's icons are told to, by the name the desktops that
// have one agreed on.
const trayWatcher = "org.kde.StatusNotifierWatcher"

// hasTray says whether the person's desktop has a tray. It is asked of the bus
// that there is: the toolkit would start one to ask on.
func hasTray() bool {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(socket); err != nil {
			return false
		}
		address = "unix:path=" + socket
	}
	if !strings.HasPrefix(address, "unix:") {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	var there bool
	err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, trayWatcher).Store(&there)
	return err == nil && there
}
