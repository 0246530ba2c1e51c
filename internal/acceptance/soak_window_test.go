//go:build soak

package acceptance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"vibespace/fixtures"
)

// soaked is one window: who drives it, and what its program wrote down.
type soaked struct {
	s    *soak
	c    *Caller
	rng  *rand.Rand
	kit  string
	n    int // of tokens
	file string

	mu     sync.Mutex
	handle string
	pid    int

	log    *fixtures.Journal
	maybe  []string // what may still arrive of acts that were not answered as done
	text   string   // what the terminal has, as of the last look
	opened int
}

// window is the handle and the pid of the program, "" and 0 without one.
func (x *soaked) window() (string, int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.handle, x.pid
}

func (x *soaked) set(handle string, pid int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.handle, x.pid = handle, pid
}

// drive opens the window, as often as it ends, and acts on it.
func (x *soaked) drive(ctx context.Context) {
	for ctx.Err() == nil {
		handle, _ := x.window()
		switch {
		case handle == "":
			if !x.open() && !pausing(ctx, time.Second) {
				return
			}
		case x.rng.IntN(4) == 0:
			x.read(handle)
		default:
			x.act(handle)
		}
		pausing(ctx, time.Duration(x.rng.IntN(300))*time.Millisecond)
	}
}

// token is a text that is typed once in the whole run.
func (x *soaked) token() string {
	x.n++
	return fmt.Sprintf("%s%d.%d", strings.TrimSuffix(x.kit, ".py"), x.opened, x.n)
}

// open opens the window.
func (x *soaked) open() bool {
	x.opened++
	x.file = x.s.w.File(fmt.Sprintf("%s.%s.%d.%d.log", x.c.name, x.kit, x.rng.Uint32(), x.opened), "")
	args := []string{"open", "xterm", "--timeout", "60s", "--", "-e", "sh", "-c", "stty raw -echo; exec cat > " + x.file}
	if x.kit != "xterm" {
		args = []string{"open", fixtures.Path(x.s.t, x.kit), "--env", fixtures.LogVariable + "=" + x.file, "--timeout", "60s"}
	}
	var o Opened
	r := x.s.ask(x.c, args...)
	if !r.OK {
		return false
	}
	r.Into(x.s.t, &o)
	if o.Window.Handle == "" || len(o.NotReady) > 0 {
		x.s.ask(x.c, "stop", o.Window.Handle)
		return false
	}
	x.log, x.maybe, x.text = fixtures.Log(x.s.t, x.file), nil, ""
	if x.kit != "xterm" && !x.waits(func() bool { return len(x.log.Events()) > 0 }, o.Window.PID) {
		x.s.ask(x.c, "stop", o.Window.Handle)
		return false
	}
	x.log.Mark()
	x.set(o.Window.Handle, o.Window.PID)
	x.s.sawClients()
	return true
}

// waits until it is so, for as long as a program may be slow, or until the
// program is no more; nothing is waited for while something is stopped.
func (x *soaked) waits(is func() bool, pid int) bool {
	for end := time.Now().Add(seen); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		x.s.calm()
		if is() {
			return true
		}
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return is()
		}
	}
	return is()
}

// read asks something that changes nothing, and now and then something of
// another's window.
func (x *soaked) read(handle string) {
	verbs := [][]string{
		{"snapshot", handle},
		{"screenshot", handle, "--out", x.s.w.File(x.c.name + x.kit + ".png")},
		{"list"},
		{"status"},
		{"find", handle, "--role", "push button"},
		{"probe", handle},
		{"snapshot", handle, "--diff"},
		{"logs", handle},
	}
	at := x.rng.IntN(len(verbs) + 1)
	if at == len(verbs) {
		other, _ := x.s.workers[x.rng.IntN(len(x.s.workers))].window()
		if strings.HasPrefix(other, "w") && !x.s.reaches(x.c, other) {
			if r := x.s.ask(x.c, "key", other, "x"); r.OK || r.Code != "not_exposed" && r.Code != "unreachable" && r.Code != "busy" {
				x.s.missed("%s is not to reach %s: %v", x.c.name, other, r)
			}
		}
		return
	}
	x.ended(x.s.ask(x.c, verbs[at]...))
}

// reaches says whether a window is one of a session's own.
func (s *soak) reaches(c *Caller, handle string) bool {
	for _, other := range s.workers {
		if x, ok := other.(*soaked); ok && x.c.name == c.name {
			if h, _ := x.window(); h == handle {
				return true
			}
		}
	}
	return false
}

