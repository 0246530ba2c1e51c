package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vibespace/internal/api"
)

// A sandbox is bubblewrap's namespaces around one command. What it sees is
// listed, not what it does not: the system's programs read-only, the working
// directory and --bind read-write, our own programs and the command's directory
// read-only, the daemon's socket, a /proc of its own processes, empty
// directories for the rest. So the owner credential, cookies, tokens, buses and
// other people's processes are not closed off one by one; they are not there.
type sandbox struct {
	r     *run
	bwrap string
	args  []string // of bwrap, up to the command
	seen  []string // the directories that are bound, besides the system's
	// hidden are directories of ours and of the person's desktop, which one that
	// is seen may hold; files are such files.
	hidden, files []string
}

// insideSocket is where the daemon's socket lies in a sandbox.
const insideSocket = "/run/vibespace/api.sock"

// systemDirs are what programs are made of; links among them stay links.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"}

// desktopEnv are the variables that lead to the person's own desktop and keys.
var desktopEnv = []string{
	"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS",
	"XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "SESSION_MANAGER", "ICEAUTHORITY", "TMPDIR",
}

// probeBound is how long looking whether a sandbox can be made may take.
const probeBound = 10 * time.Second

// newSandbox plans a sandbox for a command and makes sure that it can be made.
func (r *run) newSandbox(ctx context.Context, f *runFlags, command string) (*sandbox, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, api.Refuse(api.StartFailed, "there is no sandbox here: bwrap is missing").
			WithHint("sudo apt-get install bubblewrap")
	}
	paths, err := api.PathsFrom(r.Getenv, os.Getuid())
	if err != nil {
		return nil, &usage{message: err.Error()}
	}
	cwd, err := r.Getwd()
	if err != nil {
		return nil, api.Refuse(api.BadRequest, "the working directory cannot be found: %v", err)
	}
	s := &sandbox{r: r, bwrap: bwrap, hidden: []string{paths.Runtime, paths.State, filepath.Dir(paths.Socket)}}
	home := r.Getenv("HOME")
	for _, dir := range []string{
		filepath.Join(r.Getenv("XDG_CONFIG_HOME"), "vibespace"), filepath.Join(home, ".config", "vibespace"),
		r.Getenv("XDG_RUNTIME_DIR"), "/tmp/.X11-unix", "/tmp/.ICE-unix",
	} {
		if filepath.IsAbs(dir) {
			s.hidden = append(s.hidden, dir)
		}
	}
	s.files = []string{r.Getenv("XAUTHORITY"), filepath.Join(home, ".Xauthority"), filepath.Join(home, ".ICEauthority")}
	s.base(home)
	for _, dir := range append([]string{cwd}, f.bind...) {
		if err := s.show(dir, "--bind"); err != nil {
			return nil, err
		}
	}
	for _, program := range programsOf(command) {
		if err := s.show(filepath.Dir(program), "--ro-bind"); err != nil {
			return nil, err
		}
	}
	s.hide()
	s.args = append(s.args, "--chdir", cwd)
	return s, s.close(ctx, f.shareNet)
}

