package state

import (
	"encoding/json"
	"slices"
)

// Look is how the app looks.
type Look string

// The looks there are.
const (
	LookSystem   Look = "system"
	LookLight    Look = "light"
	LookDark     Look = "dark"
	LookContrast Look = "contrast"
)

// Looks lists them in the order they are offered, each with its word.
var Looks = []struct {
	Look Look
	Word Word
}{{LookSystem, ThemeSystem}, {LookLight, ThemeLight}, {LookDark, ThemeDark}, {LookContrast, ThemeContrast}}

// Settings is what the app remembers of a person. What the daemon does is
// configured where the daemon reads it, and not here.
type Settings struct {
	Look    Look     `json:"look"`
	Lang    Lang     `json:"lang"`
	Follow  bool     `json:"follow"` // show windows that agents open
	Recent  []string `json:"recent"`
	Divider float64  `json:"divider"`
}

// ReadSettings reads what Write wrote. Whatever cannot be read is as it is at
// first: in the language of the environment, as the desktop looks.
func ReadSettings(text string, lang Lang) Settings {
	s := Settings{Look: LookSystem, Lang: lang, Follow: true, Divider: 0.5}
	if text == "" || json.Unmarshal([]byte(text), &s) != nil {
		s = Settings{Look: LookSystem, Lang: lang, Follow: true, Divider: 0.5}
	}
	if !slices.ContainsFunc(Looks, func(k struct {
		Look Look
		Word Word
	},
	) bool {
		return k.Look == s.Look
	}) {
		s.Look = LookSystem
	}
	if !slices.ContainsFunc(Langs, func(k struct {
		Lang Lang
		Name string
	},
	) bool {
		return k.Lang == s.Lang
	}) {
		s.Lang = lang
	}
	s.Divider = min(max(s.Divider, DividerLeast), DividerMost)
	return s
}

// Write gives the settings as text.
func (s Settings) Write() string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic("state: settings cannot be written: " + err.Error())
	}
	return string(raw)
}
