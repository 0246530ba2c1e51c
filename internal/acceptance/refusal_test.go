package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// TestRefusedArguments: what cannot be meant is refused by its code and exit
// status, before anything is touched.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	a := w.Default()
	p := a.fixture("gtk3.py")
	ref, h := p.ref("Alpha"), p.handle
	p.log.Mark()
	for _, tt := range []struct {
		code   string
		status int
		args   []string
	}{
		{"not_exposed", 1, []string{"snapshot", "w999"}},
		{"not_exposed", 1, []string{"click", "w999", "@e1"}},
		{"not_exposed", 1, []string{"stop", "nothing"}},
		{"unknown_ref", 1, []string{"click", h, "@e99999"}},
		{"unknown_ref", 1, []string{"get", h, "@e99999"}},
		{"bad_point", 1, []string{"click", h, "--at", "1;2"}},
		{"bad_point", 1, []string{"click", h, "--at", "40000,2"}},
		{"outside_window", 1, []string{"click", h, "--at", "5000,5"}},
		{"outside_window", 1, []string{"click", h, "--at", "-5,5"}},
		{"bad_key", 1, []string{"key", h, "ctrl+nosuchkey"}},
		{"bad_key", 1, []string{"key", h, "ctrl+"}},
		{"bad_key", 1, []string{"key", h, "a", "nosuchkey"}},
		{"bad_size", 1, []string{"size", h, "wide"}},
		{"size_out_of_bounds", 1, []string{"size", h, "10x10"}},
		{"size_out_of_bounds", 1, []string{"size", h, "99999x99999"}},
		{"bad_mode", 1, []string{"mode", h, "fast"}},
		{"bad_mode", 1, []string{"open", "xterm", "--mode", "fast"}},
		{"bad_size", 1, []string{"open", "xterm", "--size", "big"}},
		{"no_action", 1, []string{"click", h, ref, "--action", "explode"}},
		{"bad_request", 2, []string{"click", h}},
		{"bad_request", 2, []string{"click", h, ref, "--at", "1,1"}},
		{"bad_request", 2, []string{"click", h, ref, "--nosuchflag"}},
		{"bad_request", 2, []string{"type", h, ref, "-text"}},
		{"bad_request", 2, []string{"nosuchverb"}},
		{"app_not_found", 1, []string{"open", "no-such-application"}},
		{"app_not_found", 1, []string{"open", "/no/such/program"}},
		{"browser_is_human", 1, []string{"open", "firefox"}},
	} {
		r := a.Run(tt.args...)
		if r.Code != tt.code || r.Status != tt.status || r.Hint == "" {
			t.Errorf("want %s, exit %d, with a hint: %v", tt.code, tt.status, r)
		}
		if r.Took > prompt {
			t.Errorf("%q took %v", tt.args, r.Took)
		}
	}
	p.unseen("all of it was refused")
	if r := a.Run("expect", h); r.OK {
		t.Errorf("%v", r)
	}
	a.OK(nil, "type", h, p.ref("Name"), "--replace", "--", "-text")
	p.log.Wait(t, fixtures.Typed("Name", "-text"), seen)
	a.Stop(h)
	a.Refused("not_live", "snapshot", h)
	w.Clean(t, Left{})
}

// TestExpectation: what --expect names is awaited, and one that does not come
// is exit 4, with the act that was done.
func TestExpectation(t *testing.T) {
	t.Parallel()
	p := NewWorld(t).Default().fixture("gtk3.py")
	check := p.ref("Check")
	if a := p.Act("click", p.handle, check, "--expect", check+".state=checked"); !True(a.Verified) {
		t.Errorf("%+v", a)
	}
	p.log.Mark()
	r := p.Refused("expect_failed", "click", p.handle, p.ref("Alpha"), "--expect", "text=never there")
	if r.Status != 4 || r.Details["did"] == nil {
		t.Errorf("%v", r)
	}
	p.log.Wait(t, fixtures.Clicked("Alpha"), seen)
	late := p.Refused("timeout", "wait", p.handle, "--text", "never there", "--timeout", "700ms")
	if late.Status != 4 || late.Took > prompt {
		t.Errorf("%v", late)
	}
	p.Act("click", p.handle, p.ref("Add Toasts"), "--expect", "text=Toast 1")
	p.Act("click", p.handle, p.ref("Open Dialog"), "--expect", "window=Dialog")
	inside := p.ref("Inside Dialog")
	p.Act("click", p.handle, p.ref("Close Dialog"), "--expect", "gone="+inside)
	p.Stop(p.handle)
}

