package acceptance

import (
	"strconv"
	"time"

	"vibespace/fixtures"
)

// seen bounds how long a program may take to write what it saw, after the
// command that did it has answered.
const seen = 45 * time.Second

// kits are the fixtures that have one and the same set of controls.
var kits = []string{"gtk3.py", "gtk4.py", "qt5.py"}

// program is a fixture in a window, and what it saw.
type program struct {
	*Caller
	kit, handle string
	window      Window
	log         *fixtures.Journal
}

// fixture opens a fixture for a caller; what follows are flags of the fixture.
func (c *Caller) fixture(kit string, args ...string) program {
	c.t.Helper()
	path := c.w.File(kit + "." + time.Now().Format("150405.000000000") + ".log")
	open := []string{fixtures.Path(c.t, kit), "--env", fixtures.LogVariable + "=" + path, "--timeout", "60s"}
	if len(args) > 0 {
		open = append(append(open, "--"), args...)
	}
	win := c.Open(open...)
	p := program{Caller: c, kit: kit, handle: win.Handle, window: win, log: fixtures.Log(c.t, path)}
	p.log.Wait(c.t, fixtures.Is("ready"), seen)
	return p
}

// ref gives the ref of the one node with a name among the controls a person
// acts on.
func (p program) ref(name string) string { p.t.Helper(); return p.node(name).Ref }

// controls are the roles of what a person acts on: a name may be a label's too.
var controls = map[string]bool{
	"push button": true, "toggle button": true, "check box": true, "radio button": true, "text": true,
	"password text": true, "spin button": true, "slider": true, "menu": true, "menu item": true, "page tab": true,
	"list item": true, "combo box": true, "list": true, "list box": true,
}

// node finds the control of a name.
func (p program) node(name string) Node {
	p.t.Helper()
	var f Found
	p.reads(&f, "find", p.handle, "--name", name)
	var found []Node
	for _, n := range f.Nodes {
		if n.Name == name && controls[n.Role] {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		p.t.Fatalf("%s: %d controls are named %q: %+v", p.kit, len(found), name, f.Nodes)
	}
	return found[0]
}

// unseen fails the test when the program saw anything since the last mark but
// focus, which comes and goes by itself.
func (p program) unseen(what string) {
	p.t.Helper()
	for _, e := range p.log.Since() {
		if e.Kind != "focus" && e.Kind != "scroll" {
			p.t.Errorf("%s: %s, and the program saw %s", p.kit, what, e)
		}
	}
}

// itoa is a number in words of digits.
func itoa(n int) string { return strconv.Itoa(n) }

// point is a point as a flag has it.
func point(x, y int) string { return strconv.Itoa(x) + "," + strconv.Itoa(y) }
