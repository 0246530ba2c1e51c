package cli

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

// desktopName is the desktop app's program; it lies beside this one.
const desktopName = "vibespace-desktop"

// desktop becomes the desktop app: nothing of this process is left, so that
// what ends it ends the app.
func (r *run) desktop(args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	path := filepath.Join(filepath.Dir(exe), desktopName)
	if _, err := os.Stat(path); err != nil {
		return api.Refuse(api.NotYet, "the desktop app is not beside this program: there is no %s", path).
			WithHint("vibespace --help lists what goes without it; make build builds it where its libraries are")
	}
	if r.Getenv("DISPLAY") == "" {
		return api.Refuse(api.StartFailed, "there is no display to show the desktop app on: DISPLAY is not set").
			WithHint("vibespace --help lists what goes without it")
	}
	if err := syscall.Exec(path, append([]string{path}, args...), os.Environ()); err != nil {
		return api.Refuse(api.StartFailed, "%s could not be started: %v", path, err)
	}
	return nil
}

// watch shows a window in the desktop app.
func (r *run) watch() *cobra.Command {
	return &cobra.Command{
		Use: "watch <handle>", Short: "see a window live, in the desktop app", Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return r.desktop("--window", args[0]) },
	}
}
