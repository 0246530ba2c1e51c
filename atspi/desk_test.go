package atspi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
)

// desk is a real display for tests: an X server, a session bus and an
// accessibility bus, with everything that runs there ended at the test's end.
// It is not the product's display: this package may not know that one.
type desk struct {
	t       testing.TB
	dir     string
	mark    string // in the environment of every process of the desk
	display string
	session string // address of the session bus
	access  string // address of the accessibility bus
	conn    *Conn
	more    []string // further environment of what is started from now on
}

// deskCount tells the desks of one test program apart.
var deskCount atomic.Int64

// deskConfig is a session bus that activates nothing.
const deskConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`

// newDesk starts a desk. Missing programs skip the test by package name.
func newDesk(t testing.TB) *desk {
	t.Helper()
	need.Display(t)
	need.Tool(t, "xprop")
	dir := need.Dir(t)
	d := &desk{t: t, dir: dir, mark: fmt.Sprintf("ATSPI_DESK=%d.%d", os.Getpid(), deskCount.Add(1))}
	t.Cleanup(d.end)
	d.startServer()
	d.session = d.startBus("session")
	d.start(nil, "/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	d.until("accessibility bus", patience, func() bool {
		var err error
		d.access, err = Address(ctx, d.session)
		return err == nil
	})
	if err := Enable(ctx, d.session); err != nil {
		t.Fatal(err)
	}
	d.run("xprop", "-root", "-f", "AT_SPI_BUS", "8s", "-set", "AT_SPI_BUS", d.access)
	d.conn = d.dial(Config{})
	// As on the product's displays: somebody listens before the first
	// application comes, or Firefox fills no cache.
	if err := d.conn.Register(ctx); err != nil {
		t.Fatal(err)
	}
	return d
}

// newBus starts a bare bus without a display, for fake peers.
func newBus(t testing.TB) *desk {
	t.Helper()
	need.DBus(t)
	dir := need.Dir(t)
	d := &desk{t: t, dir: dir, mark: fmt.Sprintf("ATSPI_DESK=%d.%d", os.Getpid(), deskCount.Add(1))}
	t.Cleanup(d.end)
	d.access = d.startBus("access")
	d.conn = d.dial(Config{})
	return d
}

// dial opens a further connection to the accessibility bus.
func (d *desk) dial(cfg Config) *Conn { return d.dialFor(d.t, cfg) }

// dialFor is dial for a test that shares the desk.
func (d *desk) dialFor(t testing.TB, cfg Config) *Conn {
	t.Helper()
	cfg.Address = d.access
	c, err := DialConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func (d *desk) startServer() {
	d.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	d.startWith([]*os.File{w}, nil, "Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-noreset", "-screen", "0", "1920x1200x24")
	w.Close()
	r.SetReadDeadline(time.Now().Add(patience))
	// To the line's end: Xvfb writes the digits and the newline apart and gives
	// up when nobody is left to read the second.
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		d.t.Fatalf("Xvfb gave no display: %v", err)
	}
	d.display = ":" + strings.TrimSpace(number)
}

func (d *desk) startBus(name string) string {
	d.t.Helper()
	socket := filepath.Join(d.dir, name)
	config := socket + ".conf"
	if err := os.WriteFile(config, fmt.Appendf(nil, deskConfig, socket), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.start(nil, "dbus-daemon", "--nofork", "--config-file="+config)
	d.until(name+" bus", patience, func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "unix:path=" + socket
}

// env is the whole environment of the desk's processes.
func (d *desk) env(more []string) []string {
	env := []string{
		d.mark, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"HOME=" + d.dir, "TMPDIR=" + d.dir, "XDG_RUNTIME_DIR=" + d.dir, "DISPLAY=" + d.display,
		"XDG_CONFIG_HOME=" + d.dir + "/config", "XDG_CACHE_HOME=" + d.dir + "/cache", "XDG_DATA_HOME=" + d.dir + "/data",
		"DBUS_SESSION_BUS_ADDRESS=" + d.session, "GSETTINGS_BACKEND=memory", "GTK_USE_PORTAL=0",
		"GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "GSK_RENDERER=cairo", "GIO_USE_VFS=local", "NO_AT_BRIDGE=0",
		"MOZ_ENABLE_WAYLAND=0", "XDG_SESSION_TYPE=x11",
	}
	return append(append(env, d.more...), more...)
}

// start runs a program on the desk until the desk ends and returns its pid.
func (d *desk) start(env []string, name string, args ...string) int {
	d.t.Helper()
	return d.startWith(nil, env, name, args...)
}

func (d *desk) startWith(files []*os.File, env []string, name string, args ...string) int {
	d.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir, cmd.ExtraFiles = d.env(env), d.dir, files
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	log.Close()
	if err != nil {
		d.t.Fatalf("start %s: %v", name, err)
	}
	waited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(waited) }()
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-waited
	})
	return cmd.Process.Pid
}

// run runs a program to its end and returns what it printed.
func (d *desk) run(name string, args ...string) string {
	d.t.Helper()
	out, err := d.try(name, args...)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// try is run for a program that may fail.
func (d *desk) try(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir = d.env(nil), d.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w\n%s", name, args, err, stderr.Bytes())
	}
	return string(out), nil
}

// until asks again and again, a little less often each time.
func (d *desk) until(what string, limit time.Duration, ok func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(limit)
	for pause := 5 * time.Millisecond; !ok(); pause = min(pause*2, 200*time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(d.dir, "log"))
			d.t.Fatalf("%s did not come within %v\n%s", what, limit, log)
		}
		time.Sleep(pause)
	}
}

// end kills what carries the desk's mark until nothing does.
func (d *desk) end() {
	if d.conn != nil {
		d.conn.Close()
	}
	// One look is not enough: it misses who becomes another program meanwhile, which
	// has no environment then.
	for quiet, deadline := 0, time.Now().Add(patience); quiet < 3 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		pids := marked(d.mark)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if quiet++; len(pids) > 0 {
			quiet = 0
		}
	}
	if n, ok := strings.CutPrefix(d.display, ":"); ok {
		_ = os.Remove("/tmp/.X11-unix/X" + n)
		_ = os.Remove("/tmp/.X" + n + "-lock")
	}
}

// marked lists the running processes with that entry in their environment.
func marked(mark string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
