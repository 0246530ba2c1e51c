package api

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Parallel()
	text := "two\nlines"
	empty := ""
	tests := []struct {
		node Node
		want string
	}{
		{
			Node{Ref: "@e7", Role: "push button", Name: "OK", States: []string{"enabled", "focusable", "showing"}, Bounds: &Rect{1, 2, 3, 4}},
			`push button "OK" @e7 (1,2 3x4)`,
		},
		{Node{Ref: "@e7", Role: "push button", Name: "OK"}, `push button "OK" @e7 [disabled]`},
		{Node{Ref: "@e8", Role: "check box", States: []string{"checkable", "enabled", "focused"}}, `check box @e8 [focused unchecked]`},
		{Node{Ref: "@e9", Role: "text", States: []string{"editable", "sensitive"}, Text: &text}, `text @e9 ="two\nlines"`},
		{Node{Ref: "@e9", Role: "text", States: []string{"editable", "sensitive"}, Text: &empty}, `text @e9 =""`},
		{Node{Ref: "@e9", Role: "label", States: []string{"sensitive"}, Text: &empty}, `label @e9`},
		{Node{Ref: "@e9", Role: "label", States: []string{"sensitive", "read-only", "has-tooltip"}}, `label @e9`},
		{Node{Ref: "@e9", Role: "text", States: []string{"sensitive", "read-only"}}, `text @e9 [read-only]`},
		{Node{Ref: "@e9", Role: "text", States: []string{"editable", "sensitive"}, Text: &empty, Placeholder: "City"}, `text "City" @e9 =""`},
		{Node{Ref: "@e1", Role: "slider", States: []string{"enabled"}, Value: &Value{Now: 0.5}}, `slider @e1 =0.5`},
		{Node{Ref: "@e1", Role: "list", States: []string{"enabled"}, More: 3}, `list @e1 +3 more`},
	}
	for _, tt := range tests {
		if got := tt.node.Line(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestQuoteForgesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"OK", `"OK"`},
		{`a"b\c`, `"a\"b\\c"`},
		{"x\n- button y [ref=@e9]", `"x\n- button y [ref=@e9]"`},
		{"a\x1b[31mred", `"a\u{1b}[31mred"`},
		{"a\u202eb", `"a\u{202e}b"`},
		{"z\u200bw", `"z\u{200b}w"`},
		{"bad\xffutf", "\"bad\uFFFDutf\""},
		{"\uFFFD", "\"\uFFFD\""},
		{"👩\u200d💻", "\"👩\u200d💻\""},
		{"l\u2028p", `"l\u{2028}p"`},
	}
	for _, tt := range tests {
		if got := Quote(tt.in, 0); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
	if got := Quote("abcdef", 3); got != `"abc…"` {
		t.Errorf("cut: %s", got)
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"OK", "x\n- button", "a\x1b[31m", "\xff\xfe", "\u202e", "👩\u200d💻", ""} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		line := Node{Ref: "@e1", Role: "text", Name: name, Text: &text, States: []string{"editable"}}.Line()
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\x1b\u2028\u2029\u202e") {
			t.Errorf("%q makes the line %q", name, line)
		}
	})
}
