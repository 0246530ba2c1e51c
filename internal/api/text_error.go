package api

import (
	"encoding/json"
	"sort"
	"unicode/utf8"
)

// detailBytes bounds one detail of a refusal in words; --json has the whole.
const detailBytes = 1200

// sortedKeys gives the keys of details in a stable order.
func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// detail is one detail on one line: a string as it is, anything else as JSON.
func detail(v any) string {
	text, isText := v.(string)
	if !isText {
		raw, err := json.Marshal(v)
		if err != nil {
			return "(cannot be shown)"
		}
		text = string(raw)
	}
	if len(text) > detailBytes {
		cut := detailBytes
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return oneLine(text)
}
