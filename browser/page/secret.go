package page

import (
	"bytes"
	"regexp"
	"strings"
)

// maxLabel is how long a field's name may be to say what the field is for.
const maxLabel = 200

// secretWords are what names of fields that hold a secret say.
var secretWords = regexp.MustCompile(`(?i)pass ?-?_?(word|wd|phrase|code)|\bpin\b|\bpwd\b|\botp\b|one[-_ ]?time|(verification|security|auth\w*|sms|2fa|mfa)[-_ ]?code|` +
	`\bcv[cv]2?\b|card[-_ ]?(num|no\b)|\bcc[-_ ]?(num|number|csc|exp)|\biban\b|\bssn\b|social security|secret|token|` +
	`(api|access|private|secret|recovery|licen[cs]e|encryption|ssh)[-_ ]?key|seed phrase|mnemonic`)

// secretParts are pieces of which every name has one that secretWords finds in
// it: a page has a thousand names, and looking for these is quicker.
var secretParts = []string{"pass", "pin", "pwd", "otp", "time", "code", "cv", "card", "cc", "iban", "ssn", "social", "secret", "token", "key", "phrase", "mnemonic"}

// namesSecret says whether a name says that a field holds a secret.
func namesSecret(name string) bool {
	lower := make([]byte, len(name))
	for i := range len(name) {
		c := name[i]
		if c >= 0x80 { // letters of other scripts that are folded to these
			return secretWords.MatchString(name)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	for _, part := range secretParts {
		if bytes.Contains(lower, []byte(part)) {
			return secretWords.MatchString(name)
		}
	}
	return false
}

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
		if len(w) > maxLabel && len([]rune(w)) > maxLabel || namesSecret(w) {
			return true
		}
	}
	return false
}
