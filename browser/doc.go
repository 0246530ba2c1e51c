// Package browser decides which browser a session may use, and how: the ladder
// of backends, profiles and who is attached to them, what is claimed of a site.
//
// What drives a page is below it; windows are the window engine's, and the
// daemon joins the two. It imports internal/api, lease, reach, audit, store,
// proc and display, never the window engine, and serves nothing itself.
package browser
