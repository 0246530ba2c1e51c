package atspi

import (
	"os"
	"slices"
	"testing"

	"vibespace/internal/need"
)

func TestPeersListsWhoIsConnected(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pids, err := d.conn.Peers(t.Context())
	if err != nil || !slices.Contains(pids, os.Getpid()) {
		t.Fatalf("peers %v, %v: we are connected", pids, err)
	}
	if err := d.conn.StartRegistry(t.Context()); err != nil {
		t.Fatal(err)
	}
	more, err := d.conn.Peers(t.Context())
	if err != nil || len(more) <= len(pids)-1 || len(more) < 2 {
		t.Errorf("peers %v, %v: the registry is one", more, err)
	}
	session, err := Dial(t.Context(), d.session)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := session.SetServiceEnv(t.Context(), map[string]string{"HOME": "/nonexistent"}); err != nil {
		t.Error(err)
	}
	if pids, err := session.Peers(t.Context()); err != nil || len(pids) < 2 {
		t.Errorf("peers of the session bus %v, %v: the launcher is one", pids, err)
	}
}

func TestPeersOfAClosedBus(t *testing.T) {
	t.Parallel()
	need.DBus(t)
	d := newBus(t)
	if err := d.conn.StartRegistry(t.Context()); err == nil {
		t.Error("a bus that starts nothing started a registry")
	}
	if err := d.conn.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.conn.Peers(t.Context()); err == nil {
		t.Error("a closed connection listed peers")
	}
}
