// Package client is the one way to the daemon: a method a verb, over its unix
// socket. The command lines, the MCP face and the desktop app use it, each with
// a client of its own.
//
// It finds the daemon, starts the one beside the running program when none
// listens, and turns whatever goes wrong on the way into a refusal with a code.
// It imports the wire types and the standard library; it knows no engine, reads
// no configuration file and never repeats a verb that may have been done.
package client
