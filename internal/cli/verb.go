package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// verb makes the run of a command that is one verb of the daemon: read turns
// the command line into the request, do is the client's method, and change
// makes the client (asOwner, onlyLook).
func verb[Q, A any](r *run, word string, do func(*client.Client, context.Context, Q) (A, error),
	read func(cmd *cobra.Command, args []string) (Q, error), change ...func(*client.Config),
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		q, err := read(cmd, args)
		if err != nil {
			return err
		}
		c, err := r.dial(change...)
		if err != nil {
			return err
		}
		a, err := do(c, cmd.Context(), q)
		return answer(r, word, a, err)
	}
}

// handleVerb is verb for a command that names a window and nothing else.
func handleVerb[A any](r *run, word string, do func(*client.Client, context.Context, api.HandleRequest) (A, error),
	change ...func(*client.Config),
) func(*cobra.Command, []string) error {
	return verb(r, word, do, func(_ *cobra.Command, args []string) (api.HandleRequest, error) {
		return api.HandleRequest{Common: r.common(), Handle: api.Handle(args[0])}, nil
	}, change...)
}

// number is a flag that may be absent: --window 0 is not no --window.
type number struct {
	set bool
	n   int
}

// Set reads the flag.
func (o *number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<31-1 {
		return fmt.Errorf("it is a number from 0 on")
	}
	o.set, o.n = true, n
	return nil
}

// String shows the flag.
func (o *number) String() string {
	if !o.set {
		return ""
	}
	return strconv.Itoa(o.n)
}

// Type names the flag's values in help texts.
func (o *number) Type() string { return "N" }

// ptr is the number, or nil when the flag was not given.
func (o *number) ptr() *int {
	if !o.set {
		return nil
	}
	n := o.n
	return &n
}

// actFlags are the flags of every act.
type actFlags struct {
	expect              string
	noObserve, snapshot bool
}

// add adds them to a command.
func (a *actFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.expect, "expect", "", "what must hold afterwards: text=…, title=…, gone=@e7, @e7.state=checked, window=… (exit 4 if not)")
	f.BoolVar(&a.noObserve, "no-observe", false, "do not look at what the act changed")
	f.BoolVar(&a.snapshot, "snapshot", false, "answer with the tree as well")
}

// act is what the request of an act carries.
func (a *actFlags) act(r *run, handle string) api.Act {
	return api.Act{Common: r.common(), Handle: api.Handle(handle), Expect: a.expect, NoObserve: a.noObserve, Snapshot: a.snapshot}
}

// flagRef reads a flag that holds a ref, "" when it was not given.
func flagRef(cmd *cobra.Command, name, value string) (api.Ref, error) {
	if !cmd.Flags().Changed(name) {
		return "", nil
	}
	return parseRef(value)
}

// flagPoint reads a flag that holds a point, nil when it was not given.
func flagPoint(cmd *cobra.Command, name, value string) (*api.Point, error) {
	if !cmd.Flags().Changed(name) {
		return nil, nil
	}
	p, err := parsePoint(value)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// flagSize reads a flag that holds a size, nil when it was not given.
func flagSize(cmd *cobra.Command, name, value string) (*api.Size, error) {
	if !cmd.Flags().Changed(name) {
		return nil, nil
	}
	s, err := parseSize(value)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// pinArg reads WxH or auto, which is nil.
func pinArg(s string) (*api.Size, error) {
	if s == "auto" {
		return nil, nil
	}
	size, err := parseSize(s)
	if err != nil {
		return nil, err
	}
	return &size, nil
}
