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
