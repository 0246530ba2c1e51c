// Package audit records every verb as it was decided: who, on what, by which
// road, with which verdict. What was typed is in no row: the row has no field
// for it, and names of elements are cut.
//
// A row is in the store before its verb is answered, so that a daemon that is
// killed has lost nothing it has answered. The record is bounded by number and
// by age; it is shortened a little at a time while it grows, and no timer runs.
//
// It imports internal/api and internal/store.
package audit
