// Package keeper keeps one Chromium: a small process of its own, detached from
// the daemon, that starts the browser, holds its DevTools pipe (no port exists)
// and serves it on a unix socket (0600 in a 0700 directory). A daemon that
// starts anew finds it there.
//
// Chromium ends when its pipe closes, so a keeper that is killed takes its
// browser with it. A keeper ends when it is told to, when its browser has
// ended, and when no daemon was connected for its idle time; then every process
// of the browser is ended and counted.
//
// The package may import internal/proc and internal/api; it knows no page, no
// profile record and no session.
package keeper
