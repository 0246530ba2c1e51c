package atspi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vibespace/fixtures"
)

// exact is one character of each width: two, two, three and four bytes, the
// last of them two UTF-16 units.
const exact = "é ß 你 😀"

func setTextIsExact(t *testing.T, r *rig) {
	for _, control := range []string{"Name", "Notes"} {
		ref := r.find(control).Ref
		r.journal.Mark()
		if err := r.conn.SetText(r.ctx(), ref, exact); err != nil {
			t.Fatalf("%s: %v", control, err)
		}
		r.journal.Wait(t, fixtures.Typed(control, exact), patience)
		if same, err := r.conn.HasText(r.ctx(), ref, exact); err != nil || !same {
			got, _ := r.conn.Text(r.ctx(), ref, 0, -1)
			t.Errorf("%s read back: %q, %v", control, got, err)
		}
		if same, _ := r.conn.HasText(r.ctx(), ref, exact+"!"); same {
			t.Errorf("%s read back as another text", control)
		}
	}
	lines := "one\ntwo " + exact + "\n\tthree"
	notes := r.find("Notes").Ref
	if err := r.conn.SetText(r.ctx(), notes, lines); err != nil {
		t.Fatal(err)
	}
	r.journal.Wait(t, fixtures.Typed("Notes", lines), patience)
	if same, err := r.conn.HasText(r.ctx(), notes, lines); err != nil || !same {
		got, _ := r.conn.Text(r.ctx(), notes, 0, -1)
		t.Errorf("lines read back as %q, %v", got, err)
	}
	if err := r.conn.SetText(r.ctx(), notes, ""); err != nil {
		t.Fatal(err)
	}
	r.journal.Wait(t, fixtures.Typed("Notes", ""), patience)
}

func insertTextIsExact(t *testing.T, r *rig) {
	for _, control := range []string{"Name", "Notes"} {
		ref := r.find(control).Ref
		r.journal.Mark()
		must(t, r.conn.SetText(r.ctx(), ref, "ab"))
		must(t, r.conn.InsertText(r.ctx(), ref, 1, exact))
		r.journal.Wait(t, fixtures.Typed(control, "a"+exact+"b"), patience)
		// After a character beyond the BMP, where Qt counts two.
		units, err := r.conn.Units(r.ctx(), ref)
		must(t, err)
		must(t, r.conn.InsertText(r.ctx(), ref, units.Offset(8), "X"))
		r.journal.Wait(t, fixtures.Typed(control, "a"+exact+"Xb"), patience)
		must(t, r.conn.DeleteText(r.ctx(), ref, Span{From: 0, To: 2}))
		r.journal.Wait(t, fixtures.Typed(control, " ß 你 😀Xb"), patience)
	}
}

func selectTextInCharacters(t *testing.T, r *rig) {
	for _, control := range []string{"Name", "Notes"} {
		ref := r.find(control).Ref
		must(t, r.conn.SetText(r.ctx(), ref, "😀😀 one two"))
		units, err := r.conn.Units(r.ctx(), ref)
		must(t, err)
		for _, chars := range []Span{{3, 6}, {7, 10}, {0, 1}} {
			span := Span{From: units.Offset(chars.From), To: units.Offset(chars.To)}
			if err := r.conn.SelectText(r.ctx(), ref, span); err != nil {
				t.Fatalf("%s: %v", control, err)
			}
			spans, err := r.conn.Spans(r.ctx(), ref)
			must(t, err)
			if len(spans) != 1 || spans[0] != span {
				t.Errorf("%s: selected %v, want %v", control, spans, span)
			}
		}
		must(t, r.conn.SetCaret(r.ctx(), ref, units.Offset(3)))
		caret, err := r.conn.Caret(r.ctx(), ref)
		must(t, err)
		if got := units.Char(caret); got != 3 {
			t.Errorf("%s: caret before character %d, want 3", control, got)
		}
	}
}

