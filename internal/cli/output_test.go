package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestExitByCode walks every code of the contract through a daemon's answer to
// the exit status, in words and in JSON.
func TestExitByCode(t *testing.T) {
	s := newStub(t)
	for _, code := range []api.Code{
		api.NoSession, api.BadSession, api.OwnerOnly, api.NotExposed, api.Held, api.StaleRef, api.BadSize, api.TooLarge, api.ExpectFailed,
		api.Timeout, api.Cancelled, api.Busy, api.StoreFailed, api.NotYet, api.Internal, api.BadRequest, "a_code_of_tomorrow",
	} {
		fate := api.FateOf(code)
		s.mu.Lock()
		s.status, s.answer = fate.HTTP, `{"ok":false,"code":"`+string(code)+`","message":"m","hint":"h","details":{"a":[1,2]}}`
		s.mu.Unlock()
		if got := s.window("list"); got.exit != fate.Exit || got.stdout != "" || got.stderr != "vibespace-window: "+string(code)+": m\nhint: h\na: [1,2]\n" {
			t.Errorf("%s: %+v, want exit %d", code, got, fate.Exit)
		}
		if v := oneObject(t, string(code), s.window("list", "--json")); v["code"] != string(code) {
			t.Errorf("%s: %v", code, v)
		}
	}
}

// TestUnreachable: no daemon, a stranger on the socket, nonsense.
func TestUnreachable(t *testing.T) {
	s := newStub(t)
	s.answer = "<html>"
	if got := s.window("list"); got.exit != api.ExitUnreachable {
		t.Errorf("nonsense: %+v", got)
	}
	s.socket = filepath.Join(filepath.Dir(s.socket), "none.sock")
	got := s.window("list", "--json")
	if v := oneObject(t, "list", got); got.exit != api.ExitUnreachable || v["code"] != "unreachable" {
		t.Errorf("no daemon: %+v", got)
	}
}

func TestRelativeSocketIsWrongUsage(t *testing.T) {
	s := newStub(t)
	p, out, errs := s.program("vibespace-window", "", map[string]string{"VIBESPACE_SOCKET": "api.sock"}, "list", "--json")
	if got := (ran{Window(p), out.String(), errs.String()}); got.exit != api.ExitUsage {
		t.Errorf("%+v", got)
	}
}

func TestHelpVersionManual(t *testing.T) {
	s := newStub(t)
	for _, c := range []struct{ args, has string }{
		{"--version", "test"},
		{"--help", "Usage:"},
		{"-h", "Usage:"},
		{"type -h", "standard input"},
		{"help", "Usage:"},
		{"help type", "--replace"},
		{"type --help", "--replace"},
		{"manual", "click <handle> @e7 | click <handle> --at X,Y"},
		{"completion bash", "vibespace-window"},
		{"completion zsh", "compdef"},
	} {
		got := s.window(words1(c.args)...)
		if got.exit != 0 || !strings.Contains(got.stdout, c.has) || got.stderr != "" {
			t.Errorf("%s: exit %d, stdout %.80q, stderr %q", c.args, got.exit, got.stdout, got.stderr)
		}
		oneObject(t, c.args, s.window(append(words1(c.args), "--json")...))
	}
	if s.last() != "" {
		t.Errorf("the daemon was asked %s", s.last())
	}
}

// TestManualNamesEveryVerb of the contract.
func TestManualNamesEveryVerb(t *testing.T) {
	s := newStub(t)
	text := "\n" + s.window("manual").stdout
	for _, verb := range words1("apps open list attach detach close stop snapshot find get screenshot click menu type set select key scroll drag hover " +
		"wait size mode watch clipboard logs ask batch status probe mcp manual completion") {
		if !strings.Contains(text, "\n"+verb) {
			t.Errorf("the manual does not name %s", verb)
		}
	}
}

func TestStdinText(t *testing.T) {
	s := newStub(t)
	p, _, errs := s.program("vibespace-window", "-a\nb\n", nil, "type", "w1", "@e2", "--stdin")
	if exit := Window(p); exit != 0 || !sameAsked(s.last(), `type {"handle":"w1","ref":"@e2","text":"-a\nb\n"}`) {
		t.Errorf("exit %d, asked %s, %s", exit, s.last(), errs)
	}
	p, _, _ = s.program("vibespace-window", "\xff", nil, "type", "w1", "--stdin")
	if exit := Window(p); exit != api.ExitUsage {
		t.Errorf("invalid UTF-8: exit %d", exit)
	}
	p, out, _ := s.program("vibespace-window", strings.Repeat("é", 2<<20), nil, "type", "w1", "--stdin", "--json")
	if exit := Window(p); exit != api.ExitRefused || !strings.Contains(out.String(), `"text_too_long"`) {
		t.Errorf("a long text: exit %d, %.200s", exit, out)
	}
}

