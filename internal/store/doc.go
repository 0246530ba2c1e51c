// Package store keeps what must outlive the daemon: displays, windows,
// sessions, groups, shares, leases, notices, audit rows and the counters that
// never give a handle twice, in one SQLite database (WAL) under the state
// directory.
//
// It is rows and nothing else: who may do what is decided by internal/reach and
// internal/lease, which call it. Every SQL statement of the project is here,
// and every method takes and gives typed rows. A write is in the database when
// its method returns, so that it survives the daemon's death; a power cut may
// take the last moments with it, never the database.
//
// A database that cannot be opened, is damaged, belongs to another program or
// is from a newer build is refused by name and left as it is. The package runs
// no timer and no goroutine of its own.
//
// It imports internal/api and modernc.org/sqlite.
package store
