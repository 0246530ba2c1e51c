package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// reaperIn makes this test program a process that reaps, in TestMain's place.
const reaperIn = "PROC_TEST_REAPS"

// reaper reaps while a child of its own leaves orphans, and says what was
// collected by whom. It ends with 0 when no zombie is left and the child's own
// end was told to who waited for it.
func reaper() int {
	if err := Reap(context.Background()); err != nil {
		return complain(err.Error())
	}
	for range 20 {
		p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", "for i in 1 2 3 4; do (sh -c 'exit 0' &); done; exit 7"}})
		if err != nil {
			return complain(err.Error())
		}
		<-p.Done()
		if status, _ := p.Exit(); status.Code != 7 {
			return complain("the child ended with " + status.String())
		}
	}
	if left := collected(); left != 0 {
		return left
	}
	return reapsLater()
}

// collected waits until no child is left.
func collected() int {
	deadline := time.Now().Add(45 * time.Second)
	for zombies() > 0 {
		if time.Now().After(deadline) {
			return complain("zombies are left")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// reapsLater has an orphan end while no descriptor is left to look for it: it is
// collected when there are some again, although no other end is told.
func reapsLater() int {
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", "sleep 300 & exit 0"}})
	if err != nil {
		return complain(err.Error())
	}
	<-p.Done()
	all, _ := pids()
	orphan := slices.IndexFunc(all, func(pid int) bool {
		e, err := readStat(pid)
		return err == nil && e.Parent == os.Getpid()
	})
	if orphan < 0 {
		return complain("there is no orphan")
	}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		return complain(err.Error())
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: was.Max}); err != nil {
		return complain(err.Error())
	}
	killed := unix.Kill(all[orphan], unix.SIGKILL)
	_, _ = retry(func() (int, error) {
		return 0, unix.Waitid(unix.P_PID, all[orphan], nil, unix.WEXITED|unix.WNOWAIT, nil)
	})
	time.Sleep(3 * reapGap) // in which it is looked for in vain
	if err := errors.Join(killed, unix.Setrlimit(unix.RLIMIT_NOFILE, &was)); err != nil {
		return complain(err.Error())
	}
	return collected()
}

// complain says what is wrong and gives the exit status of that.
func complain(what string) int {
	fmt.Fprintln(os.Stderr, what)
	return 1
}

// zombies counts the children of this process that ended and were not collected,
// and those that have not ended yet.
func zombies() int {
	n := 0
	all, _ := pids()
	for _, pid := range all {
		if e, err := readStat(pid); err == nil && e.Parent == os.Getpid() {
			n++
		}
	}
	return n
}

// TestReap: orphans of what a process started are collected when they end, and
// no end is taken from who waits for it.
func TestReap(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), reaperIn+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, strings.TrimSpace(out.String()))
	}
}
