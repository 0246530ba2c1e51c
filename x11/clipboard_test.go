package x11

import (
	"errors"
	"strings"
	"testing"

	"vibespace/internal/need"
)

func TestClipboardBetweenPrograms(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mine, err := r.dial().Clipboard(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	theirs, err := r.dial().Clipboard(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if _, err := mine.Get(soon(t)); !errors.Is(err, ErrEmpty) {
		t.Fatalf("a clipboard nobody offered to: %v, want %v", err, ErrEmpty)
	}
	for _, text := range []string{"plain", "é ß 你 😀\nsecond line", "", strings.Repeat("x", 200_000)} {
		if err := theirs.Set(soon(t), text); err != nil {
			t.Fatal(err)
		}
		if got, err := mine.Get(soon(t)); err != nil || got != text {
			t.Errorf("read %d bytes, %v; want the %d that were set", len(got), err, len(text))
		}
	}
	if err := mine.Set(soon(t), "taken"); err != nil {
		t.Fatal(err)
	}
	r.until("the old owner knows that it lost the clipboard", func() bool {
		got, err := theirs.Get(soon(t))
		return err == nil && got == "taken"
	})
	if err := mine.Set(soon(t), strings.Repeat("x", clipChunk+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("a text that is too long: %v, want %v", err, ErrTooLong)
	}
}

// TestClipboardOfAToolkit reads what GTK offers, large texts in pieces, and has
// GTK read what is offered here.
func TestClipboardOfAToolkit(t *testing.T) {
	t.Parallel()
	need.GTK3(t)
	r := newRig(t)
	b, err := r.dial().Clipboard(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const owner = `
import gi
gi.require_version("Gtk", "3.0"); gi.require_version("Gdk", "3.0")
from gi.repository import Gtk, Gdk
c = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
c.set_text("é你😀" * 60000, -1)
Gtk.main()
`
	r.run(nil, "/usr/bin/python3", "-c", owner)
	want := strings.Repeat("é你😀", 60000)
	r.until("GTK hands over its text", func() bool {
		got, err := b.Get(soon(t))
		return err == nil && got == want
	})
	if err := b.Set(soon(t), "für 你"); err != nil {
		t.Fatal(err)
	}
	const reader = `
import gi
gi.require_version("Gtk", "3.0"); gi.require_version("Gdk", "3.0")
from gi.repository import Gtk, Gdk
print(Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text(), end="")
`
	if got := r.tool("/usr/bin/python3", "-c", reader); got != "für 你" {
		t.Errorf("GTK reads %q", got)
	}
}
