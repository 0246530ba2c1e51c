package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// leastFree is the free space below which the state directory is called full:
// the database, its log and a few pictures.
const leastFree = 64 << 20

// unknownName is how getent ends that finds nobody.
const unknownName = 2

// doctor looks at everything a display needs and changes nothing. What only
// the daemon knows is asked of it when it runs.
func (r *run) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "what is missing or wrong here, with the command that mends it", Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			other := ""
			c, err := r.dial(asOwner, onlyLook, func(c *client.Config) { c.OnOtherVersion = func(v string) { other = v } })
			if err != nil {
				return err
			}
			paths, err := api.PathsFrom(r.Getenv, os.Getuid())
			if err != nil {
				return &usage{message: err.Error()}
			}
			a := api.DoctorAnswer{OK: true, Findings: lookAround(paths)}
			a.Findings = append(a.Findings, askDaemon(cmd.Context(), c, paths, r.common())...)
			if other != "" {
				a.Findings = append(a.Findings, fault("version", "vibespace down && vibespace up", "the daemon is version %s and this is %s", other, r.Version))
			}
			return answer(r, "doctor", a, nil)
		},
	}
}

// fine is a finding that needs nothing.
func fine(what, why string, args ...any) api.Finding {
	return api.Finding{What: what, OK: true, Why: fmt.Sprintf(why, args...)}
}

// fault is a finding with the command that mends it.
func fault(what, mend, why string, args ...any) api.Finding {
	return api.Finding{What: what, Why: fmt.Sprintf(why, args...), Mend: mend}
}

// lookAround finds what can be seen without the daemon.
func lookAround(p api.Paths) []api.Finding {
	list := []api.Finding{}
	for _, d := range packages {
		if path := d.find(); path != "" {
			list = append(list, fine(d.name, "%s", path))
		} else {
			list = append(list, fault(d.name, "sudo apt-get install "+d.name, "missing: %s", d.use))
		}
	}
	list = append(list, lookBrowser(), lookProgram(), lookDesktop(), lookUser(os.Getuid()), lookDir("runtime directory", p.Runtime), lookDir("state directory", p.State))
	list = append(list, lookSpace(p.State), lookX11())
	for _, f := range []struct{ what, path string }{
		{"owner credential", p.OwnerFile()}, {"daemon's log", p.LogFile()}, {"database", filepath.Join(p.State, "state.db")}, {"socket", p.Socket},
	} {
		if finding, there := lookFile(f.what, f.path); there {
			list = append(list, finding)
		}
	}
	return append(list, lookCrash(p.CrashFile())...)
}

// lookUser looks whether a user has a name: the message bus turns away who has
// none, as the users of some containers. The system is asked, which may know
// users from elsewhere than its file.
func lookUser(uid int) api.Finding {
	ctx, cancel := context.WithTimeout(context.Background(), probeBound)
	defer cancel()
	var ended *exec.ExitError
	out, err := exec.CommandContext(ctx, "getent", "passwd", strconv.Itoa(uid)).Output()
	if errors.As(err, &ended) && ended.ExitCode() == unknownName {
		return fault("user", "getent passwd "+strconv.Itoa(uid), "uid %d has no entry there, and a display's message bus turns away who has none", uid)
	}
	if err != nil {
		return fine("user", "uid %d was not looked up: %v", uid, err)
	}
	name, _, _ := strings.Cut(string(out), ":")
	return fine("user", "%s", name)
}

// lookProgram looks for the daemon's program.
func lookProgram() api.Finding {
	path, err := beside("vibespaced")
	if err != nil {
		return fault("vibespaced", "make build", "%v", err)
	}
	return fine("vibespaced", "%s", path)
}

// chromiums are the programs that the browser's ladder starts. A face does not
// know the ladder: a test holds the two together.
var chromiums = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
	"microsoft-edge-stable", "vivaldi-stable", "vivaldi", "ungoogled-chromium",
}

// lookBrowser looks for what vibespace-browser drives, which windows do without.
func lookBrowser() api.Finding {
	for _, name := range chromiums {
		if path, err := exec.LookPath(name); err == nil {
			return fine("chromium (optional)", "%s", path)
		}
	}
	return fine("chromium (optional)", "missing: vibespace-browser needs it, and nothing else does; sudo apt-get install chromium")
}

