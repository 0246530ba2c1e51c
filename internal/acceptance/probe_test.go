package acceptance

import (
	"strings"
	"syscall"
	"testing"
)

// TestProbeStoppedServer: no road leads through an X server that does not answer,
// and every road is there again when it does.
func TestProbeStoppedServer(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Default().fixture("gtk3.py")
	server := w.servers[strings.TrimPrefix(p.window.Display, ":")]
	there := func() (Probed, bool) {
		var probed Probed
		p.OK(&probed, "probe", p.handle)
		return probed, probed.Roads.Inject.OK && probed.Roads.Capture.OK
	}
	Eventually(t, "every road is there", func() bool { _, ok := there(); return ok })
	signal(t, server, syscall.SIGSTOP)
	probed, _ := there()
	signal(t, server, syscall.SIGCONT)
	if roads := probed.Roads; roads.Inject.OK || roads.Capture.OK || !strings.Contains(roads.Inject.Why, "X server") {
		t.Errorf("while it is stopped: %+v", roads)
	}
	Eventually(t, "every road is there again", func() bool { _, ok := there(); return ok })
	p.Stop(p.handle)
}
