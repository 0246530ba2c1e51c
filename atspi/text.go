package atspi

import (
	"strings"
	"unicode/utf8"
)

// clean makes a stranger's string valid UTF-8. D-Bus demands it, but neither
// every toolkit nor godbus' decoder checks.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// short cuts s to at most n characters, at a character's edge.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n {
			return s[:at]
		}
		i++
	}
	return s
}
