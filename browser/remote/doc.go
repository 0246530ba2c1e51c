// Package remote connects to somebody else's Chromium by the address of its
// DevTools endpoint, on this machine, and gives the same stream of messages
// that a keeper's link gives.
//
// It starts and ends nothing, and knows no page, profile or session. It imports
// internal/api alone.
package remote
