package atspi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"
)

// DefaultCall is how long one call may take unless a connection's [Config], a
// [Budget] or the caller's context says less. A toolkit answers in well under
// a millisecond; a loaded machine stretches that a hundredfold.
const DefaultCall = 2 * time.Second

// Config describes a connection.
type Config struct {
	Address    string        // D-Bus address of the accessibility bus
	Call       time.Duration // bound of one call; 0 is DefaultCall
	MaxMessage int           // bytes one message may have; 0 is DefaultMaxMessage
}

// Conn is one private connection to an accessibility bus. Its methods are safe
// for concurrent use. Close is the kill switch: whatever waits on the
// connection returns with [ErrClosed].
type Conn struct {
	bus     *dbus.Conn
	wire    *wire
	signals *signals
	bound   time.Duration
	once    sync.Once
	fault   error

	registered atomic.Bool // Register was done
	blank      refSet      // pages whose bounds never came, see awaitPages
	directs    directs
}

// Dial connects to the bus at that D-Bus address. ctx bounds the dialling
// alone; the connection lives until Close or until the bus goes away.
func Dial(ctx context.Context, address string) (*Conn, error) {
	return DialConfig(ctx, Config{Address: address})
}

// DialConfig is Dial with everything said.
func DialConfig(ctx context.Context, cfg Config) (*Conn, error) {
	socket, err := dialSocket(ctx, cfg.Address)
	if err != nil {
		return nil, fmt.Errorf("dial bus %s: %w", cfg.Address, err)
	}
	c := &Conn{wire: newWire(socket, cfg.MaxMessage), signals: newSignals(), bound: cfg.Call, directs: directs{by: map[string]*direct{}}}
	if c.bound <= 0 {
		c.bound = DefaultCall
	}
	if err := c.greet(ctx, socket); err != nil {
		return nil, fmt.Errorf("greet bus %s: %w", cfg.Address, err)
	}
	return c, nil
}

// greet authenticates. godbus has no deadline for it, so the socket carries
// the context's; the socket is closed when it fails.
func (c *Conn) greet(ctx context.Context, socket net.Conn) (err error) {
	stop := context.AfterFunc(ctx, func() { _ = socket.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			_ = socket.Close()
			if c.bus != nil {
				_ = c.bus.Close()
			}
			if ctx.Err() != nil {
				err = ctx.Err()
			}
		}
	}()
	if c.bus, err = dbus.NewConn(c.wire, dbus.WithSignalHandler(c.signals)); err != nil {
		return err
	}
	if err := c.bus.Auth(nil); err != nil {
		return err
	}
	return c.bus.Hello()
}

// dialSocket opens the first address of the list that answers.
func dialSocket(ctx context.Context, addresses string) (net.Conn, error) {
	var faults []error
	for address := range strings.SplitSeq(addresses, ";") {
		name, err := socketName(address)
		if err == nil {
			var d net.Dialer
			var socket net.Conn
			if socket, err = d.DialContext(ctx, "unix", name); err == nil {
				return socket, nil
			}
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}

// socketName is the file (or, with @, the abstract name) of a unix address.
func socketName(address string) (string, error) {
	keys, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		return "", fmt.Errorf("bus address %q is not a unix socket", clean(address))
	}
	for pair := range strings.SplitSeq(keys, ",") {
		key, value, _ := strings.Cut(pair, "=")
		if key != "path" && key != "abstract" {
			continue
		}
		value, err := dbus.UnescapeBusAddressValue(value)
		if err != nil {
			return "", fmt.Errorf("bus address %q: %w", clean(address), err)
		}
		if key == "abstract" {
			value = "@" + value
		}
		return value, nil
	}
	return "", fmt.Errorf("bus address %q names no socket", clean(address))
}

// Close ends the connection and returns once nothing more will be delivered
// from it. It may be called more than once.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.directs.close()
		c.fault = c.bus.Close()
	})
	return c.fault
}

// Done is closed when the connection has ended: by Close, or because the bus
// went away.
func (c *Conn) Done() <-chan struct{} { return c.bus.Context().Done() }

// Name is the connection's own unique name on the bus.
func (c *Conn) Name() string {
	if names := c.bus.Names(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// busName and busPath address the bus itself.
const (
	busName = "org.freedesktop.DBus"
	busPath = dbus.ObjectPath("/org/freedesktop/DBus")
)

// call makes one method call and waits for its answer, never longer than the
// connection's bound or ctx, whichever is less. method is "interface.member".
// The answer's values are stored through out, converted the way [dbus.Store]
// does; with no out the answer's values are ignored.
func (c *Conn) call(ctx context.Context, dest string, path dbus.ObjectPath, method string, args []any, out ...any) error {
	return c.callWithin(ctx, c.bound, dest, path, method, args, out...)
}

// callWithin is call with a bound of its own.
func (c *Conn) callWithin(ctx context.Context, bound time.Duration, dest string, path dbus.ObjectPath, method string, args []any, out ...any) error {
	if !validName(dest) || !path.IsValid() {
		return fmt.Errorf("%s of %q %q: %w: no address on a bus", method, clean(dest), clean(string(path)), ErrMalformed)
	}
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	answer := c.bus.Object(dest, path).CallWithContext(bounded, method, dbus.FlagNoAutoStart, args...)
	err := answer.Err
	if err == nil && len(out) > 0 {
		err = answer.Store(out...)
	}
	if err == nil {
		return nil
	}
	if c.bus.Context().Err() != nil {
		return fmt.Errorf("%s of %s %s: %w", method, dest, path, ErrClosed)
	}
	return fmt.Errorf("%s of %s %s: %w", method, dest, path, translate(err))
}

// property reads one property of an object into out. An answer of another
// type is [ErrMalformed].
func (c *Conn) property(ctx context.Context, ref Ref, iface, name string, out any) error {
	var v dbus.Variant
	err := c.call(ctx, ref.Bus, ref.Path, "org.freedesktop.DBus.Properties.Get", []any{iface, name}, &v)
	if err != nil {
		return err
	}
	if err := dbus.Store([]any{v.Value()}, out); err != nil {
		return fmt.Errorf("%s.%s of %s %s: %w", iface, name, ref.Bus, ref.Path, translate(err))
	}
	return nil
}

// setProperty writes one property of an object.
func (c *Conn) setProperty(ctx context.Context, ref Ref, iface, name string, value any) error {
	args := []any{iface, name, dbus.MakeVariant(value)}
	return c.call(ctx, ref.Bus, ref.Path, "org.freedesktop.DBus.Properties.Set", args)
}
