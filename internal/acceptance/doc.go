// Package acceptance drives the real programs with a real daemon, real displays
// and real applications, the way somebody outside the project would: by the
// command lines, by their JSON and by nothing else.
//
// The answers are read into types of this package's own, written after the
// contract and not after the code, so that a field that is renamed fails here.
// What the applications did is asked of themselves: a file they saved, the
// journal a fixture wrote, their tree as the system's own accessibility library
// reads it.
//
// It holds tests alone. They may import fixtures and internal/need; an import of
// anything that is tested would be a back door.
package acceptance
