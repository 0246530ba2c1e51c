package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// viewer is somewhere the person looks on and drives from that is no command
// line.
type viewer struct {
	w    *World
	name string
}

// ask asks one of the person's verbs; what comes back is an answer or a refusal.
func (v viewer) ask(t *testing.T, verb string, fields map[string]any) Reply {
	t.Helper()
	credential, err := os.ReadFile(filepath.Join(v.w.Runtime, "owner"))
	if err != nil {
		t.Fatal(err)
	}
	fields["viewer"] = v.name
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	_, answer := v.w.post(t, "/v1/person/"+verb, string(body), http.Header{
		"Vibespace-Owner": {strings.TrimSpace(string(credential))},
	})
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	r := Reply{Args: []string{verb, v.name}, JSON: raw}
	r.Into(t, &r)
	return r
}

// ok asks what has to be done.
func (v viewer) ok(t *testing.T, verb string, fields map[string]any) Reply {
	t.Helper()
	r := v.ask(t, verb, fields)
	if !r.OK {
		t.Fatalf("%v", r)
	}
	return r
}

// refused asks what has to be refused.
func (v viewer) refused(t *testing.T, code, verb string, fields map[string]any) {
	t.Helper()
	if r := v.ask(t, verb, fields); r.OK || r.Code != code || r.Hint == "" {
		t.Errorf("want %s: %v", code, r)
	}
}

// unhurried is a world in which a viewer may take its time between two signs of
// life.
const unhurried = "VIBESPACE_TAKEOVER_AWAY=10m"

// strokes are keys pressed and released one after the other, by keycode.
func strokes(codes ...int) []map[string]any {
	var events []map[string]any
	for _, code := range codes {
		events = append(events, map[string]any{"do": "press", "code": code}, map[string]any{"do": "release", "code": code})
	}
	return events
}

// TestTakeoverOnAnotherKeyboard: what the person presses on a French keyboard
// arrives in a window whose display had a US one, in every toolkit, by keycode
// and by symbol; what they paste and point at too; afterwards the agent's keys
// mean what they did, and what was pressed is written nowhere.
func TestTakeoverOnAnotherKeyboard(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, unhurried)
			p := w.Session("a").fixture(kit)
			field, alpha := p.node("Name"), p.node("Alpha")
			v := viewer{w, "desk"}
			at := func(b *Rect) map[string]int { x, y := b.Middle(); return map[string]int{"x": x, "y": y} }
			v.ok(t, "takeover", map[string]any{"handle": p.handle, "layout": "fr"})
			do := func(events ...map[string]any) {
				t.Helper()
				v.ok(t, "input", map[string]any{"handle": p.handle, "events": events})
			}
			do(map[string]any{"do": "down", "button": "left", "at": at(field.Bounds)}, map[string]any{"do": "up", "button": "left"})
			const altgr = 108
			keys := strokes(24, 25, 26, 27, 28, 29, 65, 11, 65, 48, 65)
			keys = append(keys, map[string]any{"do": "press", "code": altgr})
			keys = append(keys, strokes(26)...)
			keys = append(keys, map[string]any{"do": "release", "code": altgr})
			do(keys...)
			pressed := "azerty é ù €"
			p.log.Wait(t, fixtures.Typed("Name", pressed), seen)

			keys = nil
			for _, name := range []string{"space", "a", "é", "eacute", "U20AC", "Z"} {
				keys = append(keys, map[string]any{"do": "press", "key": name}, map[string]any{"do": "release", "key": name})
			}
			do(append(keys, map[string]any{"do": "text", "text": " 你 pasté"})...)
			pressed += " aéé€Z 你 pasté"
			p.log.Wait(t, fixtures.Typed("Name", pressed), seen)
			do(map[string]any{"do": "move", "at": at(alpha.Bounds)},
				map[string]any{"do": "down", "button": "left"}, map[string]any{"do": "up", "button": "left"})
			p.log.Wait(t, fixtures.Clicked("Alpha"), seen)
			do(map[string]any{"do": "press", "key": "Shift_L"}) // and the hand is taken off
			v.ok(t, "handback", map[string]any{"handle": p.handle})

			if down := w.Record(t, p.window).Down(); len(down) > 0 {
				t.Errorf("still down: %v", down)
			}
			p.Snapshot(p.handle)
			p.log.Mark()
			p.focus(p.node("Name"))
			p.Act("key", p.handle, "ctrl+a", "q", "w", "e")
			p.log.Wait(t, fixtures.Typed("Name", "qwe"), seen)
			for _, r := range w.rows(p.handle) {
				if r.Verb == "input" || r.Verb == "driving" {
					t.Errorf("the audit holds what the person did: %+v", r)
				}
			}
			nowhere(t, w, pressed, "azerty", "pasté")
			p.Stop(p.handle)
		})
	}
}

