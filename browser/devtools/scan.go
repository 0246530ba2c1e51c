package devtools

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Scanner reads an answer of many nodes: what nobody asked for is stepped over,
// and no value is made of it. The tree of a page is nine tenths such, and reading
// it whole takes longer than the browser takes for the layout.
//
// It looks only at what it is asked for; what is stepped over may be anything
// with as many brackets closed as opened. The first fault stands, and nothing is
// read after it.
type Scanner struct {
	data []byte
	at   int
	err  error
}

// NewScanner reads data, which must not change meanwhile.
func NewScanner(data []byte) *Scanner {
	s := &Scanner{data: data}
	if !utf8.Valid(data) {
		s.err = errors.New("the answer is not UTF-8")
	}
	return s
}

// Err is the first fault.
func (s *Scanner) Err() error { return s.err }

// fail notes a fault.
func (s *Scanner) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("the answer has no %s at byte %d", want, s.at)
	}
}

// next is the byte that comes next, 0 at the end and after a fault.
func (s *Scanner) next() byte {
	if s.err != nil {
		return 0
	}
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take steps over a byte that has to be there.
func (s *Scanner) take(c byte) bool {
	if s.next() != c {
		s.fail(strconv.QuoteRune(rune(c)))
		return false
	}
	s.at++
	return true
}

// Object calls each for the members of an object, with the key as it is written.
// A value that each does not read is stepped over.
func (s *Scanner) Object(each func(key []byte)) {
	s.list('{', '}', func() {
		key := s.quoted()
		if key == nil || !s.take(':') {
			s.fail("key")
			return
		}
		before := s.at
		if each(key[1 : len(key)-1]); s.at == before {
			s.Skip()
		}
	})
}

// Array calls each for the elements of an array, and steps over those that it
// does not read.
func (s *Scanner) Array(each func()) {
	s.list('[', ']', func() {
		before := s.at
		if each(); s.at == before {
			s.Skip()
		}
	})
}

// list reads what stands between open and shut, parted by commas.
func (s *Scanner) list(open, shut byte, each func()) {
	if !s.take(open) {
		return
	}
	if s.next() == shut {
		s.at++
		return
	}
	for s.err == nil {
		each()
		switch s.next() {
		case ',':
			s.at++
		case shut:
			s.at++
			return
		default:
			s.fail("end of a list")
		}
	}
}

// Raw is a value as it is written. It is a part of the answer, not a copy.
func (s *Scanner) Raw() jsonv2.Value {
	s.next()
	begin := s.at
	if s.Skip(); s.err != nil {
		return nil
	}
	return jsonv2.Value(s.data[begin:s.at:s.at])
}

// Skip steps over a value.
func (s *Scanner) Skip() {
	switch s.next() {
	case '"':
		s.quoted()
	case '{', '[':
		s.brackets()
	default:
		if s.word() == nil {
			s.fail("value")
		}
	}
}

// brackets steps over an object or a list.
func (s *Scanner) brackets() {
	for depth := 0; s.err == nil && s.at < len(s.data); {
		switch s.data[s.at] {
		case '"':
			s.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at++
				return
			}
		}
		s.at++
	}
	s.fail("closing bracket")
}

// Ints reads a list of whole numbers.
func Ints[N ~int64](s *Scanner) (list []N) {
	s.next()
	if n := bytes.IndexByte(s.data[s.at:], ']'); n > 1 && s.err == nil {
		list = make([]N, 0, bytes.Count(s.data[s.at:s.at+n], []byte{','})+1)
	}
	s.Array(func() { list = append(list, N(s.Int())) })
	return list
}

// quoted steps over a string and gives it with its quotes.
func (s *Scanner) quoted() []byte {
	if !s.take('"') {
		return nil
	}
	begin := s.at - 1
	for {
		n := bytes.IndexByte(s.data[s.at:], '"')
		if n < 0 {
			s.fail("end of a string")
			return nil
		}
		s.at += n + 1
		escapes := 0
		for s.data[s.at-2-escapes] == '\\' { // ends at the quote that begins it
			escapes++
		}
		if escapes%2 == 0 {
			return s.data[begin:s.at]
		}
	}
}

// word steps over a number, true, false or null.
func (s *Scanner) word() []byte {
	s.next()
	begin := s.at
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
			s.at++
			continue
		}
		break
	}
	if s.err != nil || s.at == begin {
		return nil
	}
	return s.data[begin:s.at]
}

// Text is a string.
func (s *Scanner) Text() string {
	raw := s.quoted()
	switch {
	case raw == nil:
		return ""
	case bytes.IndexByte(raw, '\\') < 0: // nearly all: nothing in it is escaped
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if err := jsonv2.Unmarshal(raw, &text); err != nil {
		s.fail("string that can be read")
	}
	return text
}

// True says whether a value is true.
func (s *Scanner) True() bool { return string(s.word()) == "true" }

// Float is a number.
func (s *Scanner) Float() float64 {
	f, err := strconv.ParseFloat(string(s.word()), 64)
	if err != nil {
		s.fail("number")
	}
	return f
}

// Int is a whole number.
func (s *Scanner) Int() int64 {
	n, err := strconv.ParseInt(string(s.word()), 10, 64)
	if err != nil {
		s.fail("whole number")
	}
	return n
}

// errMore: there is more than one value.
var errMore = errors.New("the answer goes on after its end")

// End wants the answer to be at its end, and gives the first fault.
func (s *Scanner) End() error {
	if s.next() != 0 {
		s.err = errMore
	}
	return s.err
}
