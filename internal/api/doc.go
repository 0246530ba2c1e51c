// Package api holds the wire types of VibeSpace windows: what crosses the
// daemon's socket, what the command line prints with --json, and the words a
// refusal is given in. Engines return these types, clients decode them, faces
// print them unchanged.
//
// It imports the standard library alone and never does I/O.
package api
