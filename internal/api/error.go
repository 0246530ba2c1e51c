package api

import (
	"context"
	"errors"
	"fmt"
)

// Error is a refusal: a stable code, a sentence, and the way out. It is what
// every face sends when the answer is no.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Details map[string]any `json:"details"`
}

// Refuse builds a refusal. The message is one sentence without a full stop.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns e with one command or one sentence the caller can act on.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// With returns e with one more detail. Keys are camelCase.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Error gives the code and the sentence.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Is compares the code alone, so that errors.Is(err, api.Refuse(api.Held, ""))
// holds on both sides of the socket.
func (e *Error) Is(target error) bool {
	var t *Error
	if errors.As(target, &t) {
		return t.Code == e.Code
	}
	return false
}

// CodeOf gives the code of err, or "" when it is not a refusal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// AsError turns any error into a refusal: what is one already stays itself, a
// context's end becomes cancelled or timeout, and what is left is start_failed
// for nothing: it becomes store_failed only when the store says so itself, so
// an unknown fault is said as fallback.
func AsError(err error, fallback Code) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return Refuse(Cancelled, "the command was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return Refuse(Timeout, "the time of this command ran out").WithHint("give it longer with --timeout")
	default:
		return Refuse(fallback, "%v", err)
	}
}

// Refusal is the JSON of a refused answer.
type Refusal struct {
	OK bool `json:"ok"`
	// Session is who the daemon took the caller for, when it knew.
	Session SessionID `json:"session,omitempty"`
	*Error
}
