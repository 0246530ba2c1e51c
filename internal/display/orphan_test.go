package display

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vibespace/internal/need"
	"vibespace/internal/proc"
	"vibespace/x11"
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
	return orphanedOn(t, dir, RungPlain)
}

// orphanedOn is orphaned on a rung.
func orphanedOn(t *testing.T, dir string, rung Rung) []record {
	t.Helper()
	need.Display(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said output
	daemon, err := proc.Start(proc.Spec{Path: self, Env: append(os.Environ(), daemonVariable+"="+dir, rungVariable+"="+string(rung)), Log: &said})
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
	if left, err := Orphans(dir); len(left) > 0 || err != nil {
		t.Errorf("%+v are a living daemon's, %v", left, err)
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

// orphan finds one by its id.
func orphan(t *testing.T, dir string, id ID) Orphan {
	t.Helper()
	left, err := Orphans(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range left {
		if o.ID == id {
			return o
		}
	}
	t.Fatalf("no orphan %s among %+v", id, left)
	return Orphan{}
}

// endAll ends every orphan.
func endAll(t *testing.T, dir string) {
	t.Helper()
	left, err := Orphans(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range left {
		if _, err := o.End(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestDisplaysOutliveTheirDaemonAndAreAdopted(t *testing.T) {
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
	o := orphan(t, dir, "one")
	held(t, records[0])
	d, err := o.Adopt(t.Context(), Config{RuntimeDir: dir, Inject: true}, Size{640, 480})
	if err != nil {
		t.Fatal(err)
	}
	if inj, why := d.Injector(); why != "" {
		t.Error(why)
	} else if n, err := inj.ReleaseStuck(t.Context()); err != nil || n > 0 {
		t.Errorf("%d keys and buttons are down, %v", n, err)
	}
	app, err := o.App()
	if err != nil || app == nil {
		t.Fatalf("%+v, %v", app, err)
	}
	if m, err := d.X().Monitor(t.Context()); err != nil || m.W != 640 || m.H != 480 {
		t.Errorf("monitor %+v, %v", m, err)
	}
	if words := app.LastWords(); len(words) == 0 {
		t.Error("it has no last words")
	}
	if left, err := Orphans(dir); err != nil || len(left) != 1 {
		t.Errorf("%+v are left, %v", left, err)
	}
	// It is a display like any other: programs start on it, and it ends whole.
	launch(t, d, shell(`exec sleep 1000`))
	if err := proc.Signal(app.Ident(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-app.Done()
	if status, over := app.Exit(); !over || !status.Unknown {
		t.Errorf("exit %+v, %v", status, over)
	}
	if n := finish(t, d); n < 5 {
		t.Errorf("ended %d processes", n)
	}
	gone(t, dir, records[0])
	endAll(t, dir)
	gone(t, dir, records[1])
}

// TestOrphansThatAreDeadAreSaidSo: one without a server is dead, one without a
// bus is not, and both can be ended.
func TestOrphansThatAreDeadAreSaidSo(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	records := orphaned(t, dir)
	kill := func(r record, what What) {
		for _, p := range r.Processes {
			if p.What == what {
				if err := proc.Signal(p.Ident, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				until(t, "it is dead", func() bool { return !p.Alive() })
			}
		}
	}
	kill(records[0], WhatServer)
	kill(records[1], WhatBus)
	for i, id := range []ID{"one", "two"} {
		// An application goes on without a bus, and may hold what nobody saved.
		dead := id == "one"
		if d, err := orphan(t, dir, id).Adopt(t.Context(), Config{RuntimeDir: dir}, Size{}); err == nil || errors.Is(err, ErrDead) != dead {
			t.Errorf("%s: %v, %v", id, d, err)
		}
		if n, err := orphan(t, dir, id).End(t.Context()); n == 0 || err != nil {
			t.Errorf("%s: ended %d, %v", id, n, err)
		}
		gone(t, dir, records[i])
	}
}

func TestOrphansThatCannotBeProvenAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	records := orphaned(t, dir)
	one := layout{dir: filepath.Join(displaysDir(dir), "one")}
	two := layout{dir: filepath.Join(displaysDir(dir), "two")}
	refused := func(id ID, why string) {
		t.Helper()
		o := orphan(t, dir, id)
		d, err := o.Adopt(t.Context(), Config{RuntimeDir: dir}, Size{})
		if err == nil || errors.Is(err, ErrDead) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, %v; want %s", d, err, why)
		}
		if found, err := o.Processes(); err != nil || len(found) < 4 {
			t.Errorf("%d processes live, %v", len(found), err)
		}
	}
	// A record that is torn, one of a newer build, no cookie, and another process'
	// pid.
	if err := os.WriteFile(one.recordFile(), []byte(`{"version":1,"id`), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("one", "cannot be read")
	newer := records[1]
	newer.Version = recordVersion + 1
	if err := newer.write(two, false); err != nil {
		t.Fatal(err)
	}
	refused("two", "newer build")
	if err := records[1].write(two, false); err != nil {
		t.Fatal(err)
	}
	// The server reads its file anew, so that another cookie would be its own.
	cookie := filepath.Join(two.dir, "Xauthority")
	if err := os.Rename(cookie, cookie+".away"); err != nil {
		t.Fatal(err)
	}
	refused("two", "Xauthority")
	if err := os.Rename(cookie+".away", cookie); err != nil {
		t.Fatal(err)
	}
	stranger := records[1]
	stranger.Processes = slices.Clone(stranger.Processes)
	for i, p := range stranger.Processes {
		if p.What == WhatServer {
			id, err := proc.IdentOf(os.Getpid())
			if err != nil {
				t.Fatal(err)
			}
			stranger.Processes[i].Ident = id
		}
	}
	if err := stranger.write(two, false); err != nil {
		t.Fatal(err)
	}
	refused("two", "listens on display")
	if err := records[1].write(two, false); err != nil {
		t.Fatal(err)
	}
	endAll(t, dir)
	gone(t, dir, records[0])
	gone(t, dir, records[1])
}

func TestOrphanWithoutAServerOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	records := orphaned(t, dir)
	// It was cut before its server's number was known.
	cut := records[1]
	cut.Number, cut.CookieFile, cut.AccessBus, cut.Processes = 0, "", "", nil
	if err := cut.write(layout{dir: filepath.Join(displaysDir(dir), "two")}, false); err != nil {
		t.Fatal(err)
	}
	if d, err := orphan(t, dir, "two").Adopt(t.Context(), Config{RuntimeDir: dir}, Size{}); !errors.Is(err, ErrDead) {
		t.Errorf("%v, %v", d, err)
	}
	endAll(t, dir)
	gone(t, dir, records[0])
	gone(t, dir, records[1])
}

func TestOrphansOfAnotherBoot(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	if left, err := Orphans(dir); len(left) > 0 || err != nil {
		t.Errorf("no displays: %+v, %v", left, err)
	}
	at, err := makeLayout(dir, "old")
	if err != nil {
		t.Fatal(err)
	}
	self, err := proc.IdentOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	r := record{
		Version: recordVersion, ID: "old", Mark: "old.1", Boot: "another", Number: 1, Owner: self,
		Processes: []recorded{{self, WhatServer}},
	}
	if err := r.write(at, true); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(displaysDir(dir), "stray"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := orphan(t, dir, "old")
	if _, err := o.Adopt(t.Context(), Config{RuntimeDir: dir}, Size{}); !errors.Is(err, ErrDead) {
		t.Error(err)
	}
	if n, err := o.End(t.Context()); n != 0 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if _, err := os.Stat(at.dir); !os.IsNotExist(err) {
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

// held leaves a key and a button of a display down, as a daemon does that is
// killed in the middle of an act.
func held(t *testing.T, r record) {
	t.Helper()
	authority, err := os.ReadFile(r.CookieFile)
	if err != nil || len(authority) < 16 {
		t.Fatalf("%s: %d bytes, %v", r.CookieFile, len(authority), err)
	}
	c, err := x11.Dial(t.Context(), fmt.Sprintf(":%d", r.Number), authority[len(authority)-16:])
	if err != nil {
		t.Fatal(err)
	}
	inj, err := x11.NewInjector(t.Context(), c)
	if err == nil {
		err = errors.Join(inj.Key(t.Context(), 50, true), inj.Button(t.Context(), x11.ButtonLeft, true))
	}
	if err = errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
}