// ended lets go of a window that can be driven no more.
func (x *soaked) ended(r Reply) {
	handle, _ := x.window()
	switch r.Code {
	case "not_live", "app_exited":
		x.set("", 0)
	case "no_tree", "not_exposed":
		if x.kit == "xterm" || x.kit == "bare.py" {
			return
		}
		x.s.ask(x.c, "stop", handle)
		x.set("", 0)
	}
}

// act does one act and asks the program what came of it.
func (x *soaked) act(handle string) {
	x.s.acts.Add(1)
	switch {
	case x.kit == "xterm":
		x.terminal(handle)
	case x.kit == "bare.py":
		at := point(10+x.rng.IntN(200), 10+x.rng.IntN(150))
		x.settle(x.s.ask(x.c, "click", handle, "--at", at), "press "+at)
	case x.rng.IntN(2) == 0:
		names := []string{"Alpha", "Beta", "Gamma", "Target", "Victim"}
		name := names[x.rng.IntN(len(names))]
		if ref, ok := x.ref(handle, name); ok {
			x.settle(x.s.ask(x.c, "click", handle, ref), "click "+name)
		}
	default:
		if ref, ok := x.ref(handle, "Name"); ok {
			token := x.token()
			x.settle(x.s.ask(x.c, "type", handle, ref, token, "--replace"), "text Name "+token)
		}
	}
}

// ref finds the control of a name.
func (x *soaked) ref(handle, name string) (string, bool) {
	var f Found
	r := x.s.ask(x.c, "find", handle, "--name", name)
	if !r.OK {
		x.ended(r)
		return "", false
	}
	r.Into(x.s.t, &f)
	for _, n := range f.Nodes {
		if n.Name == name && controls[n.Role] {
			return n.Ref, true
		}
	}
	return "", false
}

// says is an event in the words an act is expected with, "" for one that no act
// of these makes by itself.
func (x *soaked) says(e fixtures.Event) string {
	switch e.Kind {
	case "click":
		return "click " + e.Control
	case "text":
		return "text " + e.Control + " " + e.Text
	case "press":
		if x.kit == "bare.py" {
			return "press " + point(e.X, e.Y)
		}
	case "toggle", "value", "select", "dialog", "close":
		return e.Kind + " " + e.Control
	}
	return ""
}

// settle compares what the program saw with what was asked: all of it when that
// was answered as done, and nothing else in any case.
func (x *soaked) settle(r Reply, want string) {
	_, pid := x.window()
	saw := func() bool {
		for _, e := range x.log.Since() {
			if x.says(e) == want {
				return true
			}
		}
		return false
	}
	if r.OK {
		lives := !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		if !x.waits(saw, pid) && lives && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			x.s.missed("%s of %s was done and not seen (%s): %v", want, x.kit, x.file, r)
		}
	} else {
		x.maybe = append(x.maybe, want)
		x.s.calm()
	}
	for _, e := range x.log.Since() {
		got := x.says(e)
		if got != "" && got != want && !x.expected(got) {
			x.s.missed("%s was asked of %s, and it saw %s: %v", want, x.kit, e, r)
		}
	}
	x.log.Mark()
	x.ended(r)
}

// expected says whether an event is of an act before: a late one, or a text on
// its way from one to the next.
func (x *soaked) expected(got string) bool {
	const field = "text Name "
	for i, m := range x.maybe {
		if got == m {
			x.maybe = append(x.maybe[:i:i], x.maybe[i+1:]...)
			return true
		}
	}
	// A replacement is an empty field before it is the new text.
	return got == field
}

// terminal types into a terminal: it has a beginning of what was sent, and all of
// it when that was answered as done.
func (x *soaked) terminal(handle string) {
	_, pid := x.window()
	token := x.token() + ";"
	r := x.s.ask(x.c, "type", handle, token)
	got := ""
	look := func() bool {
		raw, _ := os.ReadFile(x.file)
		rest, whole := strings.CutPrefix(string(raw), x.text)
		got = rest
		return whole && (!r.OK || rest == token)
	}
	if r.OK {
		lives := !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		if !x.waits(look, pid) && lives && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			x.s.missed("%q was typed and the terminal (%s) has %q: %v", token, x.file, got, r)
		}
	} else {
		// What is on its way arrives, once nothing is stopped.
		for last := "-"; last != got; {
			last = got
			x.s.calm()
			time.Sleep(300 * time.Millisecond)
			look()
		}
		if !strings.HasPrefix(token, got) {
			x.s.missed("%q was cut and the terminal (%s) has %q: %v", token, x.file, got, r)
		}
	}
	x.text += got
	x.ended(r)
}
