package atspi

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestDeskIsReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if d.conn.Name() == "" {
		t.Error("no unique name")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := d.conn.call(ctx, "org.a11y.nobody", "/x", "a.b.C", nil)
	if !errors.Is(err, ErrGone) {
		t.Errorf("a name nobody has: %v", err)
	}
}
