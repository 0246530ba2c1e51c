package acceptance

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// diskFaults are those of what is written.
func diskFaults() []fault {
	return []fault{
		{
			name: "full disk under the state", made: "the state's file system is filled while the daemon runs", within: 5 * time.Second,
			answer: "`store_failed`; acts again once there is room", run: stateFull,
		},
		{
			name: "full disk under the displays", made: "the runtime directory's file system is filled while the daemon runs", within: 5 * time.Second,
			answer: "`start_failed` for `open`, an open window as before; opens again once there is room", run: runtimeFull,
		},
		{
			name: "read-only disk", made: "the state's file system is mounted read-only, and a daemon starts on it", within: 5 * time.Second,
			answer: "`store_failed`; starts once it can be written", run: stateReadOnly,
		},
		{
			name: "torn database", made: "the middle of state.db overwritten with zeros", within: 2 * time.Second, short: true,
			answer: "`store_failed`, and not a byte of it is changed", run: databaseTorn,
		},
		{
			name: "future schema", made: "the version in state.db is of a newer build", within: 2 * time.Second, short: true,
			answer: "`store_newer`, and not a byte of it is changed", run: schemaNewer,
		},
	}
}

// onDisk makes the world of a fault with a disk of 24 MB for one of its
// directories; false where this machine does not let us mount one.
func (h *harm) onDisk(which func(*World) string) bool {
	h.t.Helper()
	h.w = NewWorld(h.t)
	dir := which(h.w)
	if err := os.Mkdir(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size=24m"); err != nil {
		h.skipped("a file system cannot be mounted", err)
		return false
	}
	h.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }) // it may be unmounted already
	h.a = h.w.Session("agent")
	return true
}

// offDisk ends the daemon of onDisk and looks at what it left before the disk
// goes.
func (h *harm) offDisk(dir string) {
	h.t.Helper()
	h.stopAll()
	h.w.Owner().OK(nil, "down")
	h.left = h.w.settled(Left{})
	if err := syscall.Unmount(dir, 0); err != nil {
		h.t.Errorf("something holds %s: %v", dir, err)
	}
}

// fill writes a file until the disk of a directory is full, and gives what
// makes room again.
func (h *harm) fill(dir string) (room func()) {
	h.t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		h.t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
	return func() {
		h.t.Helper()
		if err := os.Remove(path); err != nil {
			h.t.Fatal(err)
		}
	}
}

func stateFull(h *harm) {
	if !h.onDisk(func(w *World) string { return w.State }) {
		return
	}
	p := h.a.fixture("gtk3.py")
	alpha := p.ref("Alpha")
	p.log.Mark()
	room := h.fill(h.w.State)
	h.hurt()
	refused := 0
	for range 30 {
		if r := h.says(h.a, []string{"done", "store_failed"}, "click", p.handle, alpha, "--no-observe"); r.Code == "store_failed" {
			refused++
		}
	}
	h.healed()
	h.says(h.w.Owner(), []string{"done", "store_failed"}, "list")
	room()
	h.recovered(p)
	h.got = append(h.got, "refused: "+itoa(refused))
	h.offDisk(h.w.State)
}

func runtimeFull(h *harm) {
	if !h.onDisk(func(w *World) string { return w.Runtime }) {
		return
	}
	p := h.a.fixture("gtk3.py")
	room := h.fill(h.w.Runtime)
	h.hurt()
	h.says(h.a, []string{"start_failed", "store_failed"}, "open", "xterm")
	h.healed()
	p.works()
	room()
	h.a.Open("xterm")
	h.offDisk(h.w.Runtime)
}

func stateReadOnly(h *harm) {
	if !h.onDisk(func(w *World) string { return w.State }) {
		return
	}
	h.a.OK(nil, "list")
	h.w.killDaemon()
	if err := syscall.Mount("", h.w.State, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		h.skipped("a file system cannot be made read-only", err)
		return
	}
	h.hurt()
	h.says(h.a, []string{"store_failed"}, "list")
	h.healed()
	if err := syscall.Mount("", h.w.State, "", syscall.MS_REMOUNT, ""); err != nil {
		h.t.Fatal(err)
	}
	h.says(h.a, []string{"done"}, "list")
	h.offDisk(h.w.State)
}

func databaseTorn(h *harm) {
	spoilt(h, []string{"store_failed"}, func(raw []byte) []byte {
		torn := slices.Clone(raw)
		clear(torn[4096:])
		return torn
	})
}

func schemaNewer(h *harm) {
	spoilt(h, []string{"store_newer"}, func(raw []byte) []byte {
		const version = 60 // of SQLite's header: user_version
		newer := slices.Clone(raw)
		binary.BigEndian.PutUint32(newer[version:], 9999)
		return newer
	})
}

// spoilt starts a daemon on a database that was changed, and on the whole one
// again.
func spoilt(h *harm, codes []string, change func([]byte) []byte) {
	h.world()
	h.w.Owner().OK(nil, "down") // everything is in the database, and nothing in its log
	path := filepath.Join(h.w.State, "state.db")
	whole := contents(h.t, path)
	bad := change(whole)
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.hurt()
	h.says(h.a, codes, "list")
	h.healed()
	h.says(h.w.Owner(), codes, "list")
	if !bytes.Equal(contents(h.t, path), bad) {
		h.t.Error("what was refused was changed")
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.says(h.a, []string{"done"}, "list")
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
