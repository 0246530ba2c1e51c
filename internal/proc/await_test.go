package proc

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestAwaitTheFirstEnd(t *testing.T) {
	t.Parallel()
	a, b := sh(t, `read x`, Spec{}), sh(t, `sleep 1000; :`, Spec{}) // a's stdin is at its end
	ended(t, a)
	if err := Await(t.Context(), []Ident{a.Ident(), b.Ident()}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := Await(ctx, []Ident{b.Ident()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waited for a living process: %v", err)
	}
	back := make(chan error, 1)
	go func() { back <- Await(t.Context(), []Ident{b.Ident()}) }()
	if err := b.Stop(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if err := <-back; err != nil {
		t.Error(err)
	}
	if err := Await(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestExecutable(t *testing.T) {
	t.Parallel()
	p := sh(t, `sleep 1000; :`, Spec{})
	got, err := Executable(p.PID())
	want, linkErr := filepath.EvalSymlinks("/bin/sh")
	if err != nil || linkErr != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if err := p.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Executable(p.PID()); !errors.Is(err, ErrGone) {
		t.Errorf("of an ended process: %v", err)
	}
}
