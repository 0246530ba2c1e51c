package x11

import (
	"strings"
	"unicode/utf8"
)

// validText makes bytes of a stranger valid UTF-8: what is not becomes U+FFFD.
func validText(b []byte) string {
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// latin1 reads an X STRING, which is ISO 8859-1. Many programs store UTF-8
// there anyway, so bytes that are valid UTF-8 are taken as such.
func latin1(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
