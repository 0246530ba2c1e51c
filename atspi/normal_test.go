package atspi

import "testing"

// TestPlain: a tooltip of Qt is told in words, and one that only compares
// numbers is left alone.
func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":             "",
		"Next (F3)":    "Next (F3)",
		"a < b > c":    "a < b > c",
		"<b>Bold</b>s": "Bold s",
		"<p style='white-space:pre'>Count words\n(slow)</p>": "Count words (slow)",
		"<html>5 &lt; 6 &amp; 7</html>":                      "5 < 6 & 7",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}
