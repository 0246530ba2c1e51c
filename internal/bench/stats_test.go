package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestSpread(t *testing.T) {
	tests := []struct {
		name   string
		s      series
		unit   string
		median float64
		p95    float64
	}{
		{"one", series{7}, "ms", 7, 7},
		{"odd", series{3, 1, 2}, "ms", 2, 2.9},
		{"even", series{4, 1, 2, 3}, "ms", 2.5, 3.85},
		{"a rate's bad end is the slow one", series{100, 10, 90}, "chars/s", 90, 18},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.s.spread(test.unit); math.Abs(got.Median-test.median) > 0.01 || math.Abs(got.P95-test.p95) > 0.01 {
				t.Errorf("got %+v, want %v and %v", got, test.median, test.p95)
			}
		})
	}
}

func TestRatioSaysHowManyTimesBetter(t *testing.T) {
	if r := compare("x", "a", "ms", series{10}, "p", series{40}); *r.Ratio != 4 {
		t.Errorf("a quarter of the time: %v", *r.Ratio)
	}
	if r := compare("x", "a", "chars/s", series{400}, "p", series{100}); *r.Ratio != 4 {
		t.Errorf("four times the rate: %v", *r.Ratio)
	}
	if r := compare("x", "a", "ms", series{0}, "p", series{40}); r.Ratio != nil {
		t.Errorf("no time at all: %v", *r.Ratio)
	}
}

// TestLine holds the form that other programs read.
func TestLine(t *testing.T) {
	line, err := json.Marshal(alone("open", "xterm", "ms", series{1}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"bench":"open","app":"xterm","n":1,"unit":"ms","ours":{"median":1,"p95":1},"peer":"none","theirs":null,"ratio":null}`
	if string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}

func TestPage(t *testing.T) {
	results := []Result{
		alone("open", "xterm", "ms", series{1200}),
		compare("snapshot.cold", "gtk4-widget-factory", "ms", series{100}, "libatspi", series{900}),
	}
	text := string(page(results, "somewhere"))
	for _, line := range []string{
		"| open xterm | at most 1000 ms | 1200 ms | no |",
		"| snapshot.cold gtk4-widget-factory | at most a quarter of libatspi's time | 100 ms, 9.00 times better than libatspi | yes |",
		"| open | xterm | 1 | ms | 1200 | 1200 | none | – | – | – |",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}
