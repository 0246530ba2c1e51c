package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

func TestPagesAreCurrent(t *testing.T) {
	for name, write := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := write(root)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(root + "/docs/" + name)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("docs/%s is not what the source says (%v): run make docs", name, err)
			}
		})
	}
}

// TestEverythingSaysWhatItIs: a verb or a code without a word, a request
// nobody declared, is a page that does not help.
func TestEverythingSaysWhatItIs(t *testing.T) {
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.verbs {
		if v.doc == "" {
			t.Errorf("verb %s has no comment", v.path)
		}
		for _, name := range []string{v.request, v.answer} {
			if s.types[name].doc == "" {
				t.Errorf("verb %s uses %s, which is no documented type of internal/api", v.path, name)
			}
		}
	}
	for _, g := range s.groups {
		for _, c := range g.codes {
			if c.doc == "" || c.http == "" || c.exit == "" {
				t.Errorf("code %s: %q, HTTP %q, exit %q", c.name, c.doc, c.http, c.exit)
			}
		}
	}
}

// TestDaemonServesWhatClientCalls compares the two lists of routes, so that
// the page cannot promise a verb that no daemon has.
func TestDaemonServesWhatClientCalls(t *testing.T) {
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	routes, err := os.ReadFile(root + "/internal/daemon/routes.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.SplitN(routes, []byte("personRoutes("), 2)
	if len(parts) != 2 {
		t.Fatal("internal/daemon/routes.go has no personRoutes")
	}
	served := map[string]bool{}
	entry := regexp.MustCompile(`"([a-z-]+)": +(?:verb\(|inLines\(|hello,)`)
	browsers, err := os.ReadFile(root + "/internal/daemon/browser.go")
	if err != nil {
		t.Fatal(err)
	}
	parts = append(parts, browsers)
	for i, prefix := range []string{"", "person/", "browser/"} {
		for _, m := range entry.FindAllSubmatch(parts[i], -1) {
			served[prefix+string(m[1])] = true
		}
	}
	called := map[string]bool{}
	for _, v := range s.verbs {
		called[v.path] = true
		if !served[v.path] {
			t.Errorf("the client calls %s and the daemon has no such route", v.path)
		}
	}
	for path := range served {
		if !called[path] {
			t.Logf("the daemon serves %s and no client method calls it", path)
		}
	}
}

// TestAdviceIsAboutAFinding: what the page adds to a finding is about one that
// there is, and every finding says something whole.
func TestAdviceIsAboutAFinding(t *testing.T) {
	var all []finding
	for _, l := range looked {
		rows, err := rowsOf(root + "/" + l.path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	for begins := range more {
		if !slices.ContainsFunc(all, func(f finding) bool { return strings.HasPrefix(f.why, begins) }) {
			t.Errorf("no finding begins with %q", begins)
		}
	}
	for _, f := range all {
		if f.what == "" || f.why == "" || f.mend == "" || strings.ContainsAny(f.what+f.why+f.mend, "%|") {
			t.Errorf("%+v cannot be read", f)
		}
	}
}
