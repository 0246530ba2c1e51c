package devtools_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vibespace/browser/devtools"
)

// value makes of what a scanner reads what encoding/json makes of it.
func value(s *devtools.Scanner, kind byte) any {
	switch kind {
	case '{':
		m := map[string]any{}
		s.Object(func(key []byte) {
			var name string
			if json.Unmarshal([]byte(`"`+string(key)+`"`), &name) != nil {
				return
			}
			m[name] = inner(s)
		})
		return m
	case '[':
		list := []any{}
		s.Array(func() { list = append(list, inner(s)) })
		return list
	case '"':
		return s.Text()
	case 't', 'f':
		return s.True()
	case 'n':
		s.Skip()
		return nil
	}
	return s.Float()
}

// inner reads a value by way of its raw text, which is read once more.
func inner(s *devtools.Scanner) any {
	raw := s.Raw()
	if len(raw) == 0 {
		return nil
	}
	return value(devtools.NewScanner(raw), raw[0])
}

// TestScannerReadsJSON: what is JSON is read as the standard library reads it,
// whatever is in it, and what is stepped over changes nothing of what follows.
func TestScannerReadsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `""`, `true`, `false`, `null`, `0`, `-1.5e+10`, ` { } `, " [\t1 ,\r\n2 ] ",
		`{"a":{"b":[1,2,{"c":"}]\""}]},"d":"x\\","e":"\\\"","f":[[],{},[[]]],"g":null}`,
		`{"nodes":[{"nodeId":"-1000000","ignored":true,"name":{"type":"computedString","value":"a \u00e9 \ud83d\ude00 \n"}}]}`,
		`["\\","\\\\","\"","\\\"",":,{}[]"]`, `{"":1}`, `"é 😀 \/"`, `[1,[2,[3,[4,[5]]]]]`,
		`[` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `]`,
	} {
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(text, err)
		}
		if strings.HasPrefix(text, "[[[[[") {
			s := devtools.NewScanner([]byte(text)) // what is deep is stepped over, not gone into
			if s.Skip(); s.End() != nil {
				t.Error(s.End())
			}
			continue
		}
		s := devtools.NewScanner([]byte(text))
		if got := value(s, strings.TrimSpace(text)[0]); !reflect.DeepEqual(got, want) || s.End() != nil {
			t.Errorf("%s is %v, %v, not %v", text, got, s.Err(), want)
		}
		list := `[` + text + `, 7]`
		s, n := devtools.NewScanner([]byte(list)), 0
		last := int64(0)
		s.Array(func() {
			if n++; n == 2 {
				last = s.Int()
			}
		})
		if s.End() != nil || last != 7 {
			t.Errorf("after %s comes %d, %v", text, last, s.Err())
		}
	}
}

// TestScannerRefuses: what is cut, or of another kind, is a fault; nothing is
// read after it, and it ends.
func TestScannerRefuses(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*devtools.Scanner){
		"object": func(s *devtools.Scanner) { s.Object(func([]byte) {}) },
		"array":  func(s *devtools.Scanner) { s.Array(func() {}) },
		"text":   func(s *devtools.Scanner) { s.Text() },
		"int":    func(s *devtools.Scanner) { s.Int() },
		"ints":   func(s *devtools.Scanner) { devtools.Ints[int64](s) },
		"float":  func(s *devtools.Scanner) { s.Float() },
		"skip":   func(s *devtools.Scanner) { s.Skip() },
		"raw":    func(s *devtools.Scanner) { s.Raw() },
	}
	for _, c := range []struct{ text, readBy string }{
		{``, ``},
		{`{`, ``},
		{`[`, ``},
		{`"`, ``},
		{`"\"`, ``},
		{`"\\\"`, ``},
		{`{"a"`, ``},
		{`{"a":`, ``},
		{`{"a":1`, ``},
		{`{"a":1,`, ``},
		{`{"a":1,}`, `skip raw`},
		{`{a:1}`, `skip raw`},
		{`{"a" 1}`, `skip raw`},
		{`{:}`, `skip raw`},
		{`[,]`, `skip raw`},
		{`[1 2]`, `skip raw`},
		{`}`, ``},
		{`]`, ``},
		{`,`, ``},
		{`:`, ``},
		{`[1}`, `skip raw`},
		{`{"a":1]`, `skip raw`},
		{`[[]`, ``},
		{`[{]`, ``},
		{"\"\xff\"", ``},
		{"\x00", ``},
		{`{"a":"` + "\xc3", ``},
		{`1 2`, ``},
		{`{} {}`, ``},
		{`[] 1`, ``},
		{`{}`, `object skip raw`},
		{`[]`, `array ints skip raw`},
		{`""`, `text skip raw`},
		{`"\u12"`, `skip raw`},
		{`1.5`, `float skip raw`},
		{`[1.5]`, `array skip raw`},
		{`["a"]`, `array skip raw`},
		{`99999999999999999999`, `float skip raw`},
		{`--1`, `skip raw`},
	} {
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			s := devtools.NewScanner([]byte(c.text))
			ways[way](s)
			if read := s.End() == nil; read != slices.Contains(strings.Fields(c.readBy), way) {
				t.Errorf("%q read as %s: %v", c.text, way, s.Err())
			}
		}
	}
}

// FuzzScanner: what the standard library takes the scanner takes too and finds
// the same in it; nothing makes it fail otherwise than by its error.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"nodeId":"1","childIds":["2"],"name":{"value":"a\"b"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<10 { // the test reads what is deep once a level
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			value(devtools.NewScanner(data), first(data))
			return
		}
		s := devtools.NewScanner(data)
		raw := s.Raw()
		if err := s.End(); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil { // a number beyond all numbers
			return
		}
		s = devtools.NewScanner(raw)
		if got := value(s, raw[0]); !reflect.DeepEqual(got, want) || s.End() != nil {
			t.Fatalf("%q is %v, not %v: %v", raw, got, want, s.Err())
		}
	})
}

// first is the first byte, 0 of nothing.
func first(data []byte) byte {
	if len(data) == 0 {
		return 0
	}
	return data[0]
}
