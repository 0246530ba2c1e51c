package acceptance

import (
	"os"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestZenity answers a question that a script asks, and the script gets the
// answer.
func TestZenity(t *testing.T) {
	t.Parallel()
	need.Zenity(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()
	answer := w.File("answer")
	script := w.File("ask", "#!/bin/sh\nexec zenity --entry --title=Question --text='Your name:' > "+answer+"\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}

	win := a.Open(script)
	s := a.Whole(win, map[Control]int{
		{"dialog", "Question"}: 1, {"label", "Your name:"}: 1, {"text", ""}: 1, {"push button", "Cancel"}: 1, {"push button", "OK"}: 1,
	})
	a.SameCensus(win)
	a.Picture(win)
	field := s.Of(t, "text", "")
	Eventually(t, "the field has the focus", func() bool { return a.Get(win.Handle, field.Ref).Is("focused") })
	// Without a ref the text goes to what has the focus.
	if typed := a.Act("type", win.Handle, "Ada 你好"); typed.Did.By != "tree" || typed.Did.Ref != field.Ref {
		t.Errorf("type: %+v", typed.Did)
	}
	a.OK(nil, "click", win.Handle, s.Of(t, "push button", "OK").Ref)
	a.OK(nil, "wait", win.Handle, "--exit")
	if got, _ := os.ReadFile(answer); strings.TrimSpace(string(got)) != "Ada 你好" {
		t.Errorf("the script got %q", got)
	}
	w.Clean(t, before)
}
