package atspi

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vibespace/fixtures"
)

// patience is how long a test waits for what a loaded machine does in the end.
const patience = 90 * time.Second

// rig is one toolkit fixture that runs on a desk of its own.
type rig struct {
	*desk
	toolkit string // gtk3, gtk4 or qt5
	pid     int
	log     string // where the journal lies
	journal *fixtures.Journal
	app     Ref
	seen    []leaf
}

// leaf is what the rig's own slow reader knows of a node. It is written apart
// from the product's reader so that the two can be told from one another.
type leaf struct {
	Ref
	role Role
	name string
	up   Ref // the parent
	at   int // the place among its siblings
}

// toolkits are the fixtures that have the whole set of controls.
var toolkits = []string{"gtk3", "gtk4", "qt5"}

// newRig starts a fixture, registered for its events before it came, and waits
// until its whole tree is on the bus.
func newRig(t *testing.T, kind string, args ...string) *rig {
	t.Helper()
	path := fixtures.Path(t, kind+".py")
	r := &rig{desk: newDesk(t), toolkit: kind}
	if err := r.conn.Register(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.log = filepath.Join(r.dir, "journal")
	r.journal = fixtures.Log(t, r.log)
	r.pid = r.start([]string{fixtures.LogVariable + "=" + r.log}, path, args...)
	r.journal.Wait(t, fixtures.Is("ready"), patience)
	r.until("tree of "+kind, patience, func() bool {
		r.look()
		return r.has("Below") && r.has("Alpha")
	})
	return r
}

// ctx is a context that outlives any wait of a test.
func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	r.t.Cleanup(cancel)
	return ctx
}

// look reads the whole tree of the one application on the desk anew.
func (r *rig) look() {
	r.t.Helper()
	r.seen = nil
	root := Ref{Bus: registryName, Path: "/org/a11y/atspi/accessible/root"}
	for _, app := range r.children(root) {
		r.app = app
		r.walk(app, Ref{}, 0, 0)
	}
}

func (r *rig) walk(ref, up Ref, at, depth int) {
	l := leaf{Ref: ref, up: up, at: at}
	var role uint32
	_ = r.conn.property(r.ctx(), ref, interfacePrefix+"Accessible", "Name", &l.name)
	_ = r.conn.call(r.ctx(), ref.Bus, ref.Path, interfacePrefix+"Accessible.GetRole", nil, &role)
	l.role = Role(role)
	r.seen = append(r.seen, l)
	if depth > 30 {
		return
	}
	for i, child := range r.children(ref) {
		r.walk(child, ref, i, depth+1)
	}
}

func (r *rig) children(ref Ref) []Ref {
	var kids []Ref
	_ = r.conn.call(r.ctx(), ref.Bus, ref.Path, interfacePrefix+"Accessible.GetChildren", nil, &kids)
	return slices.DeleteFunc(kids, Ref.Null)
}

// inner are roles inside a control that carry its name as well.
var inner = []Role{RoleLabel, RoleStatic, RolePanel, RoleFiller}

func (r *rig) has(name string) bool {
	_, ok := r.lookup(name)
	return ok
}

func (r *rig) lookup(name string) (leaf, bool) {
	i := slices.IndexFunc(r.seen, func(l leaf) bool { return l.name == name && !slices.Contains(inner, l.role) })
	if i < 0 {
		return leaf{}, false
	}
	return r.seen[i], true
}

// find returns the control of that name as it was last looked at.
func (r *rig) find(name string) leaf {
	r.t.Helper()
	l, ok := r.lookup(name)
	if !ok {
		r.t.Fatalf("no control %q in the tree of %s", name, r.toolkit)
	}
	return l
}

// states reads a node's states; raw, as the toolkit sends them.
func (r *rig) states(ref Ref) States {
	r.t.Helper()
	var words []uint32
	err := r.conn.call(r.ctx(), ref.Bus, ref.Path, interfacePrefix+"Accessible.GetState", nil, &words)
	if err != nil {
		r.t.Fatal(err)
	}
	return statesOf(words)
}

// click picks the action of a control and does it.
func (r *rig) click(name string) error {
	r.t.Helper()
	l := r.find(name)
	actions, err := r.conn.Actions(r.ctx(), l.Ref)
	if err != nil {
		r.t.Fatal(err)
	}
	i, _, err := PickAction(l.role, actions)
	if err != nil {
		return err
	}
	return answered(r.conn.DoAction(r.ctx(), l.Ref, i))
}

// answered leaves out that an act was not answered in time, which a busy machine
// makes of any act: whether it was done is what the test waits for next.
func answered(err error) error {
	if errors.Is(err, ErrNoReply) {
		return nil
	}
	return err
}
