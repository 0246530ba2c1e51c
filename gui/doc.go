// Package gui draws the desktop app with Fyne. What it says and offers comes
// from gui/state; it never speaks to the daemon itself and never imports
// fyne/v2/app, so that its widgets are tested without a display.
//
// Widgets are touched in Fyne's own goroutine alone. What is asked of the daemon
// runs beside it, and comes back through fyne.Do.
package gui
