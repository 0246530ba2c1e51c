package page

import (
	"regexp"
	"strings"
)

// maxLabel is how long a field's name may be to say what the field is for.
const maxLabel = 200

// secretWords are what names of fields that hold a secret say.
var secretWords = regexp.MustCompile(`(?i)pass ?-?_?(word|wd|phrase|code)|\bpin\b|\bpwd\b|\botp\b|one[-_ ]?time|(verification|security|auth\w*|sms|2fa|mfa)[-_ ]?code|` +
	`\bcv[cv]2?\b|card[-_ ]?(num|no\b)|\bcc[-_ ]?(num|number|csc|exp)|\biban\b|\bssn\b|social security|secret|token|` +
	`(api|access|private|secret|recovery|licen[cs]e|encryption|ssh)[-_ ]?key|seed phrase|mnemonic`)

// secretCompletions are the autocomplete words of such fields.
var secretCompletions = map[string]bool{
	"one-time-code": true, "current-password": true, "new-password": true, "cc-number": true, "cc-csc": true,
	"cc-exp": true, "cc-exp-month": true, "cc-exp-year": true, "cc-name": false,
}

// textFields are the kinds of input that take any text.
var textFields = map[string]bool{"": true, "text": true, "search": true, "url": true, "tel": true, "email": true, "number": true, "textarea": true}

// secret says whether a field holds something that is never shown and not
// typed by an agent. kind is an input's type, words are what names it. A field
// whose name is overlong or does not resolve cannot be told to be harmless.
func secret(kind, autocomplete string, unresolved bool, words ...string) bool {
	if kind == "password" {
		return true
	}
	if !textFields[kind] {
		return false
	}
	for _, word := range strings.Fields(strings.ToLower(autocomplete)) {
		if secretCompletions[word] {
			return true
		}
	}
	if unresolved {
		return true
	}
	for _, w := range words {
		if len([]rune(w)) > maxLabel || secretWords.MatchString(w) {
			return true
		}
	}
	return false
}