// programsOf are the programs a sandboxed command must find: itself and ours,
// as they are called and as they lie on disk.
func programsOf(command string) []string {
	list := []string{command}
	if exe, err := os.Executable(); err == nil {
		list = append(list, exe)
	}
	for _, path := range list[:len(list):len(list)] {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// base is what every sandbox sees.
func (s *sandbox) base(home string) {
	for _, dir := range systemDirs {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if to, err := os.Readlink(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			s.args = append(s.args, "--symlink", to, dir)
			continue
		}
		s.args = append(s.args, "--ro-bind", dir, dir)
	}
	s.args = append(s.args, "--dev", "/dev", "--proc", "/proc", "--perms", "0700", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", "/var/tmp")
	if filepath.IsAbs(home) && !below(home, systemDirs) {
		s.args = append(s.args, "--perms", "0700", "--tmpfs", home)
	}
}

// show binds a directory in. One that lies among ours is refused.
func (s *sandbox) show(dir, how string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		_, err = os.Stat(dir)
	}
	real, rerr := filepath.EvalSymlinks(dir)
	switch {
	case errors.Join(err, rerr) != nil:
		return api.Refuse(api.BadRequest, "%s cannot be shown to the sandbox: %v", api.Quote(dir, 200), errors.Join(err, rerr))
	case below(dir, s.seen), below(dir, systemDirs) && how == "--ro-bind":
		return nil
	case dir == "/" || below(real, s.hidden) || below(dir, s.hidden):
		return api.Refuse(api.BadRequest, "a sandbox does not see %s", api.Quote(dir, 200)).
			WithHint("run it from a directory of its own")
	}
	s.seen = append(s.seen, dir)
	s.args = append(s.args, how, dir, dir)
	return nil
}

// hide puts something empty over each directory and file that what is bound
// would show.
func (s *sandbox) hide() {
	for _, file := range s.files {
		if _, err := os.Stat(file); err == nil && below(file, s.seen) {
			s.args = append(s.args, "--ro-bind", "/dev/null", file)
		}
	}
	for _, dir := range s.hidden {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // it is not there
		}
		for _, d := range slices.Compact([]string{dir, real}) {
			if below(d, s.seen) || below(d, systemDirs) {
				s.args = append(s.args, "--perms", "0700", "--tmpfs", d)
			}
		}
	}
}

// below says whether a path is one of some directories or in one.
func below(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") })
}

// close takes every namespace that this machine gives, and refuses when it
// gives too few. The network's alone is left out with a word when it cannot be
// had: a machine may forbid it and give the others.
func (s *sandbox) close(ctx context.Context, shareNet bool) error {
	s.args = append(s.args, "--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL")
	if shareNet {
		return s.probe(ctx)
	}
	open := s.args
	s.args = append(slices.Clip(s.args), "--unshare-net")
	if s.probe(ctx) == nil {
		return nil
	}
	s.args = open
	if err := s.probe(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.r.Stderr, "%s: this machine gives no network of its own to a sandbox: the command reaches every port here\n", s.r.Name)
	return nil
}

// probe makes the sandbox around nothing.
func (s *sandbox) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeBound)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.bwrap, append(slices.Clip(s.args), "--", "/bin/true")...)
	cmd.Env, cmd.Stderr = []string{"PATH=/usr/bin:/bin"}, &said
	if err := cmd.Run(); err != nil {
		return api.Refuse(api.StartFailed, "no sandbox can be made here: %v: %s", err, api.Quote(strings.TrimSpace(said.String()), 300)).
			WithHint("this machine may forbid user namespaces: sysctl kernel.unprivileged_userns_clone user.max_user_namespaces")
	}
	return nil
}

// passed are the signals that go on to the command.
var passed = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT,
}

// run runs a command in the sandbox, passes signals on to it and gives its
// status as an error.
func (s *sandbox) run(env []string, socket string, words []string) error {
	env = without(env, func(name string) bool { return slices.Contains(desktopEnv, name) || name == "VIBESPACE_SOCKET" })
	env = append(env, "VIBESPACE_SOCKET="+insideSocket, "VIBESPACE_NO_START=1")
	info, child, err := os.Pipe()
	if err != nil {
		return api.Refuse(api.StartFailed, "the sandbox cannot be started: %v", err)
	}
	defer info.Close()
	args := append(slices.Clip(s.args), "--bind", socket, insideSocket, "--info-fd", "3", "--")
	cmd := exec.Command(s.bwrap, append(args, words...)...)
	cmd.Env, cmd.ExtraFiles = env, []*os.File{child}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.r.Stdin, s.r.Stdout, s.r.Stderr
	// Signals of the terminal reach us alone, so that none arrives twice.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passed...)
	defer signal.Stop(signals)
	err = cmd.Start()
	child.Close()
	if err != nil {
		return api.Refuse(api.StartFailed, "the sandbox cannot be started: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	inside := initOf(info)
	for {
		select {
		case sig := <-signals:
			if n, ok := sig.(syscall.Signal); ok {
				pass(inside, n)
			}
		case <-ended:
			return &ranTo{statusOf(cmd.ProcessState)}
		}
	}
}

// initOf reads the first process of a sandbox from what bwrap tells of it, 0
// when it told nothing.
func initOf(info io.Reader) int {
	raw, err := io.ReadAll(io.LimitReader(info, 4096))
	var said struct {
		PID int `json:"child-pid"`
	}
	if err != nil || json.Unmarshal(raw, &said) != nil {
		return 0
	}
	return said.PID
}

// pass sends a signal to the command in a sandbox: the first process is
// bwrap's own, and the command its child.
func pass(inside int, n syscall.Signal) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", inside, inside))
	if err != nil {
		return // it has ended
	}
	for _, word := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(word); err == nil && pid > 1 {
			_ = syscall.Kill(pid, n) // one that has ended needs none
		}
	}
}

// statusOf is an exit status as a shell has it.
func statusOf(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
