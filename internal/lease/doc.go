// Package lease decides who may act on a handle (a window, a browser profile):
// one session at a time, or the person.
//
// The table lives in memory, so that the question can be asked again after
// every wait and before every act ([Table.Use] costs a map lookup); each change
// of holder or of driver is in the store before it is answered, so that a
// daemon that was killed finds every lease again. There is no timer: a lease
// lapses when somebody else asks for it.
//
// Whether a session may see a handle at all is internal/reach's to say, and is
// asked first. The package imports internal/api and internal/store.
package lease