// The text of a password field is refused and what was typed can still be
// counted.
func passwordIsNeverRead(t *testing.T, r *rig) {
	const secret = "s3cret é"
	events, err := r.conn.Subscribe(r.ctx(), Filter{})
	must(t, err)
	defer events.Close()
	l := r.find("Password")
	if l.role != RolePasswordText {
		t.Fatalf("role %v", l.role)
	}
	must(t, r.conn.SetText(r.ctx(), l.Ref, secret))
	r.journal.Wait(t, fixtures.Typed("Password", secret), patience)
	if text, err := r.conn.Text(r.ctx(), l.Ref, 0, -1); !errors.Is(err, ErrPassword) || text != "" {
		t.Errorf("Text: %q, %v", text, err)
	}
	if _, err := r.conn.HasText(r.ctx(), l.Ref, secret); !errors.Is(err, ErrPassword) {
		t.Errorf("HasText: %v", err)
	}
	if u, err := r.conn.Units(r.ctx(), l.Ref); err != nil || u.text != "" {
		t.Errorf("Units: %v, %v", u, err)
	}
	if n, err := r.conn.TextLength(r.ctx(), l.Ref); err != nil || n != 8 {
		t.Errorf("length %d, %v; want 8", n, err)
	}
	if _, err := events.Quiet(r.ctx(), 200*time.Millisecond, patience); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Take().Events {
		if strings.Contains(e.Detail, "s3cret") {
			t.Errorf("an event carries the password: %+v", e)
		}
	}
}

// What a field cannot do is said, whatever words the toolkit has for it.
func textRefusals(t *testing.T, r *rig) {
	alpha := r.find("Alpha").Ref
	// Qt says yes to a text for anything: only the node's interfaces tell.
	if err := r.conn.SetText(r.ctx(), alpha, "x"); !errors.Is(err, ErrUnsupported) && r.toolkit != "qt5" {
		t.Errorf("text of a button: %v", err)
	}
	if _, err := r.conn.Value(r.ctx(), alpha); !errors.Is(err, ErrUnsupported) {
		t.Errorf("value of a button: %v", err)
	}
	gone := Ref{Bus: alpha.Bus, Path: alpha.Path + "7777"}
	if err := r.conn.SetText(r.ctx(), gone, "x"); err == nil {
		t.Error("text of an object that never was: no error")
	}
	left := Ref{Bus: ":9.999", Path: alpha.Path}
	if err := r.conn.SetText(r.ctx(), left, "x"); !errors.Is(err, ErrGone) {
		t.Errorf("text of an application that never was: %v", err)
	}
}

func TestSameText(t *testing.T) {
	tests := []struct {
		got, want string
		same      bool
	}{
		{"", "", true},
		{"a", "a", true},
		{"a\u2029b", "a\nb", true},
		{"a\nb", "a\r\nb", true},
		{"a\n", "a", true},
		{"a\n\n", "a", false},
		{"a", "a\n", false},
		{"a ", "a", false},
		{"e\u0301", "é", false},
		{"x", "", false},
	}
	for _, tt := range tests {
		if same := SameText(tt.got, tt.want); same != tt.same {
			t.Errorf("SameText(%q, %q) = %v", tt.got, tt.want, same)
		}
	}
}

func TestSplice(t *testing.T) {
	tests := []struct {
		text   string
		at     int
		insert string
		want   string
	}{
		{"", 0, "x", "x"}, {"ab", 1, "é", "aéb"}, {"你😀b", 2, "X", "你😀Xb"}, {"ab", 9, "x", "abx"}, {"ab", -1, "x", "xab"},
	}
	for _, tt := range tests {
		if got := Splice(tt.text, tt.at, tt.insert); got != tt.want {
			t.Errorf("Splice(%q, %d, %q) = %q, want %q", tt.text, tt.at, tt.insert, got, tt.want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
