package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vibespace/internal/api"
)

// fileID marks a database as ours (PRAGMA application_id): "VbSp".
const fileID = 0x56625370

// busyMs is how long a write waits for a program outside the daemon that has
// the database locked (a person's sqlite3, a backup): below the second a verb
// may outlive its timeout by.
const busyMs = 900

// readers bounds the connections that only read: a few, because each has a
// page cache of its own.
const readers = 3

// errNotOurs is a file that no build of ours wrote.
var errNotOurs = errors.New("it is not a database of this program")

// errDamaged is a database whose pages contradict each other.
var errDamaged = errors.New("its pages are damaged")

// Open opens the database of a state directory, made if it is not there, and
// brings it to this build's version. One daemon has a directory at a time.
//
// It refuses with store_failed what cannot be opened or written, is damaged, is
// another program's or is in use by another daemon, and with store_newer what a
// newer build has written. What it refuses it leaves as it was.
func Open(dir string) (*DB, error) {
	path := pathIn(dir)
	if err := PrivateDir(dir); err != nil {
		return nil, faultAt(path, dir, "open", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	db := &DB{dir: dir, path: path, lock: lock}
	if err := db.open(context.Background()); err != nil {
		for _, pool := range []*sql.DB{db.read, db.write} {
			if pool != nil {
				_ = pool.Close() // the refusal is the news
			}
		}
		_ = unlock(lock)
		return nil, err
	}
	return db, nil
}

// lockDir takes the directory for this process. The kernel lets it go when the
// process ends, however it ends.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, LockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, faultAt(pathIn(dir), dir, "open", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = f.Truncate(0)
		if err == nil {
			_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
		}
		if err == nil {
			return f, nil
		}
	}
	defer f.Close() // read-only use below
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, faultAt(pathIn(dir), dir, "open", err)
	}
	pid := make([]byte, 20)
	n, _ := f.ReadAt(pid, 0) // only to say who; a daemon that is starting has not written yet
	return nil, api.Refuse(api.StoreFailed, "open: the state directory %s is in use by another daemon (pid %s)",
		dir, strings.TrimSpace(string(pid[:n]))).
		WithHint("use that daemon, or give this one a directory of its own with VIBESPACE_STATE_DIR").
		With("path", dir).With("reason", "in_use")
}

// unlock lets the directory go. Closing alone would not: a child that is being
// started shares the lock until it has become its program.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// open does what Open says, once the directory is ours.
func (db *DB) open(ctx context.Context) error {
	if err := makeFile(db.path); err != nil {
		return db.fault("open", err)
	}
	var err error
	if db.write, err = sql.Open("sqlite", dsn(db.path, false)); err != nil {
		return db.fault("open", err)
	}
	db.write.SetMaxOpenConns(1)
	version, err := db.version(ctx)
	if err != nil {
		return err
	}
	if err := db.walMode(ctx); err != nil {
		return db.fault("open", err)
	}
	if err := db.check(ctx, version); err != nil {
		return err
	}
	if err := db.migrate(ctx, version); err != nil {
		return err
	}
	if db.read, err = sql.Open("sqlite", dsn(db.path, true)); err != nil {
		return db.fault("open", err)
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	return nil
}

// makeFile makes the database's file, closed to others from the start (SQLite
// gives its -wal and -shm the same mode), and refuses what is there and is no
// database before SQLite may touch it.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no regular file", errNotOurs)
	}
	if info.Size() == 0 {
		return nil // new, or left by a start that was killed before it wrote
	}
	magic := []byte("SQLite format 3\x00")
	head := make([]byte, len(magic))
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.Equal(head, magic) {
		return fmt.Errorf("%w: it does not begin like one", errNotOurs)
	}
	return nil
}

// dsn names the database for the driver. The path is escaped whole: a question
// mark or a percent sign in it is part of the name.
func dsn(path string, readOnly bool) string {
	q := url.Values{
		"_busy_timeout": {fmt.Sprint(busyMs)},
		"_foreign_keys": {"1"},
		// Every commit is in the file system when it returns, and so outlives
		// the daemon; the disk is waited for at checkpoints alone.
		"_synchronous": {"NORMAL"},
		// A transaction takes the write lock when it begins: taking it later can
		// fail half-way.
		"_txlock": {"immediate"},
		// What a long reader made the log grow to is given back.
		"_pragma": {"journal_size_limit(4194304)"},
	}
	if readOnly {
		q.Set("_query_only", "1")
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// version reads whose database it is and which version it has, 0 for a new
// one, and refuses another program's and a newer build's.
func (db *DB) version(ctx context.Context) (int, error) {
	var id, version, tables int
	err := db.write.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&id, &version, &tables)
	if err != nil {
		return 0, db.fault("open", err)
	}
	if id != fileID && (id != 0 || version != 0 || tables != 0) {
		return 0, db.fault("open", errNotOurs)
	}
	if version > Version() {
		return 0, api.Refuse(api.StoreNewer, "the database %s is of version %d, this build knows %d at most", db.path, version, Version()).
			WithHint("run the newer vibespaced again, or give this one a directory of its own with VIBESPACE_STATE_DIR").
			With("path", db.path).With("version", version).With("known", Version())
	}
	return version, nil
}

// walMode makes readers and the writer independent of each other. The mode
// stays in the file.
func (db *DB) walMode(ctx context.Context) error {
	var mode string
	if err := db.write.QueryRowContext(ctx, `PRAGMA journal_mode=WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("its journal is %q and cannot become a write-ahead log: does the file system support shared memory?", mode)
	}
	return nil
}

// check looks through the pages of everything but the audit, which is a
// thousand times the rest: what is damaged there is found before the daemon
// acts on it, and opening stays quick.
func (db *DB) check(ctx context.Context, version int) error {
	if version == 0 {
		return nil
	}
	rows, err := db.write.QueryContext(ctx, `SELECT t.name, c.quick_check
		FROM sqlite_schema t, pragma_quick_check(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'audit' AND c.quick_check <> 'ok' LIMIT 1`)
	if err != nil {
		return db.fault("check", err)
	}
	defer rows.Close() // read to the end below
	if rows.Next() {
		var table, what string
		if err := rows.Scan(&table, &what); err != nil {
			return db.fault("check", err)
		}
		return db.fault("check", fmt.Errorf("%w: table %s: %s", errDamaged, table, what))
	}
	return db.fault("check", rows.Err())
}