// TestIdentityHeaders: an agent shows its token and no more; the person shows
// the credential of the file.
func TestIdentityHeaders(t *testing.T) {
	s := newStub(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.socket), "owner"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _, _ := s.program("vibespace-window", "", map[string]string{"VIBESPACE_SESSION_TOKEN": "tok"}, "list", "--session", "a")
	if Window(p) != 0 {
		t.Fatal("list failed")
	}
	h := s.heads[0]
	if h.Get("Authorization") != "Bearer tok" || h.Get(api.HeaderSession) != "a" || h.Get(api.HeaderOwner) != "" {
		t.Errorf("agent: %v", h)
	}
	p, _, _ = s.program("vibespace", "", map[string]string{"VIBESPACE_SESSION_TOKEN": "tok"}, "ps")
	if Person(p) != 0 {
		t.Fatal("ps failed")
	}
	if h = s.heads[1]; h.Get("Authorization") != "" || h.Get(api.HeaderOwner) != "secret" {
		t.Errorf("person: %v", h)
	}
}

// TestForgedHeaders: a label or a token that would break a header is refused,
// and nothing is asked.
func TestForgedHeaders(t *testing.T) {
	s := newStub(t)
	p, out, _ := s.program("vibespace-window", "", nil, "list", "--json", "--session", "a\r\nVibespace-Owner: x")
	if exit := Window(p); exit != api.ExitRefused || !strings.Contains(out.String(), `"bad_session"`) || s.last() != "" {
		t.Errorf("a label: exit %d, %s", exit, out)
	}
	p, out, _ = s.program("vibespace-window", "", map[string]string{"VIBESPACE_SESSION_TOKEN": "a\x01"}, "list", "--json")
	if exit := Window(p); exit != api.ExitRefused || !strings.Contains(out.String(), `"bad_session"`) || s.last() != "" {
		t.Errorf("a token: exit %d, %s", exit, out)
	}
	p, out, _ = s.program("vibespace-window", "", nil, append([]string{"--json", "open", "x", "--"}, slices.Repeat([]string{strings.Repeat("y", 100_000)}, 11)...)...)
	if exit := Window(p); exit != api.ExitRefused || !strings.Contains(out.String(), `"too_large"`) || s.last() != "" {
		t.Errorf("a large request: exit %d, %.200s", exit, out)
	}
}

func TestTokens(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "a", "a,b c\nd": "a b c d", "  ": "-"} {
		if got := strings.Join(tokens(in), " "); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// fullDisk refuses every byte.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestUnwrittenAnswerIsNoSuccess: an answer that did not reach its reader must
// not exit 0.
func TestUnwrittenAnswerIsNoSuccess(t *testing.T) {
	s := newStub(t)
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"--version"}, {"frob", "--json"}} {
		p, _, errs := s.program("vibespace-window", "", nil, args...)
		p.Stdout = fullDisk{}
		if exit := Window(p); exit == 0 {
			t.Errorf("%v: exit 0, %s", args, errs)
		}
	}
}

func TestOtherVersionIsSaid(t *testing.T) {
	s := newStub(t)
	p, _, errs := s.program("vibespace-window", "", nil, "list")
	p.Version = "newer"
	if Window(p) != 0 || !strings.Contains(errs.String(), "version test") {
		t.Errorf("stderr %q", errs)
	}
}

func TestLogs(t *testing.T) {
	s := newStub(t)
	got := s.person("logs", "--json")
	if v := oneObject(t, "logs", got); len(v["lines"].([]any)) != 0 {
		t.Errorf("no log: %s", got.stdout)
	}
	var b bytes.Buffer
	for range 30_000 {
		b.WriteString(`{"msg":"a line that fills the file well beyond what is read at once"}` + "\n")
	}
	b.WriteString(`{"msg":"last"}` + "\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.socket), "vibespaced.log"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var a logsAnswer
	if err := json.Unmarshal([]byte(s.person("logs", "--tail", "2", "--json").stdout), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Lines) != 2 || string(a.Lines[1]) != `{"msg":"last"}` {
		t.Errorf("tail: %s", a.Lines)
	}
	if a := s.person("logs", "--tail", "999999"); a.exit != 0 || !strings.HasSuffix(a.stdout, "{\"msg\":\"last\"}\n") {
		t.Errorf("all: exit %d", a.exit)
	}
}

func TestSessionNewPrintsWhatToPaste(t *testing.T) {
	s := newStub(t)
	s.answer = `{"ok":true,"label":"a","token":"tok","env":{"VIBESPACE_SESSION_TOKEN":"tok"}}`
	got := s.person("session", "new", "a")
	for _, want := range []string{"export VIBESPACE_SESSION_TOKEN=tok\n", `"mcpServers"`, `"args": [`} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in %s", want, got.stdout)
		}
	}
}
