// Package provider is the ladder of browser backends as rows: what each can do,
// whether it can be used on this machine, and what to do where it cannot.
//
// Everything that depends on a backend reads a cell of its row; nothing asks
// for a backend by name. It starts nothing and keeps nothing, and imports
// internal/api alone.
package provider
