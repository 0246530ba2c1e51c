// Package display makes and ends nested displays: small, quiet worlds in which
// one application runs.
//
// A display is an X server of our own with a cookie, a session bus with a
// configuration of ours, an accessibility bus below a runtime directory of its
// own, a window manager and an event registration that live in this process, and
// an environment made from nothing. Everything of it lies in one directory and is
// ended with it: processes are found by the mark in their environment, by
// ancestry, by process group and session, by what they hold open, and by whom
// the server and the buses know, and killed until two looks find none.
//
// Servers, buses and applications outlive this process; a record in the
// directory lets a later one prove what is its own and adopt it ([Orphan]).
//
// The package joins atspi, x11, x11/xvfb and internal/proc and may import
// nothing else of ours. It decides nothing: whose a display is, who may look at
// it and what is done there are other packages' business.
package display
