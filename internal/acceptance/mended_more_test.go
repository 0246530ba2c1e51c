package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vibespace/fixtures"
)

// TestAuditIsOneLineARow: what an agent calls a handle is not a line, nor a
// command to a terminal, in what the person reads.
func TestAuditIsOneLineARow(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	forged := "w9\x1b]2;owned\a\n2026-01-01T00:00:00Z the person: share w1: ok, 0 ms"
	w.Session("a").Refused("not_exposed", "attach", forged)
	words := w.Owner().Words("audit")
	if strings.ContainsAny(words, "\x1b\a") {
		t.Errorf("the audit holds control characters: %q", words)
	}
	for line := range strings.Lines(words) {
		if strings.Contains(line, "the person: share") && !strings.Contains(line, "attach") {
			t.Errorf("a handle became a row: %q", line)
		}
	}
}

// TestScreenshotSparesSpecialFiles: a picture takes the place of a file, and of
// nothing else; a link leads to the file it means.
func TestScreenshotSparesSpecialFiles(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	c := w.Default()
	h := c.Open("xterm").Handle
	pipe, dir, link, to := filepath.Join(w.Work, "pipe"), filepath.Join(w.Work, "dir"), filepath.Join(w.Work, "link"), filepath.Join(w.Work, "to.png")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir, os.DevNull} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		c.Refused("store_failed", "screenshot", h, "--out", path)
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Fatalf("%s was %v and is %v, %v", path, before.Mode(), after, err)
		}
	}
	c.OK(nil, "screenshot", h, "--out", link)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(to); err != nil || info.Size() == 0 {
		t.Errorf("what it leads to is %v, %v", info, err)
	}
	c.OK(nil, "stop", h)
}

// TestEndedStatus: how an application ended is told as it was, and null where
// nobody knows.
func TestEndedStatus(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	c := w.Default()
	ended := func(h string) (status *int) {
		t.Helper()
		var list struct {
			Windows []struct {
				Handle string
				Ended  *struct{ Status *int }
			}
		}
		Eventually(t, h+" ended", func() bool {
			c.OK(&list, "list")
			for _, win := range list.Windows {
				if win.Handle == h && win.Ended != nil {
					status = win.Ended.Status
					return true
				}
			}
			return false
		})
		return status
	}
	dies := w.File("dies")
	h := c.Open("xterm", "--", "-e", "sh", "-c", "while [ ! -e "+dies+" ]; do sleep 0.05; done; kill -9 $PPID").Handle
	w.File("dies", "now")
	if s := ended(h); s == nil || *s != 128+9 {
		t.Errorf("killed: %v", s)
	}
	h = c.Open("xterm").Handle
	c.OK(nil, "stop", h)
	if s := ended(h); s != nil {
		t.Errorf("stopped: %d", *s)
	}
}

// TestSessionEndsWhileItOpens: a window that was on its way when its session
// ended is nobody's success.
func TestSessionEndsWhileItOpens(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	c := w.Session("brief")
	// An application that has begun, and shows nothing before the session has ended.
	begun, shows := w.File("begun"), w.File("shows")
	app := w.File("late.sh", "#!/bin/sh\n: >"+begun+"\nwhile [ ! -e "+shows+" ]; do sleep 0.05; done\nexec "+fixtures.Path(t, "gtk3.py")+"\n")
	if err := os.Chmod(app, 0o700); err != nil {
		t.Fatal(err)
	}
	opening := c.running("open", app, "--timeout", "80s")
	Eventually(t, "it is being opened", func() bool { _, err := os.Stat(begun); return err == nil })
	w.Owner().OK(nil, "session", "end", "brief")
	w.File("shows", "now")
	if r := <-opening; r.OK || r.Code != "bad_session" {
		t.Errorf("opened for a session that ended: %v", r)
	}
}

// TestTakenAwayIsNotTold: what the person wrote when they handed a window back
// is not told to whom they took it from, by this daemon or by the next.
func TestTakenAwayIsNotTold(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted %v", restarted), func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t)
			owner, a := w.Owner(), w.Session("a")
			h := a.Open("xterm").Handle
			owner.OK(nil, "takeover", h)
			owner.OK(nil, "handback", h, "--note", "Zq5note")
			owner.Refused("bad_request", "unshare", h, "--with", "session:nobody")
			owner.OK(nil, "unshare", h, "--with", "session:a")
			if restarted {
				w.killDaemon()
				owner.OK(nil, "up")
			}
			for _, args := range [][]string{{"snapshot", h}, {"key", h, "a"}, {"list"}, {"status"}} {
				if r := a.Run(args...); strings.Contains(string(r.JSON), "Zq5note") {
					t.Errorf("%q tells it: %s", args, r.JSON)
				}
			}
			owner.OK(nil, "stop", h)
		})
	}
}

// TestTimeoutIsTheCallers: a verb whose own time is up is a timeout, whoever was
// asked.
func TestTimeoutIsTheCallers(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	c := w.Default()
	h := c.Open(fixtures.Path(t, "gtk3.py")).Handle
	if r := c.Refused("timeout", "snapshot", h, "--fresh", "--timeout", "1ms"); r.Status != 4 {
		t.Errorf("status %d", r.Status)
	}
	c.OK(nil, "stop", h)
}

// TestEnterIsPossibleBeforeTheText: where Return cannot be pressed nothing is
// written either. GTK 4.8 has no call for the focus.
func TestEnterIsPossibleBeforeTheText(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk4.py")
	notes := p.node("Notes")
	p.log.Mark()
	p.Refused("not_editable", "type", p.handle, notes.Ref, "dup", "--enter")
	p.unseen("the text was refused")
	p.Act("click", p.handle, notes.Ref, "--point")
	p.Act("type", p.handle, notes.Ref, "once", "--enter")
	p.log.Wait(t, fixtures.Typed("Notes", "once\n"), seen)
	p.Stop(p.handle)
}

// TestHandBackOutlivesTheDaemon: the person's note reaches the agent although the
// daemon died between, and reaches it once.
func TestHandBackOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	owner, a := w.Owner(), w.Session("a")
	h := a.Open("xterm").Handle
	owner.OK(nil, "takeover", h)
	a.Refused("window_paused", "key", h, "a")
	owner.OK(nil, "handback", h, "--note", "Zq6note")
	w.killDaemon()
	owner.OK(nil, "up")
	told := 0
	for range 3 {
		r := a.Run("status")
		told += strings.Count(string(r.JSON), "Zq6note")
	}
	if told != 1 {
		t.Errorf("told %d times after a restart", told)
	}
	owner.OK(nil, "takeover", h)
	owner.OK(nil, "handback", h, "--note", "Zq7note")
	told = 0
	for range 3 {
		told += strings.Count(string(a.Run("status").JSON), "Zq7note")
	}
	if told != 1 {
		t.Errorf("told %d times without one", told)
	}
	owner.OK(nil, "stop", h)
}
