package acceptance

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/need"
)

var (
	// tutorialStep is what a tutorial has: a block to be run, or a picture of
	// how it looks then.
	tutorialStep = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$|^!\\[[^\\]]*\\]\\(pictures/([a-z-]+)\\.png\\)$")
	// saidInstead is what a block says where a command is refused.
	saidInstead = regexp.MustCompile(`\|\| echo "(.*?)"`)
	// onWindow is the window a command is about.
	onWindow = regexp.MustCompile(`\bw\d+\b`)
)

// TestTutorial does what docs/tutorial.md says, block by block, as somebody who
// pastes it. With VIBESPACE_KEEP_PICTURES its pictures are taken on the way
// (make pictures).
func TestTutorial(t *testing.T) {
	t.Parallel()
	need.Mousepad(t)
	need.Zenity(t)
	need.Tool(t, "bwrap")
	text, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorld(t)
	env := append(slices.Clip(w.env), "PATH="+filepath.Dir(w.program("vibespace"))+":"+os.Getenv("PATH"))
	handle, blocks := "", 0
	for _, step := range tutorialStep.FindAllSubmatch(text, -1) {
		if name := string(step[2]); name != "" {
			w.illustrate(name, handle)
			continue
		}
		blocks++
		got := w.run("/bin/bash", env, nil, []string{"-e", "-o", "pipefail", "-c", string(step[1])})
		if got.Status != 0 {
			t.Fatalf("exit %d of\n%s\n%s%s", got.Status, step[1], got.JSON, got.Stderr)
		}
		if all := onWindow.FindAllString(string(step[1]), -1); len(all) > 0 {
			handle = all[len(all)-1]
		}
		for _, m := range saidInstead.FindAllSubmatch(step[1], -1) {
			if !strings.Contains(string(got.JSON), string(m[1])) {
				t.Errorf("it does not come to %q in\n%s\n%s", m[1], step[1], got.JSON)
			}
		}
	}
	if blocks < 8 {
		t.Errorf("%d blocks were found in the tutorial", blocks)
	}
	// Its pictures are there, and small enough for a repository.
	pictures, err := filepath.Glob("../../docs/pictures/*.png")
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, path := range pictures {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
		if !strings.Contains(string(text), "pictures/"+filepath.Base(path)) {
			t.Errorf("%s is shown nowhere", path)
		}
	}
	if size > 600<<10 {
		t.Errorf("the pictures have %d KB", size>>10)
	}
	for _, m := range tutorialStep.FindAllSubmatch(text, -1) {
		if name := string(m[2]); name != "" && !slices.Contains(pictures, "../../docs/pictures/"+name+".png") {
			t.Errorf("there is no picture %s: make pictures", name)
		}
	}
}

// illustrate takes a picture of the tutorial, where somebody wants them: what a
// command made, or how the app shows a window.
func (w *World) illustrate(name, handle string) {
	w.t.Helper()
	dir := os.Getenv("VIBESPACE_KEEP_PICTURES")
	if dir == "" {
		return
	}
	if raw, err := os.ReadFile(w.File(name + ".png")); err == nil {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o644); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	s := newScreen(w.t, "1280x800")
	a := w.desktop(s, "light", "en", "--window", handle)
	defer a.close()
	// The live view comes last: a white page in the middle of the app's grey.
	s.find("the window, live", color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}, image.Rect(480, 300, 1080, 660))
	s.do("mousemove", "640", "790")
	a.keep(name)
}
