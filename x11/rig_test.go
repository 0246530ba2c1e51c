package x11

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"vibespace/internal/need"
	"vibespace/x11/xvfb"
)

// rig is a display of its own for one test, with a connection to it.
type rig struct {
	t   testing.TB
	srv *xvfb.Server
	c   *Conn
	dir string
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return rigOn(t, xvfb.Config{})
}

// rigOn is newRig with a server that is told more.
func rigOn(t testing.TB, cfg xvfb.Config) *rig {
	t.Helper()
	need.Xvfb(t)
	r := &rig{t: t, dir: need.Dir(t)}
	cfg.Dir, cfg.Screen = r.dir, xvfb.Size{W: 1920, H: 1200}
	srv, err := xvfb.Start(soon(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.srv = srv
	t.Cleanup(func() {
		if err := srv.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	r.c = r.dial()
	return r
}

// dial makes a connection that ends with the test.
func (r *rig) dial() *Conn {
	r.t.Helper()
	c, err := Dial(soon(r.t), r.srv.Display(), r.srv.Cookie())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.t.Errorf("close: %v", err)
		}
	})
	return c
}

func (r *rig) env() []string {
	return []string{
		"DISPLAY=" + r.srv.Display(), "XAUTHORITY=" + r.srv.CookieFile(), "HOME=" + r.dir, "TMPDIR=" + r.dir,
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=" + r.dir, "NO_AT_BRIDGE=1",
		"GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "GSK_RENDERER=cairo", "GTK_USE_PORTAL=0", "GIO_USE_VFS=local",
		"GSETTINGS_BACKEND=memory",
	}
}

// run starts a program that ends with the test, with its own process group.
func (r *rig) run(env []string, name string, args ...string) *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(r.env(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Dir = r.dir
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	var once sync.Once
	r.t.Cleanup(func() {
		once.Do(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
			if r.t.Failed() && out.Len() > 0 {
				r.t.Logf("%s said: %s", name, out.String())
			}
		})
	})
	return cmd
}

// tool runs a program to its end.
func (r *rig) tool(name string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = r.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// until asks again and again until the answer is yes.
func (r *rig) until(what string, yes func() bool) {
	r.t.Helper()
	until(r.t, what, yes)
}

func until(t testing.TB, what string, yes func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !yes() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// top gives the topmost viewable top level whose class or name contains one of
// the words.
func (r *rig) top(words ...string) WindowID {
	r.t.Helper()
	var found WindowID
	r.until("a window of "+words[0], func() bool {
		found = 0
		_ = r.c.do(soon(r.t), func(x *xgb.Conn) error {
			tree, err := xproto.QueryTree(x, r.c.root).Reply()
			if err != nil {
				return err
			}
			for _, w := range tree.Children {
				attrs, err := xproto.GetWindowAttributes(x, w).Reply()
				if err != nil || attrs.MapState != xproto.MapStateViewable {
					continue
				}
				for _, prop := range []xproto.Atom{xproto.AtomWmClass, xproto.AtomWmName} {
					p, err := xproto.GetProperty(x, false, w, prop, xproto.GetPropertyTypeAny, 0, 256).Reply()
					for _, word := range words {
						if err == nil && strings.Contains(strings.ToLower(string(p.Value)), word) {
							found = WindowID(w)
						}
					}
				}
			}
			return nil
		})
		return found != 0
	})
	return found
}

// focusOn gives a window the X focus and waits until it has it.
func (r *rig) focusOn(id WindowID) {
	r.t.Helper()
	r.until("the focus", func() bool {
		var focus xproto.Window
		_ = r.c.do(soon(r.t), func(x *xgb.Conn) error {
			_ = xproto.SetInputFocusChecked(x, xproto.InputFocusParent, xproto.Window(id), 0).Check()
			reply, err := xproto.GetInputFocus(x).Reply()
			if err == nil {
				focus = reply.Focus
			}
			return err
		})
		return WindowID(focus) == id
	})
}

// catcher is an xterm that writes what is typed into it to a file.
func (r *rig) catcher(env ...string) (WindowID, string) {
	r.t.Helper()
	path := filepath.Join(r.dir, "typed")
	r.run(env, need.Tool(r.t, "xterm"), "-u8", "-xrm", "XTerm*allowSendEvents: false", "-e", "sh", "-c",
		"stty raw -echo; cat > '"+path+"'")
	r.until("xterm's shell", func() bool { _, err := os.Stat(path); return err == nil })
	id := r.top("xterm")
	r.focusOn(id)
	return id, path
}

func (r *rig) injector() *Injector {
	r.t.Helper()
	i, err := NewInjector(soon(r.t), r.c)
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

// keysDown gives the keys that the server says are down.
func (r *rig) keysDown() []Keycode {
	r.t.Helper()
	keys, err := call(soon(r.t), r.c, func(x *xgb.Conn) ([]byte, error) {
		reply, err := xproto.QueryKeymap(x).Reply()
		if err != nil {
			return nil, err
		}
		return reply.Keys, nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var b board
	copy(b.down[:], keys)
	return b.pressed()
}

// state gives the keyboard's state.
func (r *rig) state() kbState {
	r.t.Helper()
	s, err := call(soon(r.t), r.c, func(x *xgb.Conn) (kbState, error) {
		k, err := openXKB(x)
		if err != nil {
			return kbState{}, err
		}
		answer, err := k.getState(x).Reply()
		if err != nil {
			return kbState{}, err
		}
		return parseState(answer)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// coreKeys gives the core keyboard map: the symbols of each key that has any.
func (r *rig) coreKeys() map[Keycode]string {
	r.t.Helper()
	keys, err := call(soon(r.t), r.c, func(x *xgb.Conn) (map[Keycode]string, error) {
		reply, err := xproto.GetKeyboardMapping(x, 8, 248).Reply()
		if err != nil {
			return nil, err
		}
		keys, per := map[Keycode]string{}, int(reply.KeysymsPerKeycode)
		for n := range 248 {
			var names []string
			for _, sym := range reply.Keysyms[n*per : (n+1)*per] {
				if sym != 0 {
					names = append(names, Keysym(sym).String())
				}
			}
			if len(names) > 0 {
				keys[Keycode(8+n)] = strings.Join(names, " ")
			}
		}
		return keys, nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return keys
}

const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
	killSignal     = syscall.SIGKILL
)

// signalServer sends a signal to the X server of the rig.
func (r *rig) signalServer(sig syscall.Signal) {
	if err := syscall.Kill(r.srv.Process().PID(), sig); err != nil {
		r.t.Error(err)
	}
}
