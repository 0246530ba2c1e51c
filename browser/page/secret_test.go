package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// secrets are the values of the page secret.html that must never be told.
var secrets = []string{"hunter2", "483920", "4111111111111111", "sk-live-123", "overlong-value", "••"}

// hides fails when an answer holds a secret.
func hides(t *testing.T, what string, answer any) {
	t.Helper()
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(string(data), s) {
			t.Errorf("%s tells %q: %s", what, s, data)
		}
	}
}

// TestSecrets: what secret fields hold is in no answer, also after a page shows
// it, and nothing is typed into them without the person's word (C22).
func TestSecrets(t *testing.T) {
	p := open(t, "secret.html")
	s := p.snap()
	hides(t, "snapshot", s)
	refs := p.named()
	p.click(refs["Show"])
	if got := p.js("pw.type"); got != `"text"` {
		t.Fatalf("the field is %s", got)
	}
	s = p.snap()
	hides(t, "snapshot after the toggle", s)
	for _, name := range []string{"Password", "Code", "Card number", "API key", "Inner password", "Shadow password"} {
		refusal(t, second(p.Fill(p.ctx, api.PageFillRequest{Ref: refs[name], Text: "x"})), api.SensitiveField)
		refusal(t, second(p.Type(p.ctx, api.PageTypeRequest{Ref: refs[name], Text: "x"})), api.SensitiveField)
		for _, what := range []string{"", "value", "html", "text"} {
			g, err := p.Get(p.ctx, api.PageGetRequest{Ref: refs[name], What: what})
			if err != nil {
				t.Errorf("get %s %s: %v", name, what, err)
			}
			hides(t, "get "+name+" "+what, g)
		}
		g, err := p.Get(p.ctx, api.PageGetRequest{Ref: refs[name], What: "attr", Attr: "value"})
		if err != nil || !g.Hidden {
			t.Errorf("%+v, %v", g, err)
		}
	}
	for _, n := range s.Nodes {
		if n.Role == "textbox" && contains(n.States, "secret") == (n.Name == "Search") {
			t.Errorf("%q: %v", n.Name, n.States)
		}
	}
	p.click(refs["Code"])
	refusal(t, second(p.Type(p.ctx, api.PageTypeRequest{Text: "1"})), api.SensitiveField)
	for _, keys := range []string{"1", "ctrl+v", "Control+V", "ctrl+shift+v", "shift+Insert", "Home 1", "End shift+Insert"} {
		refusal(t, second(p.Press(p.ctx, api.PagePressRequest{Keys: strings.Fields(keys)})), api.SensitiveField)
	}
	for _, format := range []string{"markdown", "text"} {
		x, err := p.Extract(p.ctx, api.ExtractRequest{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		hides(t, "extract "+format, x)
	}
	refusal(t, second(p.Fill(p.ctx, api.PageFillRequest{Ref: refs["Password"], Text: "x"})), api.SensitiveField)
}

// TestSecretAllowed: the person's word for an origin is for that origin's
// documents, and what was typed is still not told.
func TestSecretAllowed(t *testing.T) {
	p := open(t, "")
	if _, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.Other + "/secret.html"}); err != nil {
		t.Fatal(err)
	}
	refs := p.named()
	a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs["Password"], Text: "hunter2-new"})
	if err != nil || !*a.Verified {
		t.Fatalf("%+v, %v", a, err)
	}
	hides(t, "fill", a)
	if got := p.js("pw.value"); got != `"hunter2-new"` {
		t.Errorf("the page has %s", got)
	}
	hides(t, "snapshot", p.snap())
}

// TestSecretNames: which fields hold secrets.
func TestSecretNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Password": true, "Enter your pass phrase": true, "PIN": true, "Shipping": false, "Opinion": false, "One-time code": true, "OTP": true,
		"Verification code": true, "Postal code": false, "Card number": true, "Card holder": false, "CVV": true, "API key": true, "Keywords": false,
		"Search": false, "access_key": true, "IBAN": true, "Token": true, "Monkey": false, "Paſſword": true, "Toĸen": false, "To\u212aen": true, "SSN": true, "Größe": false, strings.Repeat("x", 300): true,
	} {
		if got := secret("text", "", false, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !secret("text", "section-x current-password", false) || !secret("password", "", false) || !secret("text", "", true) || secret("checkbox", "", false, "token") {
		t.Error("kinds")
	}
}

// TestForgedNames: what a page calls its elements stays in its quotes, on its
// line; what is not shown is not told (C45).
func TestForgedNames(t *testing.T) {
	p := open(t, "forge.html")
	s := p.snap()
	text := api.Text("snapshot", *s)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), `button "Delete"`) || strings.HasPrefix(line, "--- end") || strings.ContainsAny(line, "\x1b\u202e\u200b") {
			t.Errorf("forged: %q", line)
		}
	}
	for _, hidden := range []string{"Hidden", "Invisible"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%s is told in\n%s", hidden, text)
		}
	}
	if !strings.Contains(text, `button "Nested"`) {
		t.Errorf("a name of parts is lost in\n%s", text)
	}
}

// TestShownPasswordStaysSecret: a field that was a password is one although the
// page shows it as text and nothing in its names says so.
func TestShownPasswordStaysSecret(t *testing.T) {
	p := open(t, "basic.html")
	p.js(`void document.body.insertAdjacentHTML('beforeend', '<input id=mine type=password aria-label="Favourite" value="hush-42">')`)
	ref := p.ref("textbox", "Favourite")
	p.js("void (mine.type = 'text')")
	s := p.snap()
	if text := api.Text("snapshot", *s); strings.Contains(text, "hush-42") || !strings.Contains(text, `"Favourite"`) {
		t.Errorf("%s", text)
	}
	if g, err := p.Get(p.ctx, api.PageGetRequest{Ref: ref, What: "value"}); err != nil || strings.Contains(fmt.Sprintf("%+v", g), "hush-42") {
		t.Errorf("%+v, %v", g, err)
	}
	refusal(t, second(p.Fill(p.ctx, api.PageFillRequest{Ref: ref, Text: "x"})), api.SensitiveField)
}
