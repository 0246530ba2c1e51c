// Package daemon is the face of VibeSpace: one unix socket speaking HTTP/JSON
// in the words of the contract. It decides who asks, decodes a request, bounds
// the verb in time, gives it to the engine whose verb it is, and writes the
// answer. It owns the directories, the locks that keep a second daemon off
// them, the owner credential and the log.
//
// It may import the wire types, the engines and the lease, reach, audit and
// store they share. It holds no policy of its own beyond who may speak at all:
// what a session may do is decided by the engine, per verb. It never logs a
// token, a body or a typed text, and no timer of its own runs while nobody
// asks.
package daemon
