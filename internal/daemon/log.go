package daemon

import (
	"errors"
	"io"
	"log/slog"
	"os"

	"gopkg.in/natefinch/lumberjack.v2"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// The log keeps this much: three files of four megabytes at most.
const (
	logMegabytes = 4
	logKept      = 2
)

// OpenLog gives the daemon's log: one JSON object a line in a file of the
// state directory that is readable by its user alone and never grows past its
// bound. Close it last. A directory that cannot be written is store_failed.
func OpenLog(p api.Paths, level slog.Level) (*slog.Logger, io.Closer, error) {
	if err := store.PrivateDir(p.State); err != nil {
		return nil, nil, dirFault(p.State, err)
	}
	path := p.LogFile()
	// Opened once here, so that a fault is known at the start and the mode is
	// right whoever made the file.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, dirFault(p.State, err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, nil, dirFault(p.State, err)
	}
	out := &lumberjack.Logger{Filename: path, MaxSize: logMegabytes, MaxBackups: logKept}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})), out, nil
}
