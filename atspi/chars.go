package atspi

import (
	"context"
	"errors"
	"unicode/utf8"
)

// Units translates between characters and the offsets of one text as it was
// when it was read.
type Units struct {
	text string
	wide bool // offsets count UTF-16 units
}

// Units reads a text and finds out how its toolkit counts: a character beyond
// the Basic Multilingual Plane is one in GTK and two in Qt. For a password the
// text is not read, and the translation is the identity.
func (c *Conn) Units(ctx context.Context, ref Ref) (Units, error) {
	text, err := c.Text(ctx, ref, 0, -1)
	if errors.Is(err, ErrPassword) {
		return Units{}, nil
	}
	if err != nil {
		return Units{}, err
	}
	n, err := c.TextLength(ctx, ref)
	if err != nil {
		return Units{}, err
	}
	return unitsOf(text, n), nil
}

// unitsOf decides by the length the toolkit gives.
func unitsOf(text string, length int) Units {
	wide := length != utf8.RuneCountInString(text) && length == utf16Len(text)
	return Units{text: text, wide: wide}
}

// utf16Len counts UTF-16 units.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16Width(r)
	}
	return n
}

// utf16Width is the number of UTF-16 units of one character.
func utf16Width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// Offset is the toolkit's offset of the character with that number.
func (u Units) Offset(char int) int {
	if !u.wide {
		return char
	}
	offset := 0
	for _, r := range u.text {
		if char <= 0 {
			return offset
		}
		char--
		offset += utf16Width(r)
	}
	return offset + char
}

// Char is the number of the character at a toolkit's offset.
func (u Units) Char(offset int) int {
	if !u.wide {
		return offset
	}
	char := 0
	for _, r := range u.text {
		if offset <= 0 {
			return char
		}
		char++
		offset -= utf16Width(r)
	}
	return char + max(offset, 0)
}
