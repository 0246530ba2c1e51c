package atspi

import "testing"

func TestUnits(t *testing.T) {
	const text = "a😀b😀"
	chars, wide := unitsOf(text, 4), unitsOf(text, 6)
	for char, offset := range []int{0, 1, 3, 4, 6, 7} {
		if got := wide.Offset(char); got != offset {
			t.Errorf("wide: character %d at %d, want %d", char, got, offset)
		}
		if got := wide.Char(offset); got != char {
			t.Errorf("wide: offset %d is character %d, want %d", offset, got, char)
		}
		if chars.Offset(char) != char || chars.Char(char) != char {
			t.Errorf("characters: %d is not itself", char)
		}
	}
	// A length that fits neither way of counting is nobody's: no translation.
	if u := unitsOf(text, 5); u.Offset(3) != 3 {
		t.Error("a length that fits neither was taken for wide")
	}
}
