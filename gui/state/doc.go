// Package state is the view-model of the desktop app: what each part of it
// says and offers, computed from what the daemon tells. It knows no toolkit and
// draws nothing, so that all of it is tested with tables; it imports the wire
// types and the client, and never the engine.
package state
