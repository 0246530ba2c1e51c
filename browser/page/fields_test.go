package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// named are the refs of a snapshot by the elements' names.
func (p *tab) named() map[string]api.Ref {
	p.t.Helper()
	refs := map[string]api.Ref{}
	for _, n := range p.snap().Nodes {
		if _, had := refs[n.Name]; !had {
			refs[n.Name] = n.Ref
		}
	}
	return refs
}

// TestFill: each kind of field takes what it takes, is read back, and the
// page's own state agrees (C38).
func TestFill(t *testing.T) {
	p := open(t, "fields.html")
	refs := p.named()
	for _, c := range []struct {
		field, text string
		code        api.Code
		verified    bool
		oracle, is  string
	}{
		{"Date", "2026-12-31", "", true, "document.querySelector('[type=date]').value", `2026-12-31`},
		{"Date", "31.12.2026", api.CannotSet, false, "", ""},
		{"Time", "23:59", "", true, "document.querySelector('[type=time]').value", "23:59"},
		{"Colour", "#ff8800", "", true, "document.querySelector('[type=color]').value", "#ff8800"},
		{"Range", "40", "", true, "document.querySelector('[type=range]').value", "40"},
		{"Number", "12.5", "", true, "document.querySelector('[type=number]').value", "12.5"},
		{"Short", "abcdef", "", false, "document.querySelector('[maxlength]').value", "abc"},
		{"Locked", "x", api.NotEditable, false, "", ""},
		{"Long", "one\ntwo", "", true, "document.querySelector('textarea').value", `one\ntwo`},
		{"Rich", "new words", "", true, "document.querySelector('[contenteditable]').innerText", "new words"},
		{"Controlled", "état 你好", "", true, "state.value", "état 你好"},
		{"Stubborn", "yes", "", false, "stubborn.value", "no"},
		{"Search", "one\ntwo", api.SingleLine, false, "", ""},
		{"Push", "x", api.NotEditable, false, "", ""},
		{"Box", "x", api.NotEditable, false, "", ""},
		{"One", "Beta", api.NotEditable, false, "", ""},
	} {
		a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs[c.field], Text: c.text})
		if c.code != "" {
			refusal(t, err, c.code)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		if a.Verified == nil || *a.Verified != c.verified {
			t.Errorf("%s: verified %v, effects %+v", c.field, a.Verified, a.Effects)
		}
		p.js("new Promise(r => setTimeout(r, 0)) && 1")
		if err := p.until1(func() bool { return strings.ReplaceAll(p.js(c.oracle), `"`, "") == c.is }); err != nil {
			t.Errorf("%s: the page has %s", c.field, p.js(c.oracle))
		}
	}
	a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs["Long"], Text: ""})
	if err != nil || !*a.Verified || p.js("document.querySelector('textarea').value") != `""` {
		t.Errorf("emptied: %+v, %v", a, err)
	}
}

// TestType: keys go to the end of the field, whatever they are, and the page
// sees each.
func TestType(t *testing.T) {
	p := open(t, "fields.html")
	refs := p.named()
	text := "Hello, Wörld! 你好 😀 (1+2)=3"
	p.js("document.querySelector('[type=search]').value = 'x', window.keys = 0, document.addEventListener('keydown', () => keys++)")
	a, err := p.Type(p.ctx, api.PageTypeRequest{Ref: refs["Search"], Text: text})
	if err != nil || a.Verified == nil || !*a.Verified {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := p.js("document.querySelector('[type=search]').value"); got != `"x`+text+`"` {
		t.Errorf("the page has %s", got)
	}
	if got := p.js("keys"); got == "0" {
		t.Error("no key was seen")
	}
	if _, err := p.Type(p.ctx, api.PageTypeRequest{Text: "!"}); err != nil { // where the focus is
		t.Error(err)
	}
	if got := p.js("document.querySelector('[type=search]').value"); got != `"x`+text+`!"` {
		t.Errorf("the page has %s", got)
	}
	refusal(t, second(p.Type(p.ctx, api.PageTypeRequest{Ref: refs["Push"], Text: "x"})), api.NotEditable)
	refusal(t, second(p.Type(p.ctx, api.PageTypeRequest{Ref: refs["Search"], Text: "a\x07"})), api.ControlChar)
	refusal(t, second(p.Type(p.ctx, api.PageTypeRequest{Ref: refs["Search"], Text: strings.Repeat("x", 100_001)})), api.TextTooLong)
}

// TestPress: chords reach the page, edit what has the focus, and leave nothing
// held.
func TestPress(t *testing.T) {
	p := open(t, "fields.html")
	refs := p.named()
	if _, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs["Search"], Text: "gone"}); err != nil {
		t.Fatal(err)
	}
	p.js("window.seen = [], ['keydown', 'keyup'].forEach(k => document.addEventListener(k, e => seen.push(k[3] + e.key + (e.ctrlKey ? '^' : ''))))")
	if _, err := p.Press(p.ctx, api.PagePressRequest{Keys: []string{"ctrl+a", "Backspace", "b", "shift+c", "ArrowLeft"}}); err != nil {
		t.Fatal(err)
	}
	if got := p.js("document.querySelector('[type=search]').value"); strings.ToLower(got) != `"bc"` {
		t.Errorf("the page has %s", got)
	}
	if got := p.js("seen.slice(0, 4).join(' ')"); !strings.HasPrefix(got, `"dControl^ da^ ua^ uControl`) {
		t.Errorf("the page saw %s", got)
	}
	for _, bad := range []string{"", "hyper+x", "NoKey"} {
		refusal(t, second(p.Press(p.ctx, api.PagePressRequest{Keys: []string{bad}})), api.BadKey)
	}
}

