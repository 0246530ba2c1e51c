package display

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
	"vibespace/internal/proc"
)

// output collects what a daemon says.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// orphaned makes two displays whose daemon was killed, and returns their records.
func orphaned(t *testing.T, dir string) []record {
	t.Helper()
	need.Display(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said output
	daemon, err := proc.Start(proc.Spec{Path: self, Env: append(os.Environ(), daemonVariable+"="+dir), Log: &said})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := daemon.Stop(context.Background(), 0); err != nil {
			t.Error(err)
		}
	})
	until(t, "the daemon has its displays", func() bool {
		if _, over := daemon.Exit(); over {
			t.Fatalf("the daemon ended: %s", said.String())
		}
		return strings.Contains(said.String(), "ready")
	})
	if n, err := Reap(t.Context(), dir); n != 0 || err != nil {
		t.Errorf("reaped %d of a living daemon, %v", n, err)
	}
	if err := proc.Signal(daemon.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-daemon.Done()
	var records []record
	for _, id := range []string{"one", "two"} {
		r, err := readRecord(layout{dir: filepath.Join(displaysDir(dir), id)})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Processes {
			if !p.Alive() {
				t.Errorf("display %s: its %s died with the daemon", id, p.What)
			}
		}
		records = append(records, r)
	}
	return records
}

// gone checks that nothing of a recorded display is left.
func gone(t *testing.T, dir string, r record) {
	t.Helper()
	d := &Display{id: r.ID, at: layout{dir: filepath.Join(displaysDir(dir), string(r.ID))}, mark: r.Mark, number: xName(r.Number)}
	if left := leftOf(d); len(left) > 0 {
		t.Errorf("left of display %s: %s", r.ID, strings.Join(left, ", "))
	}
	for _, p := range r.Processes {
		if p.Alive() {
			t.Errorf("%+v lives", p)
		}
	}
}

func TestDisplaysOutliveTheirDaemonAndAreReaped(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	records := orphaned(t, dir)
	// The application writes on into its log.
	log := layout{dir: filepath.Join(displaysDir(dir), "one")}.appLog()
	size := func() int64 {
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	until(t, "the log grows", func() bool { return size() > before })
	n, err := Reap(t.Context(), dir)
	if err != nil || n < 12 {
		t.Errorf("reaped %d, %v", n, err)
	}
	for _, r := range records {
		gone(t, dir, r)
	}
	if n, err := Reap(t.Context(), dir); n != 0 || err != nil {
		t.Errorf("reaped again: %d, %v", n, err)
	}
}

func TestReapWithoutARecord(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	records := orphaned(t, dir)
	one := layout{dir: filepath.Join(displaysDir(dir), "one")}
	two := layout{dir: filepath.Join(displaysDir(dir), "two")}
	// One is torn, and two was cut before its server's number was known.
	if err := os.WriteFile(one.recordFile(), []byte(`{"version":1,"id`), 0o600); err != nil {
		t.Fatal(err)
	}
	cut := records[1]
	cut.Number, cut.CookieFile, cut.AccessBus, cut.Processes = 0, "", "", nil
	if err := cut.write(two, false); err != nil {
		t.Fatal(err)
	}
	n, err := Reap(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "left alone") || n < 4 {
		t.Errorf("reaped %d, %v: a young directory is left alone, the other is not", n, err)
	}
	gone(t, dir, records[1])
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(one.dir, old, old); err != nil {
		t.Fatal(err)
	}
	if n, err := Reap(t.Context(), dir); err != nil || n < 4 {
		t.Errorf("reaped %d, %v", n, err)
	}
	gone(t, dir, records[0])
}

func TestReapLeavesWhatIsNotItsToEnd(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	if n, err := Reap(t.Context(), dir); n != 0 || err != nil {
		t.Errorf("no displays: %d, %v", n, err)
	}
	at, err := makeLayout(dir, "newer")
	if err != nil {
		t.Fatal(err)
	}
	r := record{Version: recordVersion + 1, ID: "newer", Mark: "newer.1", Owner: proc.Ident{PID: 1 << 30}}
	if err := r.write(at, true); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(displaysDir(dir), "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := Reap(t.Context(), dir)
	if n != 0 || err == nil || !strings.Contains(err.Error(), "newer build") {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(at.recordFile()); err != nil {
		t.Error(err)
	}
	if err := at.remove(); err != nil {
		t.Error(err)
	}
}

func TestReadRecordRefusesJunk(t *testing.T) {
	t.Parallel()
	at := layout{dir: t.TempDir()}
	for _, text := range []string{"", "null", "{}", `{"version":1}`, `{"version":0,"mark":"a"}`, `[]`, "\x00"} {
		if err := os.WriteFile(at.recordFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := readRecord(at); err == nil {
			t.Errorf("%q is a record: %+v", text, r)
		}
	}
}
