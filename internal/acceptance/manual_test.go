package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// greeting is the page that the browser's manual is tried on.
const greeting = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Greeting</title>
<label>Name <input id="n"></label><button onclick="o.textContent = 'Hello, ' + n.value">Greet</button><p id="o"></p></html>`

var (
	// exampleLine is a line of a manual that is there to be run.
	exampleLine = regexp.MustCompile(`(?m)^  (vibespace\S*) .*$`)
	// aRef is an element's name, in a line and in an answer.
	aRef = regexp.MustCompile(`@e\d+`)
	// newHandle is a window's, in the answer that made it.
	newHandle = regexp.MustCompile(`\bw\d+\b`)
)

// TestManuals runs what each manual says, line by line as it stands, in a
// shell: only the handle and the refs are those of the answers.
func TestManuals(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"vibespace-window", "vibespace-browser", "vibespace"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			if program == "vibespace-browser" {
				need.Chromium(t)
			} else {
				need.Mousepad(t)
			}
			w := NewWorld(t)
			manual := string(w.run(w.program(program), w.env, nil, []string{"manual"}).JSON)
			lines := exampleLine.FindAllString(manual, -1)
			if len(lines) < 9 {
				t.Fatalf("the manual has %d lines to run:\n%s", len(lines), manual)
			}
			if len(manual) > 9000 {
				t.Errorf("the manual is %d bytes: nobody reads that at once", len(manual))
			}
			r := reader{t: t, w: w, url: served(t, greeting)}
			for _, line := range lines {
				r.follow(line)
			}
		})
	}
}

// reader follows a manual.
type reader struct {
	t           *testing.T
	w           *World
	url, handle string
	found, refs []string // what the last find gave, and what stood for it
}

// follow runs a line with the names of the answers so far.
func (r *reader) follow(line string) {
	r.t.Helper()
	command, _, _ := strings.Cut(line, "  #")
	command = strings.ReplaceAll(strings.TrimSpace(command), "http://127.0.0.1:8000/", r.url)
	if r.handle != "" {
		command = strings.ReplaceAll(command, "w1", r.handle)
	}
	command = aRef.ReplaceAllStringFunc(command, func(ref string) string {
		if !slices.Contains(r.refs, ref) {
			r.refs = append(r.refs, ref)
		}
		at := slices.Index(r.refs, ref)
		if at >= len(r.found) {
			r.t.Fatalf("%s: the last find gave %v", line, r.found)
		}
		return r.found[at]
	})
	env := append(slices.Clip(r.w.env), "PATH="+filepath.Dir(r.w.program("vibespace"))+":"+os.Getenv("PATH"))
	got := r.w.run("/bin/sh", env, nil, []string{"-c", command + " --timeout 60s"})
	if got.Status != 0 {
		r.t.Fatalf("%s: exit %d\n%s%s", command, got.Status, got.JSON, got.Stderr)
	}
	switch word := strings.Fields(command)[1]; {
	case word == "find":
		r.found, r.refs = aRef.FindAllString(string(got.JSON), -1), nil
	case r.handle == "" && (word == "open" || word == "launch"):
		r.handle = newHandle.FindString(string(got.JSON))
	}
	if _, name, ok := strings.Cut(command, "--out "); ok {
		if info, err := os.Stat(r.w.File(name)); err != nil || info.Size() == 0 {
			r.t.Errorf("%s: no picture: %v", command, err)
		}
	}
}

// served serves a page and gives its address.
func served(t *testing.T, page string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}