// TestTakeoverHeld: one viewer drives; another reads takeover_held, and so does
// the command line; who does not drive passes nothing on. Who attaches meanwhile
// is paused from the start.
func TestTakeoverHeld(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, unhurried)
	me := w.Owner()
	path := w.File("journal")
	var opened Opened
	me.OK(&opened, "launch", fixtures.Path(t, "gtk3.py"), "--env", fixtures.LogVariable+"="+path, "--timeout", "60s")
	h := opened.Window.Handle
	on := func(more ...any) map[string]any {
		m := map[string]any{"handle": h}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	one, two := viewer{w, "one"}, viewer{w, "two"}
	one.refused(t, "not_attached", "input", on("events", strokes(38)))
	one.refused(t, "not_attached", "driving", on())
	one.refused(t, "bad_request", "takeover", on("layout", "klingon(!"))
	one.ok(t, "takeover", on())
	one.ok(t, "takeover", on())
	for _, verb := range []string{"takeover", "handback", "driving", "input"} {
		two.refused(t, "takeover_held", verb, on())
	}
	me.Refused("takeover_held", "takeover", h)
	me.Refused("takeover_held", "handback", h)
	one.refused(t, "bad_key", "input", on("events", []any{map[string]any{"do": "press", "key": "nosuchkey"}}))
	one.refused(t, "bad_request", "input", on("events", []any{map[string]any{"do": "dance"}}))
	agent := w.Session("a")
	if _, body := w.post(t, "/v1/person/takeover", `{"handle":"`+h+`"}`, nil); body["code"] != "owner_only" {
		t.Errorf("without the credential: %v", body)
	}
	me.OK(nil, "share", h, "--with", "session:a")
	var attached Opened
	agent.OK(&attached, "attach", h)
	if attached.Window.Input != "user" {
		t.Errorf("attached to %+v", attached.Window)
	}
	agent.Refused("window_paused", "snapshot", h)
	agent.OK(nil, "detach", h)
	agent.OK(nil, "attach", h)
	one.ok(t, "handback", on("note", "yours"))
	two.refused(t, "not_attached", "input", on("events", strokes(38)))
	var told Told
	agent.OK(&told, "snapshot", h)
	if len(told.HandedBack) != 1 || told.HandedBack[0].Note != "yours" || told.HandedBack[0].Failed == "" {
		t.Errorf("told %+v", told)
	}
	two.ok(t, "takeover", on())
	two.ok(t, "handback", on())
	me.OK(nil, "handback", h) // nobody had it
	me.OK(nil, "stop", h)
	two.refused(t, "not_live", "takeover", on())
	two.refused(t, "not_exposed", "takeover", map[string]any{"handle": "w99"})
}

// lapse is why the last takeover of the person's one window went back by itself,
// "" when it did not.
func (c *Caller) lapse() string {
	c.t.Helper()
	var list struct {
		Windows []struct {
			Input  string
			Lapsed *struct{ Why string }
		}
	}
	c.OK(&list, "list")
	if len(list.Windows) != 1 || list.Windows[0].Input == "user" || list.Windows[0].Lapsed == nil {
		return ""
	}
	return list.Windows[0].Lapsed.Why
}

// toldBack is what a session is told of the one window that came back.
func (p program) toldBack() HandedBack {
	p.t.Helper()
	var told Told
	p.OK(&told, "status")
	if len(told.HandedBack) != 1 {
		p.t.Fatalf("told %+v", told)
	}
	return told.HandedBack[0]
}

