package reach

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// tokenBytes of randomness are in a token: nobody guesses it, so a plain hash
// of it is enough to keep.
const tokenBytes = 32

// encoding is how a token is written: one word in a shell and in a header.
var encoding = base64.RawURLEncoding.Strict()

// newToken makes a token nobody had.
func newToken() string {
	raw := make([]byte, tokenBytes)
	rand.Read(raw) // never fails: the program ends first
	return encoding.EncodeToString(raw)
}

// isToken reports whether a string could be one of ours. Strict decoding gives
// each token one spelling.
func isToken(token string) bool {
	if len(token) != encoding.EncodedLen(tokenBytes) {
		return false
	}
	_, err := encoding.DecodeString(token)
	return err == nil
}

// hash is what is kept of a token.
type hash [sha256.Size]byte

// hashOf hashes a token as it is written.
func hashOf(token string) hash { return sha256.Sum256([]byte(token)) }

// is compares with a kept hash in a time that says nothing about it.
func (h hash) is(kept []byte) bool { return subtle.ConstantTimeCompare(h[:], kept) == 1 }
