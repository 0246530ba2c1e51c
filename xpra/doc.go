// Package xpra keeps an xpra server on an X display that is somebody else's, and
// speaks as much of its protocol as it takes to have windows shown, placed and
// focused while nobody looks: xpra leaves every window unmapped until a client
// asks for it.
//
// It asks for no pixels. Pictures and keys have a shorter way on the machine
// itself, through the X server.
package xpra
