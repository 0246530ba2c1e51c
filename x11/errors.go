package x11

import (
	"errors"
	"fmt"
	"io"

	"github.com/jezek/xgb/xproto"
)

var (
	// ErrGone is returned by every call after the X server went away, or after
	// the connection was closed here.
	ErrGone = errors.New("the X server is gone")
	// ErrNoWindow says that the window named does not exist (any more).
	ErrNoWindow = errors.New("no such window")
	// ErrNoExtension says that the server lacks the extension a call needs.
	ErrNoExtension = errors.New("the X server lacks an extension")
	// ErrRefused says that the server refused the cookie.
	ErrRefused = errors.New("the X server refused the connection")
)

// translate turns what the protocol library answers into the errors of this
// package. It is called in one place, call, so that nothing above it needs to
// know the library's own.
func translate(err error) error {
	var (
		badWindow   xproto.WindowError
		badDrawable xproto.DrawableError
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return ErrGone
	case errors.As(err, &badWindow), errors.As(err, &badDrawable):
		return fmt.Errorf("%w (%w)", ErrNoWindow, err)
	}
	return err
}

// isAtomError tells that the server knows no such atom.
func isAtomError(err error) bool {
	var bad xproto.AtomError
	return errors.As(err, &bad)
}
