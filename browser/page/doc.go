// Package page drives the pages of one Chromium over CDP: it opens them, reads
// them as a tree of elements with refs, acts on those with real input events,
// and tells what each act was seen to do.
//
// A Browser is one connection to one Chromium; a Page is one tab of it. Whose
// tab it is, who may act and where answers go is for the caller to decide: the
// package knows no session, lease or profile, and answers in wire types whose
// profile and session the caller fills in.
//
// One operation runs at a time in a browser, 32 wait. The context of a verb
// bounds the call; the life of a browser and of a page ends with Close. A
// context that is cancelled with ErrTakenOver as its cause makes the verb that
// runs answer browser_interrupted, with details.effect cut (nothing reached the
// page), landed (it did what it was asked) or unknown.
package page
