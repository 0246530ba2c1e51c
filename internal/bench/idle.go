package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// idleTime is how long the daemon is looked at.
const idleTime = 30 * time.Second

// ticksASecond is USER_HZ, which Linux keeps at 100 on every architecture Go
// runs on.
const ticksASecond = 100

// idleFresh looks at a daemon that has just started.
func idleFresh(ctx context.Context, r *rig) error { return r.idle(ctx, "") }

// idleAfter looks at it again when everything that was open is stopped.
func idleAfter(ctx context.Context, r *rig) error { return r.idle(ctx, ".after") }

// idle measures the daemon with nothing open.
func (r *rig) idle(ctx context.Context, suffix string) error {
	before, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleTime):
	}
	after, err := cpuTicks(r.daemon)
	if err != nil {
		return err
	}
	percent := float64(after-before) / ticksASecond / idleTime.Seconds() * 100
	if err := r.tell(alone("idle"+suffix, "vibespaced", "% CPU", series{percent})); err != nil {
		return err
	}
	resident, err := residentMB(r.daemon)
	if err != nil {
		return err
	}
	return r.tell(alone("memory"+suffix, "vibespaced", "MB", series{resident}))
}

// cpuTicks gives the processor time a process has used.
func cpuTicks(pid int) (int64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// Fields are counted from behind the name, which may hold spaces.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const utime, stime = 11, 12
	if len(fields) <= stime {
		return 0, fmt.Errorf("stat of process %d is short", pid)
	}
	user, err := strconv.ParseInt(fields[utime], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[stime], 10, 64)
	return user + system, err
}

// residentMB gives the memory a process holds, in MB of a million bytes.
func residentMB(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("process %d tells no resident memory", pid)
}