// TestRefusedApplications: an application that is no good leaves its reason and
// nothing else.
func TestRefusedApplications(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	a := w.Default()
	r := a.Refused("app_exited", "open", fixtures.Path(t, "exits.sh"))
	if words := string(r.JSON); !strings.Contains(words, "giving up") || !strings.Contains(words, "3") {
		t.Errorf("its last words and status are missing: %v", r)
	}
	w.Clean(t, Left{})
	r = a.Refused("start_failed", "open", fixtures.Path(t, "windowless.py"), "--timeout", "12s")
	if r.Took > 12*time.Second+2*prompt || r.Hint == "" {
		t.Errorf("%v", r)
	}
	w.Clean(t, Left{})

	// One that goes behind its starter's back is part of the window, and ends
	// with it.
	log := w.File("daemon.log")
	win := a.Open(fixtures.Path(t, "daemonise.py"), "--env", fixtures.LogVariable+"="+log, "--", "xterm")
	hidden := fixtures.Log(t, log).Wait(t, fixtures.Is("daemon"), seen)
	if !w.lives(hidden.PID) {
		t.Fatalf("%d is not there", hidden.PID)
	}
	a.Stop(win.Handle)
	w.Clean(t, Left{})
	if w.lives(hidden.PID) {
		t.Errorf("%d lives on", hidden.PID)
	}
}

// TestHiddenAndAbsentAreOne: a session cannot tell a window that it may not see
// from one that does not exist, by any verb.
func TestHiddenAndAbsentAreOne(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	one, two, owner := w.Session("one"), w.Session("two"), w.Owner()
	h := one.Open("xterm").Handle
	var hidden Opened
	owner.OK(&hidden, "launch", "xterm")
	w.see(hidden.Window.Display)
	for _, verb := range [][]string{
		{"snapshot"},
		{"screenshot"},
		{"click", "@e1"},
		{"key", "a"},
		{"type", "x"},
		{"attach"},
		{"detach"},
		{"stop"},
		{"close"},
		{"size", "640x480"},
		{"mode", "pixels"},
		{"wait", "--idle", "1"},
		{"get", "@e1"},
		{"find", "--name", "x"},
		{"probe"},
		{"logs"},
	} {
		ask := func(handle string) Reply {
			return two.Refused("not_exposed", append([]string{verb[0], handle}, verb[1:]...)...)
		}
		absent := ask("w77")
		for _, there := range []string{h, hidden.Window.Handle} {
			r := ask(there)
			if got, want := strings.ReplaceAll(string(r.JSON), there, "w77"), string(absent.JSON); got != want {
				t.Errorf("%s of %s is answered\n%s, of an absent one\n%s", verb[0], there, got, want)
			}
		}
	}
	var list struct{ Windows []Window }
	if two.OK(&list, "list"); len(list.Windows) != 0 || list.Windows == nil {
		t.Errorf("another's windows are listed: %+v", list)
	}
	one.OK(nil, "screenshot", h)
	one.Stop(h)
	owner.OK(nil, "stop", hidden.Window.Handle)
}

// TestShareAndUnshare: a window of the person's is there for a session once it
// is shared, and gone with its lease the moment the share ends.
func TestShareAndUnshare(t *testing.T) {
	t.Parallel()
	need.Xterm(t)
	w := NewWorld(t)
	owner, one, two := w.Owner(), w.Session("one"), w.Session("two")
	var o Opened
	owner.OK(&o, "launch", "xterm")
	w.see(o.Window.Display)
	h := o.Window.Handle
	// lists tells whether a session's list has the window.
	lists := func(c *Caller, want bool) {
		t.Helper()
		var list struct{ Windows []Window }
		c.OK(&list, "list")
		if got := len(list.Windows) == 1; got != want || len(list.Windows) > 1 {
			t.Errorf("the list has %+v", list.Windows)
		}
	}
	one.Refused("not_exposed", "attach", h)
	lists(one, false)
	owner.OK(nil, "share", h, "--with", "session:one")
	lists(one, true)
	lists(two, false)
	one.Refused("not_attached", "key", h, "a")
	one.OK(nil, "attach", h)
	one.Act("key", h, "Return")
	two.Refused("not_exposed", "attach", h)
	one.Refused("not_your_window", "stop", h)

	owner.OK(nil, "share", h, "--with", "session:two")
	two.Refused("held", "attach", h)
	owner.OK(nil, "unshare", h, "--with", "session:one")
	lists(one, false)
	one.Refused("not_exposed", "key", h, "a")
	two.OK(nil, "attach", h)
	two.Act("key", h, "Return")
	owner.OK(nil, "end-hold", h)
	if r := two.Run("key", h, "a"); r.OK || r.Code != "not_attached" {
		t.Errorf("after its hold was ended: %v", r)
	}
	owner.OK(nil, "stop", h)
	w.Clean(t, Left{})
}

