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
	w := NewWorld(t)
	a := w.Default()
	file := w.File("note.txt", "first line\n")
	before := w.Count()

	win := a.Open("mousepad", "--", file)
	s := a.Snapshot(win.Handle)
	s.Whole(t, win, map[Control]int{
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
	if Same(empty, a.Picture(win)) {
		t.Error("the picture did not change with the text")
	}
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
	var met Met
	a.OK(&met, "wait", win.Handle, "--role", "menu item", "--name", "Select All")
	open := a.Snapshot(win.Handle)
	item := open.Of(t, "menu item", "Select All")
	if item.Bounds == nil || item.Window == 0 {
		t.Errorf("an item of the open menu has bounds %v in window %d", item.Bounds, item.Window)
	}
	var popup *Part
	for _, p := range open.Windows {
		if p.Kind == "popup" && p.N == item.Window {
			popup = &p
		}
	}
	if popup == nil {
		t.Fatalf("the menu's window is not among %+v", open.Windows)
	}
	b := item.Bounds
	if b.X < popup.Bounds.X || b.Y < popup.Bounds.Y || b.X+b.W > popup.Bounds.X+popup.Bounds.W || b.Y+b.H > popup.Bounds.Y+popup.Bounds.H {
		t.Errorf("the item at %v is not in its menu at %v", *b, popup.Bounds)
	}
	a.Act("key", win.Handle, "Escape")
	Eventually(t, "the menu is closed", func() bool { return len(a.Snapshot(win.Handle).All("menu item", "Select All")) == 0 })
}

// mousepadClose closes the editor with something unsaved: it asks, and is
// answered that it may be lost.
func mousepadClose(t *testing.T, a *Caller, win Window, text Node) {
	a.Act("type", win.Handle, text.Ref, " lost")
	asked := a.Act("close", win.Handle)
	if asked.Observed == nil || !strings.Contains(strings.Join(asked.Observed.Diff, "\n"), "Save") {
		t.Errorf("the question is not among what was observed: %+v", asked.Observed)
	}
	s := a.Snapshot(win.Handle)
	var no Node
	for _, n := range s.All("push button", "") {
		if strings.HasPrefix(n.Name, "Don't") || strings.HasPrefix(n.Name, "Don’t") {
			no = n
		}
	}
	if no.Ref == "" || no.Window == 0 {
		t.Fatalf("no button to say no among\n%s", s)
	}
	a.OK(nil, "click", win.Handle, no.Ref)
	a.OK(nil, "wait", win.Handle, "--exit")
}