// TestTakeoverLapsesAway: a takeover whose viewer went away goes back by itself,
// and that is told to the person and to the agent.
func TestTakeoverLapsesAway(t *testing.T) {
	t.Parallel()
	const away = 4 * time.Second // a sign of life is given within it on any machine
	w := NewWorld(t, "VIBESPACE_TAKEOVER_AWAY="+away.String())
	p := w.Session("a").fixture("gtk3.py")
	me := w.Owner()
	p.Snapshot(p.handle)
	v := viewer{w, "desk"}
	v.ok(t, "takeover", map[string]any{"handle": p.handle})
	for began := time.Now(); time.Since(began) < away+away/4; time.Sleep(away / 20) { // signs of life, and none of a hand
		v.ok(t, "driving", map[string]any{"handle": p.handle})
	}
	Eventually(t, "it lapses when the viewer is gone", func() bool { return me.lapse() != "" })
	if why := me.lapse(); !strings.Contains(why, "went away") {
		t.Errorf("lapsed: %s", why)
	}
	v.refused(t, "not_attached", "driving", map[string]any{"handle": p.handle})
	if h := p.toldBack(); h.How != "away" {
		t.Errorf("told %+v", h)
	}
	me.OK(nil, "takeover", p.handle)
	if me.lapse() != "" {
		t.Error("the lapse of an earlier takeover is told on")
	}
	me.OK(nil, "handback", p.handle)
	p.Stop(p.handle)
}

// TestTakeoverLapsesIdle: a takeover nobody uses goes back by itself, also one
// that shows no sign of life and need not.
func TestTakeoverLapsesIdle(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, "VIBESPACE_TAKEOVER_IDLE=8s") // a command fits into it on any machine
	p := w.Session("a").fixture("gtk3.py")
	me := w.Owner()
	p.Snapshot(p.handle)
	me.OK(nil, "takeover", p.handle)
	p.Refused("window_paused", "snapshot", p.handle)
	Eventually(t, "it lapses by idle", func() bool { return me.lapse() != "" })
	if h := p.toldBack(); h.How != "idle" || len(h.Refused) != 1 {
		t.Errorf("told %+v", h)
	}
	p.Snapshot(p.handle)
	p.Stop(p.handle)
}

// TestTakeoverOfAKilledDaemon: that the person drives is written before it is
// answered, so that a daemon that is killed has said so.
func TestTakeoverOfAKilledDaemon(t *testing.T) {
	t.Parallel()
	w := NewWorld(t)
	p := w.Default().fixture("gtk3.py")
	told := p.ref("Check")
	viewer{w, "desk"}.ok(t, "takeover", map[string]any{"handle": p.handle})
	w.killDaemon()
	query := exec.Command(need.Tool(t, "python3"), "-c", `import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(*db.execute("SELECT handle, holder, input, driver, paused IS NOT NULL FROM leases").fetchall())`, filepath.Join(w.State, "state.db"))
	out, err := query.CombinedOutput()
	if want := fmt.Sprintf("('%s', 'default', 'user', 'desk', 1)", p.handle); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("the store says %s, %v; want %s", out, err, want)
	}
	// The next daemon takes it back, and the person drives on.
	if again := w.Default().back(p.handle); again.State != "ready" || again.Input != "user" {
		t.Errorf("came back as %+v", again)
	}
	p.Refused("window_paused", "snapshot", p.handle)
	viewer{w, "desk"}.refused(t, "not_attached", "driving", map[string]any{"handle": p.handle})
	viewer{w, "desk"}.ok(t, "takeover", map[string]any{"handle": p.handle})
	p.Refused("window_paused", "snapshot", p.handle)
	w.Owner().Refused("takeover_held", "handback", p.handle)
	viewer{w, "desk"}.ok(t, "handback", map[string]any{"handle": p.handle})
	p.Refused("stale_ref", "click", p.handle, told)
	again := p.ref("Check")
	if again == told {
		t.Errorf("%s was given twice", told)
	}
	p.Act("click", p.handle, again)
	p.Stop(p.handle)
}
