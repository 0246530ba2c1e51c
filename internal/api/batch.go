package api

import "encoding/json"

// The bounds of one batch.
const (
	// MaxBatchLines is how many verbs a batch holds.
	MaxBatchLines = 1000
	// MaxBatchBytes is how many bytes its lines have together; one line has
	// MaxBody at the most, as the verb's own request has.
	MaxBatchBytes = 8 << 20
)

// BatchRequest begins a batch: it is the first line of the request, and every
// line after it is one verb, in the words of the verb's own request and with
// its name as "verb": {"verb":"click","ref":"@e7"}. A line without a handle is
// about this one. A timeout bounds the whole batch; without one each verb has
// its own, and the next line has to come within 10 s.
type BatchRequest struct {
	Common
	Handle Handle `json:"handle"`
}

// BatchLine answers one line of a batch. The refusal that stops a batch is the
// last line and is a refusal as every other, with details.line, details.verb and
// details.did, which counts the verbs that were done and, as "in", says what
// the verb that was stopped had done.
type BatchLine struct {
	OK   bool   `json:"ok"`
	Line int    `json:"line"` // the number of the verb's line, from 1
	Verb string `json:"verb"`
	// Answer is the verb's own.
	Answer json.RawMessage `json:"answer"`
}
