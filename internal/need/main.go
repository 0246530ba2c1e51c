package need

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Config says what a package's tests may leave; the zero value is nothing.
type Config struct {
	// Goroutines are goroutines of libraries that have no end by design, each
	// named by one goleak option. The caller says why beside it.
	Goroutines []goleak.Option
	// After ends what the tests share, before what is left is looked for.
	After func()
	// Grace is how long what is on its way out may take; 0 is defaultGrace.
	Grace time.Duration
}

// defaultGrace is what a browser takes to end on a machine that has better to do.
const defaultGrace = 45 * time.Second

// Main runs the tests of a package and ends the program, with a failure when
// they left anything behind. It is the whole of a package's TestMain:
//
//	func TestMain(m *testing.M) { need.Main(m) }
func Main(m *testing.M) { MainWith(m, Config{}) }

// MainWith is [Main] with what is allowed to stay.
func MainWith(m *testing.M, config Config) {
	if config.Grace == 0 {
		config.Grace = defaultGrace
	}
	run, err := startRun()
	if err != nil {
		fmt.Fprintln(os.Stderr, "need:", err)
		os.Exit(1)
	}
	code := m.Run()
	if config.After != nil {
		config.After()
	}
	leaks := run.end(config)
	for _, leak := range leaks {
		fmt.Fprintln(os.Stderr, "need: left behind:", leak)
	}
	if len(leaks) > 0 && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// runPrefix begins the name of each run's directory; short, because unix
// socket paths below it may not be longer than 107 bytes.
const runPrefix = "vt."

// theRun is the run of this test program, for Dir and Shared.
var theRun *run

// run is one package's tests from start to end.
type run struct {
	base  string // where runs live: the TMPDIR we were given
	dir   string // ours alone
	watch *watch
}

// startRun makes the run's directory and cleans the environment.
func startRun() (*run, error) {
	r := &run{base: os.TempDir()}
	sweep(r.base)
	dir, err := os.MkdirTemp(r.base, fmt.Sprintf("%s%d.", runPrefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("make the run's directory: %w", err)
	}
	r.dir = dir
	if err := r.environment(); err != nil {
		return nil, err
	}
	r.watch = startWatch(dir)
	theRun = r
	return r, nil
}

// personal are the variables that would lead a test to the desktop, the
// daemon or the secrets of the person who runs it.
var personal = []string{
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
	"AT_SPI_BUS_ADDRESS", "SESSION_MANAGER", "XDG_SESSION_ID",
}

// environment keeps the tests away from the person's own desktop, daemon and
// state: temporary files and XDG directories are the run's.
func (r *run) environment() error {
	// The go command finds its settings through XDG_CONFIG_HOME, and tests
	// build programs: keep it where it was.
	if config, err := os.UserConfigDir(); err == nil && os.Getenv("GOENV") == "" {
		if err := os.Setenv("GOENV", filepath.Join(config, "go", "env")); err != nil {
			return err
		}
	}
	for _, name := range personal {
		os.Unsetenv(name)
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "VIBESPACE_") && name != "VIBESPACE_REQUIRE" && name != "VIBESPACE_KEEP_PICTURES" {
			os.Unsetenv(name)
		}
	}
	dirs := map[string]string{
		"TMPDIR":          r.dir,
		"XDG_RUNTIME_DIR": filepath.Join(r.dir, xdgDir, "run"),
		"XDG_STATE_HOME":  filepath.Join(r.dir, xdgDir, "state"),
		"XDG_CONFIG_HOME": filepath.Join(r.dir, xdgDir, "config"),
		"XDG_DATA_HOME":   filepath.Join(r.dir, xdgDir, "data"),
	}
	for name, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make %s for the run: %w", name, err)
		}
		if err := os.Setenv(name, dir); err != nil {
			return err
		}
	}
	return nil
}

// The two directories of a run that may hold something at its end.
const (
	xdgDir    = "x"
	sharedDir = "shared"
)

// end looks for what is left, removes it, and lists it.
func (r *run) end(config Config) []string {
	var leaks []string
	deadline := time.Now().Add(config.Grace)
	leaks = append(leaks, r.goroutines(config, deadline)...)
	leaks = append(leaks, r.endProcesses(deadline)...)
	r.watch.end()
	leaks = append(leaks, r.endThings(deadline)...)
	leaks = append(leaks, r.files()...)
	if err := os.RemoveAll(r.dir); err != nil {
		leaks = append(leaks, err.Error())
	}
	sort.Strings(leaks)
	return leaks
}

