package x11

import (
	"bytes"
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
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// compoundText reads what old toolkits write for titles beyond Latin 1: runs of
// text with escape sequences between them that name the character set. Latin 1
// and UTF-8 runs are read; of any other set only the ASCII half is known here
// and the rest becomes U+FFFD.
func compoundText(b []byte) string {
	const (
		esc       = 0x1b
		utf8Start = "\x1b%G"
		utf8End   = "\x1b%@"
	)
	var s strings.Builder
	known := true // the right half is Latin 1, as it is at the start
	for len(b) > 0 {
		if rest, ok := bytes.CutPrefix(b, []byte(utf8Start)); ok {
			run, after, _ := bytes.Cut(rest, []byte(utf8End))
			s.WriteString(validText(run))
			b = after
			continue
		}
		if b[0] == esc {
			n := escapeLength(b)
			if right := len(b) > 1 && b[1] == '-'; right {
				known = n == 3 && b[2] == 'A'
			} else if len(b) > 1 && b[1] == '$' {
				known = false
			}
			b = b[n:]
			continue
		}
		switch {
		case b[0] < utf8.RuneSelf, known:
			s.WriteRune(rune(b[0]))
		default:
			s.WriteRune(utf8.RuneError)
		}
		b = b[1:]
	}
	return s.String()
}

// escapeLength gives the length of the escape sequence b begins with: the escape,
// intermediate bytes (0x20 to 0x2f), one final byte.
func escapeLength(b []byte) int {
	n := 1
	for n < len(b) && b[n] >= 0x20 && b[n] <= 0x2f {
		n++
	}
	return min(n+1, len(b))
}

// untilZero cuts at the first zero: some programs count it in.
func untilZero(b []byte) []byte {
	head, _, _ := bytes.Cut(b, []byte{0})
	return head
}

func splitZero(b []byte) [][]byte {
	b = bytes.TrimSuffix(b, []byte{0})
	if len(b) == 0 {
		return nil
	}
	return bytes.Split(b, []byte{0})
}
