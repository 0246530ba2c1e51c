package state

import (
	"fmt"
	"strings"
	"time"
)

// Lang is a language the app speaks, by its tag.
type Lang string

// The languages there are.
const (
	English  Lang = "en"
	Chinese  Lang = "zh"
	Japanese Lang = "ja"
)

// Langs lists them as a person chooses among them, each by its own name.
var Langs = []struct {
	Lang Lang
	Name string
}{{English, "English"}, {Chinese, "中文"}, {Japanese, "日本語"}}

// LangFrom finds the language of a person's environment: the first of LC_ALL,
// LC_MESSAGES and LANG that is set decides, and English stands for all others.
func LangFrom(getenv func(string) string) Lang {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := strings.ToLower(getenv(name))
		if v == "" {
			continue
		}
		for _, l := range []Lang{Chinese, Japanese} {
			if v == string(l) || strings.HasPrefix(v, string(l)+"_") || strings.HasPrefix(v, string(l)+".") {
				return l
			}
		}
		return English
	}
	return English
}

// Say gives a text in the language, its places filled in.
func (l Lang) Say(w Word, with ...any) string {
	text := words[w][at(l)]
	if len(with) == 0 {
		return text
	}
	return fmt.Sprintf(text, with...)
}

// at is a language's column in the table of words.
func at(l Lang) int {
	switch l {
	case Chinese:
		return 1
	case Japanese:
		return 2
	}
	return 0
}

// Ago says how long ago something was, in the coarsest unit that fits.
func (l Lang) Ago(seconds int) string {
	switch {
	case seconds < 2:
		return l.Say(JustNow)
	case seconds < 60:
		return l.Say(SecondsAgo, seconds)
	case seconds < 3600:
		return l.Say(MinutesAgo, seconds/60)
	}
	return l.Say(HoursAgo, seconds/3600)
}

// AgesAt is when the words for how long ago something was are others.
func AgesAt(at, now time.Time) time.Time {
	for _, unit := range []time.Duration{time.Second, time.Minute} {
		if age := now.Sub(at); age < 60*unit {
			return at.Add((max(age, 0)/unit + 1) * unit)
		}
	}
	return at.Add((now.Sub(at)/time.Hour + 1) * time.Hour)
}
