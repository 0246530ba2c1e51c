package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/daemon/daemontest"
	"vibespace/internal/need"
)

// peer is the SDK's own client, at the other end of a vibespace-window mcp that
// runs as a program.
type peer struct {
	*sdk.ClientSession
	t *testing.T
}

// connect starts the program against a daemon.
func connect(t *testing.T, d *daemontest.Daemon, env ...string) peer {
	t.Helper()
	cmd := exec.Command(need.Binary(t, "vibespace/cmd/vibespace-window"), "mcp")
	cmd.Env = append(append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + need.Dir(t), "LANG=C.UTF-8"}, d.Env()...), env...)
	cmd.Dir, cmd.Stderr = filepath.Dir(fixtures.Path(t, "gtk3.py")), os.Stderr
	return dial(t, cmd)
}

// patience is how long a loaded machine may take for what comes by itself.
const patience = time.Minute

// dial starts a program and speaks to it.
func dial(t *testing.T, cmd *exec.Cmd) peer {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the program ends with %v", err)
		}
	})
	return peer{s, t}
}

// call calls a tool, and reads its structured content.
func (p peer) call(into any, tool string, args map[string]any) *sdk.CallToolResult {
	p.t.Helper()
	r, err := p.CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, args, err)
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		p.t.Fatalf("%s: %v: %s", tool, err, raw)
	}
	return r
}

// ok calls a tool that has to succeed.
func (p peer) ok(into any, tool string, args map[string]any) *sdk.CallToolResult {
	p.t.Helper()
	r := p.call(into, tool, args)
	if r.IsError {
		p.t.Fatalf("%s %v: %s", tool, args, words(r))
	}
	return r
}

// refused calls a tool that has to be refused, whole.
func (p peer) refused(code api.Code, tool string, args map[string]any) api.Refusal {
	p.t.Helper()
	var e api.Refusal
	r := p.call(&e, tool, args)
	if !r.IsError || e.OK || e.Error == nil || e.Code != code || e.Message == "" || e.Details == nil {
		p.t.Errorf("%s %v: want %s: %s", tool, args, code, words(r))
	}
	if !strings.HasPrefix(words(r), string(code)+": ") {
		p.t.Errorf("%s: a model reads %q", tool, words(r))
	}
	return e
}

