//go:build gles

// Command vibespace-desktop is the person's window on what agents do.
//
// It is built with the tag gles alone (make build): without it the OpenGL
// binding takes four times as long to compile and draws the same.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"github.com/go-gl/glfw/v3.3/glfw"

	"vibespace/gui"
	"vibespace/gui/state"
	"vibespace/internal/api"
	"vibespace/internal/client"
)

// version is set by the linker.
var version = "dev"

// appID is where the toolkit keeps what the app remembers.
const appID = "vibespace.desktop"

// help is what --help says.
const help = `vibespace-desktop shows what agents do in their windows, and lets you take over.

Usage:
  vibespace-desktop [--window <handle>]

  --window <handle>  show this window at first (vibespace list names them)
  --version          say the version
  -h, --help         say this

It starts the daemon if none runs; VIBESPACE_NO_START=1 keeps it from that.
Exit status: 0 closed, 1 it cannot be shown, 2 wrong usage.
The commands for a terminal are vibespace's: vibespace --help.
`

func main() {
	window, said, err := parse(os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "vibespace-desktop: %v\n\n%s", err, help)
		os.Exit(2)
	case said != "":
		fmt.Print(said)
		return
	}
	if err := run(window); err != nil {
		fmt.Fprintln(os.Stderr, "vibespace-desktop:", err)
		os.Exit(1)
	}
}

// parse reads the arguments: the window to show at first, if any, or what is
// said instead of showing anything. The error is wrong usage.
func parse(args []string) (window, said string, err error) {
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		switch {
		case args[0] == "--help" || args[0] == "-h":
			return "", help, nil
		case args[0] == "--version":
			return "", version + "\n", nil
		case name != "--window":
			return "", "", fmt.Errorf("it takes no argument %q: the commands are vibespace's", args[0])
		case !joined && len(args) > 1:
			value, args = args[1], args[1:]
		}
		if value == "" {
			return "", "", errors.New("--window wants a handle")
		}
		window, args = value, args[1:]
	}
	return window, "", nil
}

// run shows the app until the person closes it.
func run(window string) error {
	environ := settle()
	if err := display(os.Getenv("DISPLAY")); err != nil {
		return err
	}
	paths, err := api.PathsFrom(os.Getenv, os.Getuid())
	if err != nil {
		return err
	}
	here, err := os.Executable()
	if err != nil {
		return err
	}
	cfg := client.Config{Paths: paths, Owner: true, Version: version, Environ: environ, NoStart: true}
	c := client.New(cfg)
	defer c.Close()
	var starter *client.Client
	if os.Getenv("VIBESPACE_NO_START") != "1" {
		cfg.NoStart = false
		starter = client.New(cfg)
		defer starter.Close()
	}
	app.SetMetadata(fyne.AppMetadata{ID: appID, Name: "VibeSpace", Version: version})
	gui.Run(gui.Config{
		App: app.NewWithID(appID), Desk: state.NewDesk(c, starter, fmt.Sprintf("desktop-%d", os.Getpid())),
		Lang: state.LangFrom(os.Getenv), Program: filepath.Join(filepath.Dir(here), "vibespace-window"),
		Window: api.Handle(window),
		Tray:   hasTray(),
		Rest: gui.Rest{
			Wait: func(most time.Duration) { glfw.WaitEventsTimeout(most.Seconds()) },
			Wake: glfw.PostEmptyEvent,
			// The toolkit's driver locks the first goroutine to the first thread.
			Drawing: func() bool { return syscall.Gettid() == os.Getpid() },
		},
		Plane: planes(os.Getenv),
		// The window is gone and nothing is left to be done: the daemon notices by
		// itself whoever goes away.
		Overdue: func() { os.Exit(0) },
	})
	return nil
}

// display says why there is no X server to show a window on, before the toolkit
// panics for it. One on another machine is left to the toolkit.
func display(name string) error {
	if name == "" {
		return errors.New("there is no display to show a window on: DISPLAY is not set; vibespace --help lists what goes without")
	}
	number, ok := strings.CutPrefix(name, ":")
	if number, _, _ = strings.Cut(number, "."); !ok || number == "" {
		return nil
	}
	for _, socket := range []string{"/tmp/.X11-unix/X" + number, "@/tmp/.X11-unix/X" + number} {
		if conn, err := net.Dial("unix", socket); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("there is no display to show a window on: nothing answers at %s", name)
}
