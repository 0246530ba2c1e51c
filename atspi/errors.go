package atspi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/godbus/dbus/v5"
)

// What a call can come back with besides an answer. Library errors are
// translated to these once, in [translate]; errors.Is finds them through every
// wrapping of this package.
var (
	// ErrGone says that the object, or the application that had it, is no
	// longer on the bus.
	ErrGone = errors.New("the object is gone")
	// ErrNoReply says that the application did not answer within the call's
	// deadline. Whether it did what was asked is not known.
	ErrNoReply = errors.New("no reply in time")
	// ErrUnsupported says that the object does not have that interface,
	// method or property.
	ErrUnsupported = errors.New("not supported by the object")
	// ErrPassword says that the text of a password field was asked for.
	ErrPassword = errors.New("the text of a password field is never read")
	// ErrTooLarge says that the answer was larger than the connection's
	// message cap; it was thrown away unread.
	ErrTooLarge = errors.New("the answer is larger than the message cap")
	// ErrMalformed says that the answer had another shape than the protocol's.
	ErrMalformed = errors.New("the answer has the wrong shape")
	// ErrClosed says that the connection to the bus has ended: it was closed
	// here, or the bus went away.
	ErrClosed = errors.New("the connection to the accessibility bus is closed")
)

// RemoteError is an error answer that is none of the cases above.
type RemoteError struct {
	Name    string // the D-Bus error name
	Message string // what the application said, valid UTF-8
}

// Error is the error's name and what the application said beside it.
func (e *RemoteError) Error() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// errTooLarge is the error name the framing reader gives an answer it dropped
// for its size. It cannot come from an application: the name has no owner.
const errTooLarge = "vibespace.atspi.TooLarge"

// remote classifies D-Bus error names. NoReply is what the bus itself answers
// when the recipient left before replying, so it means gone, not late.
var remote = map[string]error{
	"org.freedesktop.DBus.Error.ServiceUnknown":      ErrGone,
	"org.freedesktop.DBus.Error.NameHasNoOwner":      ErrGone,
	"org.freedesktop.DBus.Error.UnknownObject":       ErrGone,
	"org.freedesktop.DBus.Error.NoReply":             ErrGone,
	"org.freedesktop.DBus.Error.Disconnected":        ErrGone,
	"org.freedesktop.DBus.Error.Timeout":             ErrNoReply,
	"org.freedesktop.DBus.Error.TimedOut":            ErrNoReply,
	"org.freedesktop.DBus.Error.UnknownMethod":       ErrUnsupported,
	"org.freedesktop.DBus.Error.UnknownInterface":    ErrUnsupported,
	"org.freedesktop.DBus.Error.UnknownProperty":     ErrUnsupported,
	"org.freedesktop.DBus.Error.NotSupported":        ErrUnsupported,
	"org.freedesktop.DBus.Error.PropertyReadOnly":    ErrUnsupported,
	"org.freedesktop.DBus.Error.InvalidSignature":    ErrMalformed,
	"org.freedesktop.DBus.Error.InconsistentMessage": ErrMalformed,
	errTooLarge: ErrTooLarge,
}

// translate turns what godbus returned into an error of this package. A
// context of the caller that ended for another reason than time stays what it
// is, so that a cancelled verb is told from a silent application.
func translate(err error) error {
	if err == nil {
		return nil
	}
	var answer dbus.Error
	switch {
	case errors.As(err, &answer):
		return fromName(answer.Name, answer.Error())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return ErrNoReply
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return ErrClosed
	case strings.HasPrefix(err.Error(), "dbus.Store:"):
		return fmt.Errorf("%w: %s", ErrMalformed, clean(err.Error()))
	}
	return err
}

// fromName classifies an error answer. GDBus answers a vanished object with
// UnknownMethod and says so only in words.
func fromName(name, message string) error {
	message = clean(message)
	if kind, ok := remote[name]; ok {
		if errors.Is(kind, ErrUnsupported) && objectMissing(message) {
			kind = ErrGone
		}
		return fmt.Errorf("%w (%s)", kind, short(message, 200))
	}
	return &RemoteError{Name: clean(name), Message: short(message, 200)}
}

// objectMissing recognises GDBus' words for a path nobody exports.
func objectMissing(message string) bool {
	return strings.Contains(message, "Object does not exist at path") ||
		strings.Contains(message, "No such object path")
}
