package keeper

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/proc"
)

// singletons are what a Chromium leaves in its profile to say that it has it.
var singletons = []string{"SingletonLock", "SingletonSocket", "SingletonCookie"}

// claim makes the profile ready for a browser of ours: 0700, nobody else's,
// and not from the future. What a dead browser left is removed.
func claim(ctx context.Context, spec Spec) error {
	if err := os.MkdirAll(spec.Profile, 0o700); err != nil {
		return fmt.Errorf("make the profile: %w", err)
	}
	if err := os.Chmod(spec.Profile, 0o700); err != nil {
		return fmt.Errorf("make the profile private: %w", err)
	}
	if pid, ok := holder(spec.Profile); ok {
		return api.Refuse(api.ProfileInUse, "the profile is open in another browser").With("pid", pid).
			WithHint("close that browser, or use another profile")
	}
	for _, name := range singletons {
		_ = os.Remove(filepath.Join(spec.Profile, name)) // a stale one that stays is Chromium's to judge
	}
	return newer(ctx, spec)
}

// holder finds who has a profile open: whoever answers at its socket, and else
// the process its lock names, if that runs on this profile. A pid that belongs
// to something else by now is stale.
func holder(profile string) (pid int, ok bool) {
	target, err := os.Readlink(filepath.Join(profile, singletons[0]))
	if err != nil {
		return 0, false
	}
	at := strings.LastIndexByte(target, '-')
	pid, _ = strconv.Atoi(target[at+1:])
	if socket, err := os.Readlink(filepath.Join(profile, singletons[1])); err == nil {
		if conn, err := net.DialTimeout("unix", socket, time.Second); err == nil {
			conn.Close()
			return pid, true
		}
	}
	return pid, pid > 1 && runsOn(pid, profile)
}

// runsOn says whether a process was started on a profile.
func runsOn(pid int, profile string) bool {
	if id, err := proc.IdentOf(pid); err != nil || !id.Alive() {
		return false
	}
	// Chromium writes over its arguments, with spaces between them.
	args, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && strings.Contains(string(args), "--user-data-dir="+profile)
}

// newer refuses a profile that a newer browser has written. A profile that no
// browser has written costs nothing.
func newer(ctx context.Context, spec Spec) error {
	last, err := os.ReadFile(filepath.Join(spec.Profile, "Last Version"))
	if err != nil {
		return nil
	}
	was := major(string(last))
	now, err := versionOf(ctx, spec)
	if err != nil || was == 0 || now == 0 || was <= now {
		return nil // not known to be older: Chromium's to judge
	}
	return api.Refuse(api.DowngradeRefused, "the profile was written by version %d and this browser is version %d", was, now).
		With("profile", was).With("browser", now).WithHint("use a browser of version %d or later, or another profile", was)
}

// versionOf asks a browser program for its major version.
func versionOf(ctx context.Context, spec Spec) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	_, err = proc.Run(ctx, proc.Spec{Path: spec.Chromium, Args: []string{"--version"}, Env: environment(spec, ""), Log: w})
	w.Close()
	if err != nil {
		return 0, err
	}
	said := make([]byte, 4<<10)
	n, _ := r.Read(said)
	for _, word := range strings.Fields(string(said[:n])) {
		if m := major(word); m > 0 && strings.Contains(word, ".") {
			return m, nil
		}
	}
	return 0, nil
}

// major is the first number of "156.0.8078.114" or "Chrome/156.0".
func major(version string) int {
	version = version[strings.LastIndexByte(version, '/')+1:]
	first, _, _ := strings.Cut(strings.TrimSpace(version), ".")
	n, _ := strconv.Atoi(first)
	return n
}
