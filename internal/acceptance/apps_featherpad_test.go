package acceptance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/need"
)

// TestFeatherpad writes a file in Qt's own editor: its tree is read level by
// level, its dialogs are windows beside the main one.
func TestFeatherpad(t *testing.T) {
	t.Parallel()
	need.Featherpad(t)
	w := NewWorld(t)
	a := w.Default()
	before := w.Count()

	win := a.Open("featherpad")
	s := a.Whole(win, map[Control]int{
		{"menu item", "File"}: 1, {"menu item", "Edit"}: 1, {"menu item", "Options"}: 1, {"menu item", "Search"}: 1,
		{"menu item", "Help"}: 1, {"push button", "New"}: 1, {"push button", "Open"}: 1, {"push button", "Save"}: 1,
		{"push button", "Undo"}: 1, {"push button", "Redo"}: 1, {"push button", "Reload"}: 1, {"push button", "Find"}: 1,
		{"push button", "Replace"}: 1, {"push button", "Jump to"}: 1, {"push button", "Side-Pane"}: 1,
		{"push button", "Save/Restore Session"}: 1, {"page tab", "Untitled"}: 1, {"text", ""}: 1, {"text", "Search..."}: 1,
		{"push button", "Next (F3)"}: 1, {"push button", "Previous (F4)"}: 1, {"check box", "Match Case (F5)"}: 1,
		{"check box", "Whole Word (F6)"}: 1, {"check box", "Regular Expression (F7)"}: 1,
	})
	if words := a.Words("snapshot", win.Handle); len(words) > 3<<10 {
		t.Errorf("featherpad takes %d bytes to tell", len(words))
	}
	a.SameCensus(win)
	empty := a.Picture(win)

	// Nothing was written: the editor's own button is grey, and refused.
	a.Refused("disabled", "click", win.Handle, s.Of(t, "push button", "Save").Ref)
	text := s.All("text", "")[0]
	if typed := a.Act("type", win.Handle, text.Ref, unlike); typed.Did.By != "tree" || !True(typed.Verified) {
		t.Errorf("type: %+v", typed)
	}
	if got := a.Get(win.Handle, text.Ref).Says(); got != unlike {
		t.Errorf("the text is %q", got)
	}
	a.Changed(win, empty)
	file := w.File("saved.txt")
	featherpadSave(t, a, win, file)
	Eventually(t, "the file has the text", func() bool {
		saved, _ := os.ReadFile(file)
		return strings.TrimRight(string(saved), "\n") == unlike
	})
	a.OK(nil, "wait", win.Handle, "--title", filepath.Base(file))
	featherpadClose(t, a, win, text)
	w.Clean(t, before)
}

// featherpadSave presses the button that opens the toolkit's file dialog, and
// answers it.
func featherpadSave(t *testing.T, a *Caller, win Window, file string) {
	a.OK(nil, "click", win.Handle, a.Snapshot(win.Handle).Of(t, "push button", "Save").Ref)
	a.OK(nil, "wait", win.Handle, "--role", "dialog", "--name", "Save as...")
	var name, save Node
	var part Part
	Eventually(t, "the dialog is there with its field and its button", func() bool {
		dialog := a.Snapshot(win.Handle)
		for _, n := range dialog.All("text", "File name:") {
			name = n
		}
		for _, n := range dialog.All("push button", "Save") {
			if n.Window == name.Window && n.Bounds != nil {
				save = n
			}
		}
		i := slices.IndexFunc(dialog.Windows, func(p Part) bool { return p.N == name.Window })
		if name.Window == 0 || name.Bounds == nil || save.Ref == "" || i < 0 {
			return false
		}
		was := part
		part = dialog.Windows[i]
		return part == was // it has its size
	})
	if part.Kind != "dialog" || part.Title != "Save as..." {
		t.Errorf("the dialog is %+v", part)
	}
	p, _ := a.Screenshot(win.Handle, "--window", "1")
	if p.W != part.Bounds.W || p.H != part.Bounds.H || p.Origin.X != part.Bounds.X || p.Origin.Y != part.Bounds.Y {
		t.Errorf("the dialog's picture is %dx%d at %v, the dialog %v", p.W, p.H, p.Origin, part.Bounds)
	}
	a.Act("type", win.Handle, name.Ref, file, "--replace")
	a.OK(nil, "click", win.Handle, save.Ref)
}

// featherpadClose closes the editor with something unsaved and discards it.
func featherpadClose(t *testing.T, a *Caller, win Window, text Node) {
	a.Act("type", win.Handle, text.Ref, "lost")
	a.Told(a.Act("close", win.Handle), win.Handle, "Discard changes")
	a.OK(nil, "click", win.Handle, a.Snapshot(win.Handle).Of(t, "push button", "Discard changes").Ref)
	a.OK(nil, "wait", win.Handle, "--exit")
}
