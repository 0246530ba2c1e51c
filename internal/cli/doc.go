// Package cli is the command lines: vibespace-window and vibespace-browser for
// agents, vibespace for the person. Each is one function from a Program to an
// exit status.
//
// The rules of its output. Results go to stdout and words to stderr with the
// program's name before them. With --json, which may stand anywhere before
// "--", exactly one JSON object goes to stdout, whatever happened, and nothing
// else does. The exit status is the contract's: 0 done, 1 refused, 2 wrong
// usage, 3 no daemon, 4 a condition not met, 130 interrupted; the refusal's
// code decides it, in one table of package api. After "--" everything is text.
//
// It imports the wire types, the client and cobra. It decides nothing about
// windows: what it refuses by itself is what cannot be written into a request.
package cli