// goroutines reports what still runs in this process, the watch excepted, once it
// had its time: goleak alone gives it half a second.
func (r *run) goroutines(config Config, deadline time.Time) []string {
	options := append([]goleak.Option{
		goleak.IgnoreAnyFunction("vibespace/internal/need.startWatch.func1"),
	}, config.Goroutines...)
	err := goleak.Find(options...)
	for err != nil && time.Now().Before(deadline) {
		err = goleak.Find(options...)
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// endProcesses waits until no process of the run is left, then kills the rest:
// they carry the run's own mark or descend from it.
func (r *run) endProcesses(deadline time.Time) []string {
	left := remaining(r.dir, os.Getpid())
	for len(left) > 0 && time.Now().Before(deadline) {
		time.Sleep(look)
		left = remaining(r.dir, os.Getpid())
	}
	var leaks []string
	for _, p := range left {
		leaks = append(leaks, p.String())
	}
	kill(r.dir, os.Getpid())
	return leaks
}

// remaining lists the living processes of a run, and none only when a second look
// finds none either: one look misses a process that was forked while it looked, and
// one that is becoming another program, which has no environment then.
func remaining(dir string, root int) []process {
	left := belonging(dir, root)
	if len(left) == 0 {
		time.Sleep(look)
		left = belonging(dir, root)
	}
	return left
}

// kill ends what belongs to a run, again until nothing does; a process may
// fork between the look and the signal.
func kill(dir string, root int) {
	for range 20 {
		left := remaining(dir, root)
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			if now, ok := readProcess(p.pid); ok && now.start == p.start {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // gone meanwhile is fine
			}
		}
		time.Sleep(look)
	}
}

// endThings waits until no X socket, lock or segment of the run is left.
func (r *run) endThings(deadline time.Time) []string {
	// Another run may have begun since: what it made is none of ours.
	find := func() []string { return r.watch.leftovers(len(otherRuns(r.base, r.dir)) == 0) }
	left := find()
	for len(left) > 0 && time.Now().Before(deadline) {
		time.Sleep(look)
		left = find()
	}
	return left
}

// files lists what lies in the run's temporary directory.
func (r *run) files() []string {
	var left []string
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what vanishes meanwhile is no leak
		}
		if path == filepath.Join(r.dir, xdgDir) || path == filepath.Join(r.dir, sharedDir) {
			return fs.SkipDir
		}
		if path != r.dir {
			left = append(left, "file "+path)
		}
		return nil
	}
	if err := filepath.WalkDir(r.dir, walk); err != nil && !errors.Is(err, fs.ErrNotExist) {
		left = append(left, err.Error())
	}
	const most = 20
	if len(left) > most {
		left = append(left[:most], fmt.Sprintf("and %d more files", len(left)-most))
	}
	return left
}

// sweep clears away what earlier runs left that were killed or timed out:
// their directories carry the pid of a program that is gone.
func sweep(base string) {
	for _, dir := range otherRuns(base, "") {
		if pid := runPID(dir); pid != 0 && !livingRun(pid) {
			kill(dir, 0)
			os.RemoveAll(dir)
		}
	}
}

// otherRuns lists the directories of runs under base, own excepted.
func otherRuns(base, own string) []string {
	found, _ := filepath.Glob(filepath.Join(base, runPrefix+"*"))
	var others []string
	for _, dir := range found {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || dir == own {
			continue
		}
		if owner, ok := ownerOf(dir); !ok || owner != os.Getuid() {
			continue
		}
		others = append(others, dir)
	}
	return others
}

// ownerOf gives the owner of a file.
func ownerOf(path string) (uid int, ok bool) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return 0, false
	}
	return int(st.Uid), true
}

// runPID reads the pid out of a run's directory name.
func runPID(dir string) int {
	name := strings.TrimPrefix(filepath.Base(dir), runPrefix)
	text, _, _ := strings.Cut(name, ".")
	pid, _ := strconv.Atoi(text)
	return pid
}

// livingRun reports whether the program of a run still lives.
func livingRun(pid int) bool {
	p, ok := readProcess(pid)
	return ok && p.alive()
}