// TestChoose: lists, boxes, switches and radio buttons.
func TestChoose(t *testing.T) {
	p := open(t, "fields.html")
	refs := p.named()
	a, err := p.Select(p.ctx, api.PageSelectRequest{Ref: refs["One"], Options: []string{"Beta"}})
	if err != nil || !*a.Verified || p.js("document.querySelector('[aria-label=One]').value") != `"b"` || !strings.Contains(kinds(a.Effects), "selected") {
		t.Errorf("%+v, %v", a, err)
	}
	e := refusal(t, second(p.Select(p.ctx, api.PageSelectRequest{Ref: refs["One"], Options: []string{"Delta"}})), api.CannotSet)
	if list, ok := e.Details["options"].([]string); !ok || len(list) != 3 {
		t.Errorf("%v", e.Details)
	}
	refusal(t, second(p.Select(p.ctx, api.PageSelectRequest{Ref: refs["One"], Options: []string{"Gamma"}})), api.Disabled)
	refusal(t, second(p.Select(p.ctx, api.PageSelectRequest{Ref: refs["Push"], Options: []string{"Gamma"}})), api.CannotSet)
	if a, err = p.Select(p.ctx, api.PageSelectRequest{Ref: refs["Many"], Options: []string{"x", "z"}}); err != nil || !*a.Verified {
		t.Errorf("%+v, %v", a, err)
	}
	if got := p.js("log.filter(l => l.startsWith('change')).join()"); got != `"change One,change Many"` {
		t.Errorf("the page saw %s", got)
	}
	for _, name := range []string{"Box", "Switch", "B"} {
		for range 2 { // the second time there is nothing to do
			a, err := p.Check(p.ctx, api.PageCheckRequest{Ref: refs[name], Checked: true})
			if err != nil || !*a.Verified {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
	}
	if got := p.js("[document.querySelector('[type=checkbox]').checked, document.querySelector('[role=switch]').ariaChecked, document.querySelector('[aria-label=B]').checked]"); got != `[true,"true",true]` {
		t.Errorf("the page has %s", got)
	}
	refusal(t, second(p.Check(p.ctx, api.PageCheckRequest{Ref: refs["B"], Checked: false})), api.CannotSet)
	refusal(t, second(p.Check(p.ctx, api.PageCheckRequest{Ref: refs["Push"], Checked: true})), api.CannotSet)
}

// TestUpload: a field, several files, and choosers nobody sees (C37).
func TestUpload(t *testing.T) {
	p := open(t, "upload.html")
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.txt", "b.txt"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	s := p.snap()
	t.Log(lines(s))
	refs := p.named()
	var plain, several api.Ref
	for _, n := range s.Nodes {
		if strings.HasPrefix(n.Name, "Plain") {
			plain = n.Ref
		}
		if strings.HasPrefix(n.Name, "Several") {
			several = n.Ref
		}
	}
	put := func(ref api.Ref, want string, files ...string) {
		t.Helper()
		if _, err := p.Upload(p.ctx, api.UploadRequest{Ref: ref, Files: files}); err != nil {
			t.Fatal(err)
		}
		if p.until1(func() bool { return p.js("out.value") == `"`+want+`"` }) != nil {
			t.Errorf("the page has %s, want %s", p.js("out.value"), want)
		}
	}
	put(plain, "a.txt 5", files[0])
	put(several, "a.txt 5,b.txt 5", files...)
	refusal(t, second(p.Upload(p.ctx, api.UploadRequest{Ref: plain, Files: files})), api.CannotSet)
	refusal(t, second(p.Upload(p.ctx, api.UploadRequest{Files: files[:1]})), api.CannotSet)
	p.click(refs["Hidden"]) // the label of a field nobody sees
	put("", "a.txt 5", files[0])
	a := p.click(refs["Detached"])
	if kinds(a.Effects) == "" || !strings.Contains(kinds(a.Effects), "chooser") {
		t.Errorf("%+v", a.Effects)
	}
	put("", "b.txt 5", files[1])
	p.click(refs["Detached"])
	if _, err := p.Reload(p.ctx, api.PageRequest{}); err != nil {
		t.Fatal(err)
	}
	refusal(t, second(p.Upload(p.ctx, api.UploadRequest{Files: files[:1]})), api.CannotSet)
}
