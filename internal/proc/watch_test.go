package proc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAdoptedEndHoldsNothing: of an adopted process that ended by itself no
// descriptor is left, though nobody ends the watch.
func TestAdoptedEndHoldsNothing(t *testing.T) {
	t.Parallel()
	p, err := Start(Spec{Path: "/bin/sleep", Args: []string{"3600"}})
	if err != nil {
		t.Fatal(err)
	}
	adopted, err := Adopt(p.Ident(), "sleep", os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	fds := watching(t, p.PID())
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
	defer cancel()
	if err := p.Stop(ctx, 0); err != nil {
		t.Fatal(err)
	}
	select {
	case <-adopted.Done():
	case <-ctx.Done():
		t.Fatal("nobody noticed its end")
	}
	for slices.ContainsFunc(fds, same) {
		if ctx.Err() != nil {
			t.Fatal("its descriptor is left open")
		}
		time.Sleep(5 * time.Millisecond)
	}
	adopted.Release() // after the end it changes nothing
}

// watched is a descriptor of a process; its number may be another file's once it
// was closed.
type watched struct{ place, info string }

// watching finds our descriptors of a process: one is the watch's, another that
// of whoever collects it.
func watching(t *testing.T, pid int) (fds []watched) {
	t.Helper()
	places, _ := filepath.Glob("/proc/self/fdinfo/*")
	for _, place := range places {
		raw, _ := os.ReadFile(place)
		if strings.Contains(string(raw), fmt.Sprintf("\nPid:\t%d\n", pid)) {
			fds = append(fds, watched{place, inode(string(raw))})
		}
	}
	if len(fds) == 0 {
		t.Fatal("it is not watched by a descriptor")
	}
	return fds
}

// same says whether the descriptor is still that of a process that was collected.
func same(w watched) bool {
	raw, err := os.ReadFile(w.place)
	return err == nil && strings.Contains(string(raw), "\nPid:\t-1\n") && inode(string(raw)) == w.info
}

// inode is the line of it in what the kernel tells of a descriptor.
func inode(info string) string {
	_, rest, _ := strings.Cut(info, "ino:")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
