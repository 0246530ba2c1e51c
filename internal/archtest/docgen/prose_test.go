package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// aLink is a link to a file of the repository, with a place in it or not.
	aLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	// aCommand is a line of a page that is there to be run.
	aCommand = regexp.MustCompile(`(?m)^(?:    )?(vibespace(?:-window|-browser)?) ([a-z][a-z-]*)\b(.*)$`)
	// aFlag is a flag of such a line.
	aFlag = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
)

// prose are the pages that people write.
func prose(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list[path] = string(text)
	}
	read(root + "/README.md")
	read(root + "/CONTRIBUTING.md")
	err := filepath.WalkDir(root+"/docs", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" && pages[filepath.Base(path)] == nil {
			read(path)
		}
		return err
	})
	if err != nil || len(list) < 15 {
		t.Fatalf("%d pages: %v", len(list), err)
	}
	return list
}

// TestLinksLeadSomewhere: what a page links to is there.
func TestLinksLeadSomewhere(t *testing.T) {
	for path, text := range prose(t) {
		for _, m := range aLink.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
		}
	}
}

// TestPagesNameWhatThereIs: a command that a page shows is one, and its flags
// are flags of that program; docs/cli.md, which is written from the programs,
// is the list.
func TestPagesNameWhatThereIs(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		name, rest, _ := strings.Cut(section, ",")
		programs[name] = rest
	}
	seen := 0
	for path, text := range prose(t) {
		for _, m := range aCommand.FindAllStringSubmatch(text, -1) {
			seen++
			line, own := m[0], m[3]
			own, _, _ = strings.Cut(own, "  #")
			own, _, _ = strings.Cut(own, " -- ") // what is run is not ours
			commands := programs[m[1]]
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(m[2]) + `\b`).MatchString(commands) {
				t.Errorf("%s: there is no %s %s: %q", path, m[1], m[2], line)
			}
			for _, flag := range aFlag.FindAllStringSubmatch(own, -1) {
				if !regexp.MustCompile(`(?m)--` + flag[1] + `\b`).MatchString(commands) {
					t.Errorf("%s: %s has no flag --%s: %q", path, m[1], flag[1], line)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d commands were found in the pages", seen)
	}
}