// TestRefusedCallers: a token that is wrong or ended never falls back to
// another session, and a person's verb needs the person.
func TestRefusedCallers(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	one := w.Session("one")
	one.OK(nil, "list")
	w.Default().With("VIBESPACE_SESSION_TOKEN=nonsense").Refused("bad_session", "list")
	w.Owner().OK(nil, "session", "end", "one")
	one.Refused("bad_session", "list")
	one.Refused("bad_session", "open", "xterm")
	for _, verb := range []string{"launch", "share", "audit", "down", "session-new", "stop", "ps", "end-hold"} {
		status, body := w.post(t, "/v1/person/"+verb, `{}`, nil)
		if code := body["code"]; code != "owner_only" || status != http.StatusForbidden {
			t.Errorf("%s without the credential: %d %v", verb, status, body)
		}
		status, body = w.post(t, "/v1/person/"+verb, `{}`, http.Header{"Vibespace-Owner": {"guess"}})
		if code := body["code"]; code != "owner_only" || status != http.StatusForbidden {
			t.Errorf("%s with a guess: %d %v", verb, status, body)
		}
	}
}

// TestRefusedRequests: what is no request of ours, on the socket itself.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	w.Default().OK(nil, "list")
	for _, tt := range []struct {
		path, body, code string
		header           http.Header
	}{
		{"/v1/list", `{`, "bad_request", nil},
		{"/v1/list", `[]`, "bad_request", nil},
		{"/v1/list", `{"nosuchfield":1}`, "bad_request", nil},
		{"/v1/click", `{"handle":7}`, "bad_request", nil},
		{"/v1/list", `{} {}`, "bad_request", nil},
		{"/v1/open", `{"app":"` + strings.Repeat("x", 9<<20) + `"}`, "too_large", nil},
		{"/v1/list", `{}`, "bad_session", http.Header{"Authorization": {"Bearer wrong"}}},
		{"/v1/list", `{}`, "bad_session", http.Header{"Authorization": {"Basic wrong"}}},
	} {
		if _, body := w.post(t, tt.path, tt.body, tt.header); body["code"] != tt.code {
			t.Errorf("%s %.60s: %v, want %s", tt.path, tt.body, body, tt.code)
		}
	}
	for _, h := range []http.Header{{"Origin": {"http://evil.test"}}, {"Referer": {"http://evil.test/"}}} {
		if status, body := w.post(t, "/v1/list", `{}`, h); status < 400 || body["ok"] == true {
			t.Errorf("a page of the web is served: %d %v", status, body)
		}
	}
	w.Default().OK(nil, "list")
}

// post sends a request to the daemon's socket as it stands.
func (w *World) post(t *testing.T, path, body string, header http.Header) (int, map[string]any) {
	t.Helper()
	dial := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(w.Runtime, "api.sock"))
	}}
	defer dial.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://vibespace"+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := dial.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%s: %d is answered %q: %v", path, resp.StatusCode, raw, err)
	}
	return resp.StatusCode, answer
}

// TestUnwritableState: a state directory that cannot be written refuses the
// daemon by name, and nothing is opened.
func TestUnwritableState(t *testing.T) {
	t.Parallel()
	for _, tt := range []string{"full", "read-only"} {
		t.Run(tt, func(t *testing.T) {
			w := NewWorld(t)
			need.Disk(t, w.State, tt == "full")
			r := w.Default().Run("open", "xterm")
			if r.OK || r.Code != "store_failed" && r.Status != 3 || !strings.Contains(string(r.JSON)+r.Stderr, w.State) {
				t.Errorf("want the state directory named: %v", r)
			}
			w.Clean(t, w.Count())
		})
	}
}

// TestSecondDaemon: a second daemon on the same directories says whose they
// are, and the first goes on.
func TestSecondDaemon(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	w.Default().OK(nil, "list")
	first := w.daemonPID()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.program("vibespaced"))
	cmd.Env, cmd.Dir = w.env, w.Work
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Fatalf("a second daemon ran: %v %s", ctx.Err(), out)
	}
	if !strings.Contains(string(out), itoa(first)) && !strings.Contains(string(out), w.Runtime) {
		t.Errorf("it does not say whose the directories are: %s", out)
	}
	w.Default().OK(nil, "list")
	if now := w.daemonPID(); now != first {
		t.Errorf("the daemon was %d and is %d", first, now)
	}
}
