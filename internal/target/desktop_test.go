package target

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vibespace/internal/api"
)

func TestSplitExec(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want []string
	}{
		{"mousepad %F", []string{"mousepad"}},
		{`sh -c "echo 'a b'" --x`, []string{"sh", "-c", "echo 'a b'", "--x"}},
		{`"/opt/my app/run" --n=%c %%`, []string{"/opt/my app/run", "--n=", "%"}},
		{`a "" b`, []string{"a", "", "b"}},
		{`a\ b`, []string{"a b"}},
		{"   ", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if got := splitExec(tt.line); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("splitExec(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	own, system := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name+".desktop"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(system, "org.example.Editor", "[Desktop Entry]\nType=Application\nName=System Editor\nExec=sys-editor\n")
	write(own, "org.example.Editor", "[Desktop Entry]\nType=Application\nName=Editor\nExec=editor %U\n[Desktop Action new]\nExec=editor --new\n")
	write(system, "web", "[Desktop Entry]\nType=Application\nName=Web\nExec=webby\nMimeType=text/html;x-scheme-handler/http;\n")
	write(system, "term", "[Desktop Entry]\nType=Application\nName=Top\nExec=top\nTerminal=true\n")
	write(system, "link", "[Desktop Entry]\nType=Link\nName=L\nURL=x\n")
	write(system, "twin1", "[Desktop Entry]\nType=Application\nName=Twin\nExec=t1\n")
	write(system, "twin2", "[Desktop Entry]\nType=Application\nName=Twin\nExec=t2\n")
	c := &catalog{dirs: []string{own, system}}
	for app, exec := range map[string]string{"org.example.Editor": "editor", "editor": "editor", "Editor": "editor", "web": "webby"} {
		e, ok := c.find(app)
		if !ok || e.exec[0] != exec {
			t.Errorf("find(%q) = %+v, %v", app, e, ok)
		}
	}
	for _, app := range []string{"link", "Twin", "nothing"} {
		if e, ok := c.find(app); ok {
			t.Errorf("find(%q) = %+v, want nothing", app, e)
		}
	}
	if e, _ := c.find("web"); !e.browser {
		t.Error("what opens http is no browser")
	}
	var names []string
	for _, e := range c.visible() {
		names = append(names, e.name)
	}
	if want := []string{"Editor", "Twin", "Twin", "Web"}; !reflect.DeepEqual(names, want) {
		t.Errorf("visible: %q, want %q", names, want)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "run.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/usr/bin/firefox-esr", filepath.Join(dir, "editor")); err != nil {
		t.Fatal(err)
	}
	e := &Engine{cfg: Config{Apps: map[string]string{"mine": "sh -x"}}, catalog: &catalog{dirs: []string{dir}}}
	tests := []struct {
		name string
		r    api.OpenRequest
		path string
		code api.Code
	}{
		{"a command", api.OpenRequest{App: "sh"}, "/usr/bin/sh", ""},
		{"a path", api.OpenRequest{App: script}, script, ""},
		{"a relative path", api.OpenRequest{App: "./run.sh", Dir: dir}, script, ""},
		{"configured", api.OpenRequest{App: "mine"}, "/usr/bin/sh", ""},
		{"missing", api.OpenRequest{App: "no-such-program"}, "", api.AppNotFound},
		{"missing path", api.OpenRequest{App: "/no/such"}, "", api.AppNotFound},
		{"a directory", api.OpenRequest{App: dir}, "", api.AppNotFound},
		{"relative, no directory", api.OpenRequest{App: "./run.sh"}, "", api.AppNotFound},
		{"nothing", api.OpenRequest{}, "", api.AppNotFound},
		{"NUL", api.OpenRequest{App: "sh\x00"}, "", api.AppNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := e.resolve(tt.r)
			if api.CodeOf(err) != tt.code || p.path != tt.path {
				t.Errorf("resolve = %+v, %v; want %q, %q", p, err, tt.path, tt.code)
			}
		})
	}
	if !isBrowser("/usr/bin/chromium") || isBrowser("/usr/bin/xterm") {
		t.Error("browsers are told by their names")
	}
}
