package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// reapGap is the least time between two looks for orphans that ended: an
// application may fork in a loop.
const reapGap = 100 * time.Millisecond

// waited are the children that somebody waits for. A process has one set of
// children, whoever started them: this is the kernel's state and not a package's.
// A start holds the lock for reading, so that no look comes between a child and
// its entry here.
var waited = struct {
	sync.RWMutex
	pids sync.Map
}{}

// begin starts a command as a child that is waited for; waitFor waits.
func begin(cmd *exec.Cmd) error {
	waited.RLock()
	defer waited.RUnlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	waited.pids.Store(cmd.Process.Pid, true)
	return nil
}

// waitFor collects what begin started.
func waitFor(cmd *exec.Cmd) {
	_ = cmd.Wait() // how it ended is in cmd.ProcessState
	waited.pids.Delete(cmd.Process.Pid)
}

// Reap makes this process the parent of every descendant whose own parent ends,
// and collects those when they end, until ctx does: nobody else would where it
// is the first process of a container, or where that one collects nothing. What
// [Start] started is left to who waits for it.
func Reap(ctx context.Context) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("take in orphans: %w", err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	go func() {
		defer signal.Stop(ended)
		gap := time.NewTimer(0)
		defer gap.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-gap.C:
			}
			select {
			case <-ctx.Done():
				return
			case <-ended:
			}
			if err := reap(); err != nil { // as without descriptors: the next look is not the next end's
				select {
				case ended <- unix.SIGCHLD:
				default:
				}
			}
			gap.Reset(reapGap)
		}
	}()
	return nil
}

// reap collects the children that ended and that nobody waits for.
func reap() error {
	if !someEnded() {
		return nil
	}
	waited.Lock()
	defer waited.Unlock()
	all, err := pids()
	if err != nil {
		return err
	}
	us := os.Getpid()
	for _, pid := range all {
		e, err := readStat(pid)
		if err != nil || e.Parent != us || !e.dead() {
			continue
		}
		if _, ours := waited.pids.Load(pid); !ours {
			// Somebody else may have been quicker, and then it is collected.
			_, _ = retry(func() (int, error) { return unix.Wait4(pid, nil, unix.WNOHANG, nil) })
		}
	}
	return nil
}

// someEnded says whether any child ended and was not collected: mostly the one
// whose end was signalled was, by who waits for it, and nothing is to be read.
func someEnded() bool {
	var info unix.Siginfo
	_, err := retry(func() (int, error) {
		return 0, unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	})
	return !errors.Is(err, unix.ECHILD) && err == nil && info.Signo != 0
}
