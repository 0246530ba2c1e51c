package state

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

var places = regexp.MustCompile(`%(\[\d+\])?[sd%]`)

// TestEveryTextInEveryLanguage: none is missing, and each has the places of the
// English one, in its order.
func TestEveryTextInEveryLanguage(t *testing.T) {
	t.Parallel()
	for w, texts := range words {
		for i, text := range texts {
			if text == "" {
				t.Errorf("text %d (%q) is empty in language %d", w, texts[0], i)
			}
			if got, want := places.FindAllString(text, -1), places.FindAllString(texts[0], -1); !slices.Equal(got, want) {
				t.Errorf("%q has the places %v, %q has %v", text, got, texts[0], want)
			}
		}
	}
}

func TestLangFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all, messages, lang string
		want                Lang
	}{
		{"", "", "", English},
		{"", "", "zh_CN.UTF-8", Chinese},
		{"", "ja_JP.UTF-8", "de_DE.UTF-8", Japanese},
		{"C.UTF-8", "", "zh_CN.UTF-8", English},
		{"", "", "zhuang", English},
		{"", "", "ja", Japanese},
	} {
		got := LangFrom(func(name string) string {
			return map[string]string{"LC_ALL": c.all, "LC_MESSAGES": c.messages, "LANG": c.lang}[name]
		})
		if got != c.want {
			t.Errorf("%+v is %s", c, got)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]string{0: "just now", 1: "just now", 2: "2 s ago", 59: "59 s ago", 61: "1 min ago", 7200: "2 h ago"} {
		if got := English.Ago(seconds); got != want {
			t.Errorf("%d: %s", seconds, got)
		}
	}
}

// TestAgesAt: what is said of a time is said anew when it is another, and not
// before.
func TestAgesAt(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for age, next := range map[time.Duration]time.Duration{
		0: time.Second, 900 * time.Millisecond: time.Second, 59*time.Second + 1: time.Minute,
		time.Minute: 2 * time.Minute, 90 * time.Second: 2 * time.Minute,
		59*time.Minute + 59*time.Second: time.Hour, time.Hour: 2 * time.Hour, 26 * time.Hour: 27 * time.Hour,
	} {
		if got := AgesAt(at, at.Add(age)).Sub(at); got != next {
			t.Errorf("%v old it is said anew at %v, not %v", age, got, next)
		}
		if l := English; l.Ago(int(age/time.Second)) == l.Ago(int(next/time.Second)) && next > 2*time.Second {
			t.Errorf("at %v it still reads %q", next, l.Ago(int(next/time.Second)))
		}
	}
}
