// Package reach decides who is who and who may see what: sessions with their
// tokens, groups of sessions, and the shares that expose a handle to one of
// either.
//
// A handle is hidden until it is shared. Whoever opens a window has a share of
// it from the start (the store writes both in one step); everything else the
// person grants, and can take back at once: [Book.May] reads the store each
// time it is asked and keeps no answer. What cannot be read is refused, never
// guessed.
//
// A token is shown once, when it is made; only its hash is kept. Who may act on
// what it may see is internal/lease's to say. The package imports internal/api
// and internal/store.
package reach
