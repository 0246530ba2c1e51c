// Package xvfb keeps one virtual X server: it starts it with a cookie, without
// a network and without an abstract socket, waits until it answers, and ends it
// with everything it put on disk.
//
// The server outlives the program that started it; Adopt takes one over again
// from its record and refuses what it cannot prove to be that server.
//
// It may import internal/proc and nothing else of this project. It never reads
// the environment and never speaks X beyond the handshake.
package xvfb
