package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"vibespace/internal/api"
)

// ErrExists is what an insertion answers when the row is there already: a
// living session of that label, a group of that name.
var ErrExists = errors.New("it exists already")

// ErrAbsent is what a change answers when the row it changes is not there.
var ErrAbsent = errors.New("there is none")

// trouble is one kind of fault of a database or the disk under it.
type trouble struct {
	reason string // api.Error.Details["reason"]
	says   string
	mend   string // with the path of the database, then its directory
}

// The kinds of trouble a person can mend, by what SQLite or the kernel calls
// them. Everything else is "io".
var (
	full     = trouble{"full", "the disk is full", "free some space on the disk of %[2]s, then try again"}
	readOnly = trouble{"read_only", "it cannot be written", "make %[2]s writable for this user, or name another directory with VIBESPACE_STATE_DIR"}
	damaged  = trouble{"damaged", "it is damaged", "restore it from a copy, or move it aside with its -wal file to begin anew: mv %[1]s %[1]s.damaged"}
	locked   = trouble{"locked", "another process keeps it locked", "end the program that has %[1]s open"}
	closed   = trouble{"closed", "it is closed", "start the daemon again: vibespace up"}
	unusable = trouble{"io", "it cannot be used", "look at %[2]s: permissions, free space, and the kernel's log"}
)

// causes maps the primary result codes of SQLite.
var causes = map[int]trouble{
	lib.SQLITE_FULL:     full,
	lib.SQLITE_READONLY: readOnly,
	lib.SQLITE_PERM:     readOnly,
	lib.SQLITE_CORRUPT:  damaged,
	lib.SQLITE_NOTADB:   damaged,
	lib.SQLITE_BUSY:     locked,
	lib.SQLITE_LOCKED:   locked,
}

// fault translates an error of the database into what callers understand: a
// context's end stays one, a broken uniqueness is ErrExists, and the rest is
// store_failed naming the database, with the reason and the mend.
func (db *DB) fault(op string, err error) error {
	return faultAt(db.path, db.dir, op, err)
}

// faultAt is fault for a database that is not open yet.
func faultAt(path, dir, op string, err error) error {
	var engine *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, ErrAbsent), errors.Is(err, ErrExists), errors.Is(err, ErrFull):
		return fmt.Errorf("%s: %w", op, err)
	case errors.As(err, &engine) && engine.Code()&0xff == lib.SQLITE_INTERRUPT:
		return fmt.Errorf("%s: %w", op, context.Canceled)
	case errors.As(err, &engine) && isUnique(engine.Code()):
		return fmt.Errorf("%s: %w", op, ErrExists)
	}
	t := troubleOf(err, dir)
	return api.Refuse(api.StoreFailed, "%s: the database %s: %s (%v)", op, path, t.says, err).
		WithHint(t.mend, path, dir).
		With("path", path).With("reason", t.reason)
}

// isUnique reports whether an extended result code is a broken uniqueness.
func isUnique(code int) bool {
	return code == lib.SQLITE_CONSTRAINT_UNIQUE || code == lib.SQLITE_CONSTRAINT_PRIMARYKEY
}

// troubleOf finds the kind of a fault of a database in a directory.
func troubleOf(err error, dir string) trouble {
	var engine *sqlite.Error
	if errors.As(err, &engine) {
		code := engine.Code() & 0xff
		if t, ok := causes[code]; ok {
			return t
		}
		// A -shm file that cannot be made longer, for one, is told as a fault of
		// the disk, and the disk knows why.
		if code == lib.SQLITE_IOERR && isFull(dir) {
			return full
		}
		return unusable
	}
	switch {
	case err.Error() == errClosed.Error():
		return closed
	case errors.Is(err, errNotOurs), errors.Is(err, errDamaged):
		return damaged
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return full
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return readOnly
	}
	return unusable
}

// leastFree is what a disk has to have free for the smallest write: SQLite makes
// the -shm file longer by 32 KiB at a time.
const leastFree = 32 << 10

// isFull says whether the disk of a directory, or of the nearest one above it
// that is there, has no room.
func isFull(dir string) bool {
	for {
		var disk syscall.Statfs_t
		err := syscall.Statfs(dir, &disk)
		up := filepath.Dir(dir)
		switch {
		case err == nil:
			return disk.Bavail*uint64(disk.Bsize) < leastFree
		case !errors.Is(err, fs.ErrNotExist) || up == dir:
			return false
		}
		dir = up
	}
}
