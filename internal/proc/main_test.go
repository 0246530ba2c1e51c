package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain fails the package when a test left a child, a descriptor or a
// goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv(reaperIn) != "" {
		os.Exit(reaper())
	}
	before := descriptors()
	code := m.Run()
	if code == 0 {
		if err := leaks(before); err != nil {
			fmt.Fprintln(os.Stderr, "proc: left behind:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// leaks polls for a while: what is on its way out has its own time, a goroutine as
// well as a killed grandchild, which init collects.
func leaks(before int) error {
	var err error
	for deadline := time.Now().Add(45 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = goleak.Find(); err != nil {
			continue
		}
		if kids, e := Descendants(os.Getpid()); e != nil || len(kids) > 0 {
			err = fmt.Errorf("children %v (%v)", kids, e)
			continue
		}
		if now := descriptors(); now > before {
			err = fmt.Errorf("%d descriptors, %d before", now, before)
			continue
		}
		return nil
	}
	return err
}

// descriptors counts what we hold open; the first epoll and eventfd of the
// runtime are opened here so that they do not count.
func descriptors() int {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	return len(fds)
}