// words is the text of a result.
func words(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// TestTools: every verb of the command line that an agent can call is a tool,
// says what it does to the world, and the whole list is small.
func TestTools(t *testing.T) {
	t.Parallel()
	listed(t, connect(t, daemontest.New(t)), "apps ask attach batch click clipboard close detach drag find get hover key list logs menu mode open "+
		"probe screenshot scroll select set size snapshot status stop type wait",
		"apps find get list logs probe screenshot snapshot status wait", "batch click close drag key menu set stop type")
}

// listed compares the tools of a program with those it should have: all of
// them, those that look, and those that may lose something.
func listed(t *testing.T, p peer, all, looks, loses string) {
	t.Helper()
	list, err := p.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(list)
	if err != nil || len(raw) >= 12_000 {
		t.Errorf("the list of tools has %d bytes (%v)", len(raw), err)
	}
	t.Logf("%d tools in %d bytes", len(list.Tools), len(raw))
	if list.NextCursor != "" {
		t.Error("the list comes in pages")
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		if tool.Description == "" || a == nil || a.ReadOnlyHint != slices.Contains(strings.Fields(looks), tool.Name) {
			t.Errorf("%s: %q, %+v", tool.Name, tool.Description, a)
			continue
		}
		if destroys := a.DestructiveHint != nil && *a.DestructiveHint; destroys != slices.Contains(strings.Fields(loses), tool.Name) {
			t.Errorf("%s: destructive %v", tool.Name, destroys)
		}
		if a.ReadOnlyHint == (a.DestructiveHint != nil) {
			t.Errorf("%s: %+v", tool.Name, a)
		}
	}
	if !slices.Equal(names, strings.Fields(all)) {
		t.Errorf("the tools are %q", names)
	}
}

// TestDrive drives a real application through the program's standard input and
// output: opened, read, clicked, seen, refused, cancelled in the middle.
func TestDrive(t *testing.T) {
	t.Parallel()
	need.Display(t)
	d := daemontest.New(t)
	p := connect(t, d)
	log := filepath.Join(need.Dir(t), "log")
	var open api.OpenAnswer
	p.ok(&open, "open", map[string]any{"app": "./gtk3.py", "timeoutMs": 60_000, "env": []string{fixtures.LogVariable + "=" + log}})
	h, mine := string(open.Window.Handle), open.Session
	if mine == api.DefaultSession || !strings.HasPrefix(string(mine), "mcp-") {
		t.Errorf("the session is %q", mine)
	}
	var snap api.Snapshot
	r := p.ok(&snap, "snapshot", map[string]any{"handle": h})
	if !strings.Contains(words(r), `check box "Check"`) || len(snap.Nodes) == 0 {
		t.Errorf("%s", words(r))
	}
	check, notes := ref(t, snap, "Check"), ref(t, snap, "Notes")
	var acted api.Acted
	p.ok(&acted, "click", map[string]any{"handle": h, "ref": check, "expect": string(check) + ".state=checked"})
	if acted.Did.By != "tree" || acted.Verified == nil || !*acted.Verified {
		t.Errorf("%+v", acted)
	}
	fixtures.Log(t, log).Wait(t, fixtures.Toggled("Check", true), patience)

	p.picture(h)
	if e := p.refused(api.UnknownRef, "click", map[string]any{"handle": h, "ref": "@e999999"}); e.Hint == "" {
		t.Error("no way out")
	}
	p.refused(api.NotExposed, "snapshot", map[string]any{"handle": "w99"})
	p.refused(api.BadRequest, "click", map[string]any{"handle": h, "reff": "@e1"})

	var did batched
	p.ok(&did, "batch", map[string]any{"handle": h, "verbs": []any{
		map[string]any{"verb": "type", "ref": notes, "text": "é <&> 你"}, map[string]any{"verb": "get", "ref": notes, "what": "text"},
	}})
	var got api.GetAnswer
	if len(did.Answers) != 2 || json.Unmarshal(did.Answers[1].Answer, &got) != nil || got.Node.Text == nil || *got.Node.Text != "é <&> 你" {
		t.Errorf("%+v", did)
	}
	e := p.refused(api.BadRequest, "batch", map[string]any{"handle": h, "verbs": []any{map[string]any{"verb": "clack"}}})
	if answers, ok := e.Details["answers"].([]any); !ok || len(answers) != 0 {
		t.Errorf("%+v", e.Details)
	}
	p.cancels(d, fixtures.Log(t, log), h, check)
	var stopped api.HandleAnswer
	p.ok(&stopped, "stop", map[string]any{"handle": h})
}

// ref finds an element by its name.
func ref(t *testing.T, s api.Snapshot, name string) api.Ref {
	t.Helper()
	for _, n := range s.Nodes {
		if n.Name == name {
			return n.Ref
		}
	}
	t.Fatalf("nothing is named %q", name)
	return ""
}

// picture takes a picture and wants it as one.
func (p peer) picture(h string) {
	p.t.Helper()
	for format, kind := range map[string]string{"png": "image/png", "jpeg": "image/jpeg"} {
		var shot api.ScreenshotAnswer
		r := p.ok(&shot, "screenshot", map[string]any{"handle": h, "format": format})
		var img *sdk.ImageContent
		for _, c := range r.Content {
			if i, ok := c.(*sdk.ImageContent); ok {
				img = i
			}
		}
		if img == nil || img.MIMEType != kind || len(img.Data) != shot.Bytes || shot.Bytes == 0 {
			p.t.Errorf("%s: %+v", format, shot)
		}
	}
}

// cancels cancels a batch in its wait, and wants it cancelled in the daemon.
func (p peer) cancels(d *daemontest.Daemon, log *fixtures.Journal, h string, check api.Ref) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan error, 1)
	log.Mark()
	go func() {
		_, err := p.CallTool(ctx, &sdk.CallToolParams{Name: "batch", Arguments: map[string]any{"handle": h, "verbs": []any{
			map[string]any{"verb": "click", "ref": check},
			map[string]any{"verb": "wait", "text": "never so called", "timeoutMs": 600_000},
		}}})
		done <- err
	}()
	log.Wait(p.t, fixtures.Toggled("Check", false), patience)
	cancel()
	if err := <-done; err == nil {
		p.t.Error("the wait was not cancelled")
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		a, err := d.Owner().Audit(p.t.Context(), api.AuditRequest{Handle: api.Handle(h)})
		if err != nil {
			p.t.Fatal(err)
		}
		if slices.ContainsFunc(a.Rows, func(r api.AuditRow) bool { return r.Verb == "batch" && r.Verdict == string(api.Cancelled) }) {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("the daemon goes on waiting: %+v", a.Rows)
		}
	}
}

// TestToken: with a token the program is that session, and one that is wrong is
// refused as an error a model can read.
func TestToken(t *testing.T) {
	t.Parallel()
	d := daemontest.New(t)
	var status api.StatusAnswer
	connect(t, d, "VIBESPACE_SESSION_TOKEN="+d.Token("alice")).ok(&status, "status", nil)
	if status.Session != "alice" {
		t.Errorf("the session is %q", status.Session)
	}
	connect(t, d, "VIBESPACE_SESSION_TOKEN=wrong").refused(api.BadSession, "status", nil)
	own := connect(t, d)
	own.ok(&status, "status", nil)
	if status.Session == "alice" || status.Session == api.DefaultSession {
		t.Errorf("without a token the session is %q", status.Session)
	}
}
