package acceptance

import (
	"os"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestFootprintIsReported: a window whose processes together take more memory
// than its line is told to its holder once, stands in the audit and in what the
// doctor finds, and lives on.
func TestFootprintIsReported(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t, "VIBESPACE_FOOTPRINT_LINE=200")
	a := w.Session("agent")
	small := a.Open("xterm")
	ready := w.File("ready")
	large := a.Open("xterm", "--", "-e", need.Tool(t, "python3"), "-c",
		"import time; b = bytearray(b'x' * (400 << 20)); open('"+ready+"', 'w').close(); time.sleep(3600)")
	Eventually(t, "it is large", func() bool { _, err := os.Stat(ready); return err == nil })
	heavy := func() (what []string) {
		var said struct {
			Findings []struct{ What, Why, Mend string }
		}
		w.Owner().Run("doctor").Into(t, &said)
		for _, f := range said.Findings {
			if strings.Contains(f.Why, "its line is 200 MB") && strings.Contains(f.Mend, "vibespace stop "+f.What) {
				what = append(what, f.What)
			}
		}
		return what
	}
	notices := func() (told int) {
		var said struct{ Notices []string }
		a.OK(&said, "status")
		for _, n := range said.Notices {
			if strings.HasPrefix(n, large.Handle+" (xterm) takes ") && strings.HasSuffix(n, "nothing was ended for it") {
				told++
			}
		}
		return told
	}
	if got := heavy(); len(got) != 1 || got[0] != large.Handle {
		t.Errorf("the doctor finds %q too large, and it is %s", got, large.Handle)
	}
	if n := notices(); n != 1 {
		t.Errorf("it was told %d times", n)
	}
	if got := heavy(); len(got) != 1 {
		t.Errorf("then the doctor finds %q", got)
	}
	if n := notices(); n != 0 {
		t.Errorf("it was told %d times more", n)
	}
	rows := 0
	for _, r := range w.rows(large.Handle) {
		if r.Verb == "footprint" && r.Verdict == "reported" {
			rows++
		}
	}
	if rows != 1 {
		t.Errorf("%d rows of the audit", rows)
	}
	a.Act("key", large.Handle, "a", "--no-observe")
	a.Stop(large.Handle)
	a.Stop(small.Handle)
}
