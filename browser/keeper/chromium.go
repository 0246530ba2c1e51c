package keeper

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"vibespace/internal/api"
)

// defaultPath is where the browser's wrapper finds its tools.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// markVariable carries the browser's mark in every process of it.
const markVariable = "VIBESPACE_BROWSER_ID"

// arguments are the browser's command line.
func arguments(spec Spec) []string {
	size := spec.Size
	if size == (api.Size{}) {
		size = api.Size{W: 1280, H: 800}
	}
	args := []string{
		"--remote-debugging-pipe",
		"--user-data-dir=" + spec.Profile,
		fmt.Sprintf("--window-size=%d,%d", size.W, size.H),
		"--window-position=0,0",
		"--force-device-scale-factor=1",
		// No keyring of the person's is asked for, and none is needed.
		"--password-store=basic",
		"--no-first-run", "--no-default-browser-check", "--noerrdialogs", "--hide-crash-restore-bubble",
		// Nothing leaves the machine but what a page asks for.
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--disable-breakpad", "--disable-domain-reliability", "--no-pings",
		"--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,DialMediaRouteProvider",
		// A tab that is not on show is driven like any other.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		// A frame of another site is another process, however little memory there is.
		"--site-per-process",
	}
	if spec.Headless {
		args = append(args, "--headless=new")
	}
	if os.Getuid() == 0 {
		// Chromium does not start as root inside its own sandbox.
		args = append(args, "--no-sandbox")
	}
	if smallShm() {
		args = append(args, "--disable-dev-shm-usage")
	}
	return append(append(args, spec.Args...), "about:blank")
}

// smallShm says whether the shared memory of this machine is too small for a
// renderer: containers give 64 MiB, and a large page crashes on less than it
// wants.
func smallShm() bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &st); err != nil {
		return true
	}
	return st.Bavail*uint64(st.Bsize) < 512<<20
}

// environment is the browser's whole environment.
func environment(spec Spec, mark string) []string {
	env := slices.Clone(spec.Env)
	for _, kv := range []string{"PATH=" + defaultPath, "HOME=" + spec.Profile, "LANG=C.UTF-8"} {
		key, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(env, func(have string) bool { return strings.HasPrefix(have, key+"=") }) {
			env = append(env, kv)
		}
	}
	if mark != "" {
		env = append(env, markVariable+"="+mark)
	}
	return env
}
