package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/need"
)

// browse starts vibespace-browser mcp, which starts a daemon of the test's own.
func browse(t *testing.T) peer {
	t.Helper()
	dir := need.Dir(t)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "VIBESPACE_BROWSERS_HEADLESS=true",
		"VIBESPACE_SOCKET=" + filepath.Join(dir, "run", "api.sock"), "VIBESPACE_STATE_DIR=" + filepath.Join(dir, "state"),
	}
	for _, program := range []string{"vibespaced", "vibespace", "vibespace-browser"} {
		need.Binary(t, "vibespace/cmd/"+program)
	}
	t.Cleanup(func() {
		down := exec.Command(need.Binary(t, "vibespace/cmd/vibespace"), "down")
		down.Env = append(env, "VIBESPACE_NO_START=1")
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("down: %v: %s", err, out)
		}
	})
	cmd := exec.Command(need.Binary(t, "vibespace/cmd/vibespace-browser"), "mcp")
	cmd.Env, cmd.Dir, cmd.Stderr = env, dir, os.Stderr
	return dial(t, cmd)
}

// TestBrowserTools: the verbs of the other command line are tools too, in a list
// as small.
func TestBrowserTools(t *testing.T) {
	t.Parallel()
	listed(t, browse(t), "attachments back backend batch blocked check click close console detach dialog errors eval extract fill find "+
		"forward get hover new new-child open press profiles reload requests resume screenshot scroll select snapshot status tab type upload use wait",
		"attachments backend console errors extract find get profiles requests screenshot snapshot status wait",
		"batch check click close detach dialog eval fill press select type upload")
}

// TestBrowse drives a real page in a real Chromium through the program's
// standard input and output.
func TestBrowse(t *testing.T) {
	t.Parallel()
	need.Chromium(t)
	site := fixtures.Pages(t)
	p := browse(t)
	var open api.PageOpenAnswer
	r := p.ok(&open, "open", map[string]any{"url": site.URL + "/basic.html", "timeoutMs": 60_000})
	if open.Title != "Basic" || !strings.HasPrefix(string(open.Session), "mcp-") {
		t.Errorf("%s", words(r))
	}
	var snap api.PageSnapshot
	r = p.ok(&snap, "snapshot", nil)
	if !strings.Contains(words(r), "untrusted") {
		t.Errorf("what the page says is not fenced: %s", words(r))
	}
	node := func(name string) api.Ref {
		t.Helper()
		for _, n := range snap.Nodes {
			if n.Name == name && n.Role != "label" && n.Role != "LabelText" {
				return n.Ref
			}
		}
		t.Fatalf("nothing is named %q in\n%s", name, words(r))
		return ""
	}
	var acted api.PageActed
	p.ok(&acted, "click", map[string]any{"ref": node("Save"), "expect": "text=saved"})
	p.ok(&acted, "fill", map[string]any{"ref": node("Notes"), "text": "é <&> 你"})
	if acted.Verified == nil || !*acted.Verified {
		t.Errorf("%+v", acted)
	}
	var shot api.PageScreenshotAnswer
	r = p.ok(&shot, "screenshot", nil)
	if !slices.ContainsFunc(r.Content, func(c sdk.Content) bool {
		img, ok := c.(*sdk.ImageContent)
		return ok && img.MIMEType == "image/png" && len(img.Data) == shot.Bytes
	}) {
		t.Errorf("no picture: %+v", shot)
	}
	p.refused(api.StaleRef, "click", map[string]any{"ref": reloaded(p, node("Save"))})
	p.refused(api.NavigationBlocked, "open", map[string]any{"url": "file:///etc/passwd"})
	p.refused(api.BadRequest, "click", map[string]any{"reff": "@e1"})
	var did batched
	p.ok(&did, "batch", map[string]any{"verbs": []any{
		map[string]any{"verb": "find", "name": "Never"}, map[string]any{"verb": "console"},
	}})
	if len(did.Answers) != 2 || did.Answers[1].Verb != "console" || did.Answers[1].Line != 2 {
		t.Errorf("%+v", did)
	}
	e := p.refused(api.BadRequest, "batch", map[string]any{"verbs": []any{map[string]any{"verb": "back-and-forth"}}})
	if e.Details["line"] != 1.0 {
		t.Errorf("%+v", e.Details)
	}
}

// reloaded loads the page again, and gives the ref back.
func reloaded(p peer, ref api.Ref) api.Ref {
	p.t.Helper()
	var open api.PageOpenAnswer
	p.ok(&open, "reload", nil)
	return ref
}
