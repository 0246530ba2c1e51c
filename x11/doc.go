// Package x11 speaks to one X server over one connection: it reads and watches
// windows, focuses, moves, sizes and captures them, injects input, and keeps a
// small window manager for displays that need one.
//
// It is a leaf. It may import the X protocol library, golang.org/x/sys and
// golang.org/x/image, and nothing of this project. It knows nothing of leases,
// of who may look at what, of JSON or of accessibility.
//
// It never reads the environment: which server, and with which cookie, is what
// the caller says. It never blocks longer than the context it is given, even
// when the server is stopped or killed in the middle of a request, and the end
// of a server is an error (ErrGone), not a panic.
//
// Strings that come from windows are a stranger's: they leave this package as
// valid UTF-8.
package x11
