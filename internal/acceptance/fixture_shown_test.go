package acceptance

import (
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestOnlyShownRefs: a ref that no answer showed is unknown, however often acts
// looked at the window for themselves, and one of an earlier lease stays stale.
func TestOnlyShownRefs(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	p.OK(nil, "click", p.handle, "--at", "700,550")
	p.OK(nil, "click", p.handle, "--at", "700,550")
	for _, ref := range []string{"@e0", "@e3", "@e20"} {
		p.Refused("unknown_ref", "click", p.handle, ref)
	}
	alpha := p.node("Alpha")
	p.OK(nil, "detach", p.handle)
	p.OK(nil, "attach", p.handle)
	p.OK(nil, "click", p.handle, "--at", "700,550")
	p.Refused("stale_ref", "click", p.handle, alpha.Ref)
	p.OK(nil, "click", p.handle, p.node("Alpha").Ref)
	p.Stop(p.handle)
}

// TestLongListIsCut: a list of which a part is read says so, with a command
// that shows another part, also when nothing was found in it.
func TestLongListIsCut(t *testing.T) {
	t.Parallel()
	need.GTK3(t)
	script, err := filepath.Abs("../../atspi/testdata/longlist.py")
	if err != nil {
		t.Fatal(err)
	}
	c := NewWorld(t).Default()
	win := c.Open(need.SystemPython, "--timeout", "60s", "--", script, "gtk3", "5000")
	var found struct {
		Nodes []Node
		Cut   *struct{ Why, Continue string }
	}
	c.OK(&found, "find", win.Handle, "--name", "nowhere")
	if len(found.Nodes) != 0 || found.Cut == nil || found.Cut.Why != "nodes" {
		t.Fatalf("in a list that was read in part: %+v, want it to be cut", found)
	}
	args := strings.Fields(found.Cut.Continue)
	c.OK(nil, args[1:]...)
	if args[1] != "scroll" {
		t.Errorf("the way on is %q", found.Cut.Continue)
	}
	c.Stop(win.Handle)
}