// lookDesktop looks for the desktop app, which the command lines do without.
func lookDesktop() api.Finding {
	path, err := beside(desktopName)
	if err != nil {
		return fine(desktopName+" (optional)", "%v: vibespace without a command and watch need it; make build", err)
	}
	return fine(desktopName+" (optional)", "%s", path)
}

// beside gives the path of a program that lies beside this one.
func beside(name string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("this program does not know where it lies: %w", err)
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	path := filepath.Join(filepath.Dir(exe), name)
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("%s is not there or not executable", path)
	}
	return path, nil
}

// lookDir looks at a directory of ours.
func lookDir(what, path string) api.Finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fine(what, "%s is made when it is needed", path)
	case err != nil:
		return fault(what, "ls -ld "+path, "%s cannot be looked at: %v", path, err)
	case !info.IsDir():
		return fault(what, "rm "+path, "%s is not a directory", path)
	case !isMine(info):
		return fault(what, "export VIBESPACE_RUNTIME_DIR=… VIBESPACE_STATE_DIR=…", "%s belongs to another user", path)
	case info.Mode().Perm()&0o077 != 0:
		return fault(what, "chmod 700 "+path, "%s is open to others (%v)", path, info.Mode().Perm())
	}
	if err := syscall.Access(path, 2); err != nil {
		return fault(what, "chmod u+rwx "+path, "%s cannot be written: %v", path, err)
	}
	return fine(what, "%s", path)
}

// isMine says whether a file is this user's.
func isMine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// lookFile looks at a file of ours, if it is there.
func lookFile(what, path string) (api.Finding, bool) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.Finding{}, false
	case err != nil:
		return fault(what, "ls -l "+path, "%s cannot be looked at: %v", path, err), true
	case !isMine(info):
		return fault(what, "sudo rm "+path, "%s belongs to another user", path), true
	case info.Mode().Perm()&0o077 != 0:
		return fault(what, "chmod 600 "+path, "%s is open to others (%v)", path, info.Mode().Perm()), true
	}
	return fine(what, "%s", path), true
}

// lookSpace looks at the room the state has.
func lookSpace(dir string) api.Finding {
	at := dir
	for at != "/" {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(at, &st); err != nil {
		return fault("free space", "df -h "+at, "the file system of %s cannot be asked: %v", at, err)
	}
	free := st.Bavail * uint64(st.Bsize)
	if free < leastFree {
		return fault("free space", "df -h "+at, "%d MB are free below %s", free>>20, at)
	}
	return fine("free space", "%d MB below %s", free>>20, at)
}

// lookX11 looks at the directory of X sockets, which is every user's.
func lookX11() api.Finding {
	const dir = "/tmp/.X11-unix"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fine("X sockets", "%s is made when it is needed", dir)
	case err != nil, !info.IsDir(), info.Mode()&fs.ModeSticky == 0, info.Mode().Perm() != 0o777:
		return fault("X sockets", "sudo install -d -m 1777 "+dir, "%s does not let everybody make sockets", dir)
	}
	return fine("X sockets", "%s", dir)
}

// lookCrash says that a daemon crashed.
func lookCrash(path string) []api.Finding {
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return nil
	}
	return []api.Finding{fault("crash", "rm "+path, "a daemon crashed at %s and left word in %s", info.ModTime().UTC().Format("2006-01-02T15:04:05Z"), path)}
}

// askDaemon finds what the daemon knows, or how it is gone.
func askDaemon(ctx context.Context, c *client.Client, p api.Paths, common api.Common) []api.Finding {
	if !c.Listens(ctx) {
		if _, err := os.Lstat(p.Socket); err == nil {
			return []api.Finding{fault("daemon", "vibespace up", "it died and left %s", p.Socket)}
		}
		return []api.Finding{fine("daemon", "none runs: a command that needs it starts it")}
	}
	a, err := c.Doctor(ctx, api.ListRequest{Common: common})
	if err != nil {
		e := api.AsError(err, api.Internal)
		mend := "vibespace down"
		if e.Code == api.OwnerOnly {
			mend = "vibespace down && vibespace up"
		}
		return []api.Finding{fault("daemon", mend, "it listens and answers %s: %s", e.Code, e.Message)}
	}
	return a.Findings
}
