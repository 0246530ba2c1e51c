package acceptance

import (
	"os"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// unlike are the characters that get lost when text is typed carelessly.
const unlike = "Größe: 42 µm, «naïve» 你好 😀"

// TestMousepad writes a file in an editor with menus, and answers its question
// when it is closed with something unsaved.
func TestMousepad(t *testing.T) {
	t.Parallel()
	need.Mousepad(t)
	onRungs(t, driveMousepad)
}

func driveMousepad(t *testing.T, w *World) {
	a := w.Default()
	file := w.File("note.txt", "first line\n")
	before := w.Count()

	win := a.Open("mousepad", "--", file)
	s := a.Whole(win, map[Control]int{
		{"menu bar", ""}: 1, {"menu", "File"}: 1, {"menu", "Edit"}: 1, {"menu", "Search"}: 1,
		{"menu", "View"}: 1, {"menu", "Document"}: 1, {"menu", "Help"}: 1, {"text", ""}: 1,
	})
	if words := a.Words("snapshot", win.Handle); len(words) > 1<<10 {
		t.Errorf("mousepad takes %d bytes to tell", len(words))
	}
	a.SameCensus(win)
	empty := a.Picture(win)

	text := s.All("text", "")[0]
	if text.Says() != "first line\n" {
		t.Errorf("the text is %q", text.Says())
	}
	typed := a.Act("type", win.Handle, text.Ref, unlike, "--replace")
	if typed.Did.By != "tree" || !True(typed.Verified) {
		t.Errorf("type: %+v", typed)
	}
	if got := a.Get(win.Handle, text.Ref).Says(); got != unlike {
		t.Errorf("the text is %q", got)
	}
	a.Changed(win, empty)
	a.Act("key", win.Handle, "ctrl+s")
	Eventually(t, "the file has the text", func() bool {
		saved, _ := os.ReadFile(file)
		return strings.TrimRight(string(saved), "\n") == unlike
	})
	mousepadMenu(t, a, win, s)
	mousepadClose(t, a, win, text)
	w.Clean(t, before)
	if saved, _ := os.ReadFile(file); strings.TrimRight(string(saved), "\n") != unlike {
		t.Errorf("the file has %q", saved)
	}
}

// mousepadMenu opens a menu, sees it, and closes it again.
func mousepadMenu(t *testing.T, a *Caller, win Window, s Snapshot) {
	opened := a.Act("click", win.Handle, s.Of(t, "menu", "Edit").Ref)
	if opened.Did.By != "tree" {
		t.Errorf("the menu was opened by %s", opened.Did.By)
	}
	a.OK(nil, "wait", win.Handle, "--role", "menu item", "--name", "Select All")
	Eventually(t, "the item lies in the window of its menu", func() bool {
		open := a.Snapshot(win.Handle)
		for _, item := range open.All("menu item", "Select All") {
			for _, p := range open.Windows {
				b, in := item.Bounds, p.Bounds
				if p.Kind == "popup" && p.N == item.Window && b != nil &&
					b.X >= in.X && b.Y >= in.Y && b.X+b.W <= in.X+in.W && b.Y+b.H <= in.Y+in.H {
					return true
				}
			}
		}
		return false
	})
	a.Act("key", win.Handle, "Escape")
	Eventually(t, "the menu is closed", func() bool { return len(a.Snapshot(win.Handle).All("menu item", "Select All")) == 0 })
}

// mousepadClose closes the editor with something unsaved: it asks, and is
// answered that it may be lost.
func mousepadClose(t *testing.T, a *Caller, win Window, text Node) {
	a.Act("type", win.Handle, text.Ref, " lost")
	a.Told(a.Act("close", win.Handle), win.Handle, "Save")
	var no Node
	Eventually(t, "there is a button to say no", func() bool {
		for _, n := range a.Snapshot(win.Handle).All("push button", "") {
			if strings.HasPrefix(n.Name, "Don't") || strings.HasPrefix(n.Name, "Don’t") {
				no = n
			}
		}
		return no.Ref != "" && no.Window != 0
	})
	a.OK(nil, "click", win.Handle, no.Ref)
	a.OK(nil, "wait", win.Handle, "--exit")
}
