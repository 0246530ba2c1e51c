package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// askProperty is property for an object that may lack the interface: the
// toolkits' own words for that become [ErrUnsupported].
func (c *Conn) askProperty(ctx context.Context, ref Ref, iface, name string, out any) error {
	return lacking(c.property(ctx, ref, iface, name, out))
}

// lacking recognises what GTK 3 ("Get failed", "Set failed") and GDBus ("No
// such interface") answer for a property of an interface the object lacks.
func lacking(err error) error {
	var answer *RemoteError
	if !errors.As(err, &answer) {
		return err
	}
	if answer.Name == "org.freedesktop.DBus.Error.Failed" || strings.Contains(answer.Message, "No such interface") {
		return fmt.Errorf("%w (%w)", ErrUnsupported, err)
	}
	return err
}

// verdict corrects the error of a method call. Qt answers a method that an
// object does not have with "No such object path"; the object is gone only if
// it does not give its role either.
func (c *Conn) verdict(ctx context.Context, ref Ref, err error) error {
	if !errors.Is(err, ErrGone) {
		return err
	}
	var role uint32
	if c.call(ctx, ref.Bus, ref.Path, interfacePrefix+"Accessible.GetRole", nil, &role) != nil {
		return err
	}
	return fmt.Errorf("%w (%v)", ErrUnsupported, err)
}

// ask makes a method call of an interface that the object may lack.
func (c *Conn) ask(ctx context.Context, ref Ref, method string, args []any, out ...any) error {
	return c.verdict(ctx, ref, c.call(ctx, ref.Bus, ref.Path, method, args, out...))
}
