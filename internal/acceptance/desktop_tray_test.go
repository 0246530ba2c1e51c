package acceptance

import (
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// busConfig is a session bus that starts nothing by itself.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`

// bus starts the session bus of a person's desktop, for what runs on the screen.
func (s *screen) bus() string {
	s.t.Helper()
	socket := need.Dir(s.t) + "/bus"
	if err := os.WriteFile(socket+".conf", fmt.Appendf(nil, busConfig, socket), 0o600); err != nil {
		s.t.Fatal(err)
	}
	start(s.t, exec.Command(need.Tool(s.t, "dbus-daemon"), "--nofork", "--config-file="+socket+".conf"))
	Eventually(s.t, "the session bus", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	address := "DBUS_SESSION_BUS_ADDRESS=unix:path=" + socket
	s.env = append(s.env, address)
	return address
}

// askToClose does what a window manager's button does: no tool at hand does.
func (s *screen) askToClose(name string) {
	s.t.Helper()
	const script = `import ctypes as c, subprocess, sys
x, L = c.CDLL("libX11.so.6"), c.c_ulong
x.XOpenDisplay.restype, x.XInternAtom.restype = c.c_void_p, L
d = c.c_void_p(x.XOpenDisplay(None))
w = int(subprocess.run(["xdotool", "search", "--onlyvisible", "--name", sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.split()[0])
e = (c.c_long * 24)(33, 0, 0, 0, w, x.XInternAtom(d, b"WM_PROTOCOLS", 0), 32, x.XInternAtom(d, b"WM_DELETE_WINDOW", 0))
x.XSendEvent(d, L(w), 0, c.c_long(0), e)
x.XCloseDisplay(d)`
	cmd := exec.Command(need.Tool(s.t, "python3"), "-c", script, name)
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("close %s: %v\n%s", name, err, out)
	}
}

// turns is how often the app's drawing loop went to sleep so far.
func (a *app) turns() int {
	a.t.Helper()
	pid := strconv.Itoa(a.cmd.Process.Pid)
	raw, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/status")
	if err != nil {
		a.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if n, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
			turns, err := strconv.Atoi(strings.TrimSpace(n))
			if err != nil {
				a.t.Fatal(err)
			}
			return turns
		}
	}
	a.t.Fatal("the app's loop tells no turns")
	return 0
}

// TestDesktopTray: where the desktop has a tray the app is in it, with the
// windows as they stand and a mark for what needs the person; a line of its menu
// leads to the window. Without the tray everything goes on, and closing the
// app's window closes the app and no window of an agent's.
func TestDesktopTray(t *testing.T) {
	t.Parallel()
	need.Tool(t, "python3-gi")
	w := NewWorld(t)
	alice := w.Session("alice")
	win := alice.Open(fixtures.Path(t, "painter.py"), "--mode", "pixels", "--size", "640x480", "--", "--title", "Canvas")
	s := newScreen(t, "1280x800")
	bus := s.bus()

	journal := w.File("tray.log")
	tray := exec.Command(fixtures.Path(t, "tray.py"))
	tray.Env = append(os.Environ(), bus, fixtures.LogVariable+"="+journal)
	press, err := tray.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, tray)
	log := fixtures.Log(t, journal)
	log.Wait(t, fixtures.Is("ready"), seen)

	a := w.desktop(s, "light", "en")
	// It has its name when it comes: a name that comes later may be lost.
	if e := log.Wait(t, fixtures.Is("tray"), seen); e.Name != "VibeSpace" {
		t.Errorf("the icon came as %q", e.Name)
	}
	rest := log.Wait(t, fixtures.Is("icon"), seen)
	log.Wait(t, item("Canvas – Watching"), seen)
	// The icon itself, which leads to the window as it is, and a line of the menu.
	if _, err := io.WriteString(press, "\nCanvas – Watching\n"); err != nil {
		t.Fatal(err)
	}
	take := s.find("Take over", primary, image.Rect(1000, 0, 1280, 240))

	// The loop waits while nothing happens: less than a few turns a second, of
	// sixty. What was done before may still be drawn.
	Eventually(t, "a rest", func() bool {
		before := a.turns()
		time.Sleep(time.Second) // the rate is what is looked at
		return a.turns()-before < 12
	})

	s.click(take)
	log.Wait(t, item("Canvas – You are in control"), seen)
	alice.OK(nil, "ask", win.Handle, "Which colour?")
	log.Wait(t, item("● Canvas – You are in control"), seen)
	log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "icon" && e.Text != rest.Text }, seen)

	// The tray goes; the window is the way in that stays.
	_ = tray.Process.Kill()
	s.do("key", "ctrl+alt+h")
	s.do("key", "space")
	s.click(s.find("Hand back", primary, image.Rect(380, 455, 900, 620)))
	Eventually(t, "the hand-back", func() bool { return w.listed()[0].Input == "agent" })
	s.askToClose("^VibeSpace$")
	ended := make(chan error, 1)
	go func() { ended <- a.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("closing the window: %v\n%s", err, a.log.String())
		}
	case <-time.After(90 * time.Second):
		_ = a.cmd.Process.Kill()
		<-ended
		t.Fatal("the app goes on without its window")
	}
	if l := w.listed(); len(l) != 1 || l[0].State != "ready" {
		t.Errorf("closing the app left %+v", l)
	}
}

// item matches a line of the tray's menu.
func item(name string) func(fixtures.Event) bool {
	return func(e fixtures.Event) bool { return e.Kind == "item" && e.Name == name }
}
