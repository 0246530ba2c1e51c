package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// What may be run again, and how often it must pass.
const (
	most   = 3
	passes = 3
)

// goodbye is how long `go test` has to end what its tests started.
const goodbye = time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags, packages, err := split(os.Args[1:])
	if err == nil {
		err = (&suite{flags: flags, out: os.Stdout, errs: os.Stderr}).run(ctx, packages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "steady:", err)
		os.Exit(1)
	}
}

// split takes the flags of go test from the packages: there is a -- between.
func split(args []string) (flags, packages []string, err error) {
	for i, a := range args {
		if a == "--" && i+1 < len(args) {
			return args[:i], args[i+1:], nil
		}
	}
	return nil, nil, errors.New("usage: steady flags of go test -- packages")
}

// suite is `go test` with its flags.
type suite struct {
	dir   string
	flags []string
	out   io.Writer
	errs  io.Writer // what the go command says beside it
}

// run tests the packages. A nil error: all passed, some perhaps not at once.
func (s *suite) run(ctx context.Context, packages []string) error {
	r, err := s.test(ctx, packages)
	if err == nil {
		return nil
	}
	again, why := r.again()
	if why != "" {
		return fmt.Errorf("%w (%s)", err, why)
	}
	for _, t := range again {
		fmt.Fprintf(s.out, "\nsteady: %s of %s failed; again, by itself: it must pass %d times\n", t.name, t.pkg, passes)
		only := []string{"-count", fmt.Sprint(passes), "-failfast", "-run", "^" + regexp.QuoteMeta(t.name) + "$", t.pkg}
		if _, err := s.test(ctx, only); err != nil {
			return fmt.Errorf("%s of %s failed again: %w", t.name, t.pkg, err)
		}
	}
	for _, t := range again {
		fmt.Fprintf(s.out, "steady: NOT STEADY: %s of %s failed once and then passed %d times; what it said is above\n", t.name, t.pkg, passes)
	}
	return nil
}

// test runs `go test` once, prints what it said as it would have been printed,
// and gives what came of it.
func (s *suite) test(ctx context.Context, args []string) (*report, error) {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"test", "-json"}, s.flags...), args...)...)
	cmd.Dir, cmd.Stderr = s.dir, s.errs
	// Asked to end, the tests end what they started.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = goodbye
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := newReport(s.out)
	bad := r.read(said)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case bad != nil:
		return r, fmt.Errorf("read what go test says: %w", bad)
	}
	return r, err
}
