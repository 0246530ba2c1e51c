// Package atspi reads and drives the accessibility trees of the applications
// on one AT-SPI2 bus: the registrations on the bus, the tree of an
// application in one bulk call where its toolkit fills one and level by level
// with every call of a level in flight where it does not, the details of the
// nodes that will be shown, and acts on a node.
//
// What comes back was written by strangers. Every call carries a deadline,
// every read a [Budget], every message a size cap, every string is valid
// UTF-8, and an answer of the wrong shape is an error of that one node: no
// application can hang, panic or grow the process that reads it. The text of
// a password field is never read.
//
// The package is a leaf: it imports godbus and the standard library alone. It
// knows no X11, no policy, no lease and no wire type of ours, and it never
// starts a process.
package atspi
