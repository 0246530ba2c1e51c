package daemon

import "testing"

// TestMemory: two pictures never lie over each other, what is larger than
// before gets new memory, and what no viewer gets goes through the socket.
func TestMemory(t *testing.T) {
	var m memory
	defer m.close()
	a, at := m.slotFor(5000)
	if m.off != nil {
		t.Fatalf("there is no shared memory: %v", m.off)
	}
	b, bt := m.slotFor(6000)
	if len(a) != 5000 || len(b) != 6000 || at == bt || max(at, bt)-min(at, bt) < 6000 || !m.fresh {
		t.Errorf("slots at %d and %d, of %d bytes", at, bt, len(m.buf))
	}
	m.fresh = false
	if _, again := m.slotFor(100); again != at || m.fresh {
		t.Errorf("the third is at %d, fresh %v", again, m.fresh)
	}
	if room, _ := m.slotFor(1 << 20); len(room) != 1<<20 || !m.fresh {
		t.Errorf("a larger one has %d bytes, fresh %v", len(room), m.fresh)
	}
	if room, _ := m.slotFor(maxMemory); room != nil || m.off == nil {
		t.Error("there is no bound")
	}
	if room, _ := m.slotFor(1); room != nil {
		t.Error("it comes back")
	}
}
