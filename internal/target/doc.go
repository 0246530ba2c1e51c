// Package target is the window engine: it opens applications on displays it
// owns, decides who may see and act, reads them as trees with refs, acts on
// nodes first and points second, and says truthfully what came of it.
//
// It joins internal/display, atspi and x11 with the policy of internal/lease,
// internal/reach and internal/audit, and returns the wire types of
// internal/api. It knows no HTTP and no command line.
package target
