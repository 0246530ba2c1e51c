package xvfb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vibespace/internal/proc"
)

// Stop ends the server and removes what it and Start left on disk. It may be
// called more than once. When ctx ends first the server is killed.
func (s *Server) Stop(ctx context.Context) error {
	err := s.end(ctx)
	s.stopIt()
	return errors.Join(err, removeSockets(s.record), removeFiles(s.record.Dir))
}

func (s *Server) end(ctx context.Context) error {
	if s.child != nil {
		return s.child.Stop(ctx, stopGrace)
	}
	return endIdent(ctx, s.record.Ident, s.done)
}

// endIdent is Stop for a server that is not our child.
func endIdent(ctx context.Context, id proc.Ident, done <-chan struct{}) error {
	if err := proc.Signal(id, syscall.SIGTERM); err != nil && !errors.Is(err, proc.ErrGone) {
		return err
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(stopGrace):
	}
	_, err := proc.EndAll(ctx, func() ([]proc.Ident, error) {
		if id.Alive() {
			return []proc.Ident{id}, nil
		}
		return nil, nil
	})
	return err
}

// Clean ends the server of a record if it still runs and removes what is left
// of it, for a server nobody has in hand any more.
func Clean(ctx context.Context, r Record) error {
	done := make(chan struct{})
	stop, err := proc.Watch(r.Ident, done)
	if err == nil {
		err = endIdent(ctx, r.Ident, done)
		stop()
	} else if errors.Is(err, proc.ErrGone) {
		err = nil
	}
	return errors.Join(err, removeSockets(r), removeFiles(r.Dir))
}

// removeSockets removes the lock and the socket of a server that was killed: it
// removes them itself otherwise. Both may be a successor's by now: the lock
// names its owner, and a socket that somebody answers on is his.
func removeSockets(r Record) error {
	owner, err := lockOwner(r.Number)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if owner != r.Ident.PID || r.Ident.Alive() {
		return nil
	}
	if conn, err := net.Dial("unix", socketPath(r.Number)); err == nil {
		return conn.Close()
	}
	return errors.Join(remove(socketPath(r.Number)), remove(lockPath(r.Number)))
}

func lockOwner(number int) (int, error) {
	text, err := os.ReadFile(lockPath(number))
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", lockPath(number), err)
	}
	return pid, nil
}

func removeFiles(dir string) error {
	return errors.Join(remove(cookiePath(dir)), os.RemoveAll(keymapDir(dir)))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
