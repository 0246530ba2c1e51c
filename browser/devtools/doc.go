// Package devtools speaks the Chrome DevTools Protocol over one byte stream:
// messages that end in a NUL, sessions by their id in each message.
//
// A Conn owns the stream. A Session is one target attached over it; it
// satisfies cdp.Session's Call, so that the generated commands run on it. Events
// are handed to their session's handler in the order they came, one at a time,
// by the goroutine that reads: a handler must neither wait nor call, it may
// Post.
//
// It is a leaf: it imports the protocol's generated types and the standard
// library, and knows no page and no policy.
package devtools
