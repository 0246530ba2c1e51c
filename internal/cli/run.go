package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

// ranTo is the end of a command that was run for the caller: its status is
// ours.
type ranTo struct{ status int }

// Error says how it ended.
func (r *ranTo) Error() string { return fmt.Sprintf("the command ended with status %d", r.status) }

// runFlags are the flags of run.
type runFlags struct {
	session  string
	sandbox  bool
	shareNet bool
	bind     []string
}

func (r *run) runAs() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use: "run --session <label> [flags] -- <command…>", Short: "run a command as a session, in a sandbox if it is asked for",
		Long: "run makes the session, or reuses the one that lives, and runs a command as it: the session's token and the\n" +
			"daemon's socket are in its environment, and nothing else of VibeSpace. Its exit status is run's.\n\n" +
			"In a sandbox it sees the programs of this machine, its working directory, what --bind names and the socket,\n" +
			"and no other file, process, display or port. It cannot use the network either, unless --share-net gives it\n" +
			"this machine's: an agent that calls a model needs that, and then reaches whatever listens here. What it opens\n" +
			"with vibespace-window runs outside the sandbox, as an application of yours does.",
		RunE: func(cmd *cobra.Command, args []string) error {
			named, text := words(cmd, args)
			switch {
			case len(named) > 0 || len(text) == 0 || f.session == "":
				return misuse(cmd, "name the session, and the command after \"--\"")
			case !f.sandbox && (f.shareNet || len(f.bind) > 0):
				return misuse(cmd, "--share-net and --bind are a sandbox's")
			}
			return r.runCommand(cmd, f, text)
		},
	}
	cmd.Flags().StringVar(&f.session, "session", "", "the session's label")
	cmd.Flags().BoolVar(&f.sandbox, "sandbox", false, "in a sandbox that reaches nothing but its own session")
	cmd.Flags().BoolVar(&f.shareNet, "share-net", false, "let the sandbox use this machine's network")
	cmd.Flags().StringArrayVar(&f.bind, "bind", nil, "a directory the sandbox sees and may write, besides the working directory; repeatable")
	return cmd
}

// runCommand asks for a token and becomes the command.
func (r *run) runCommand(cmd *cobra.Command, f *runFlags, words []string) error {
	path, err := exec.LookPath(words[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return api.Refuse(api.AppNotFound, "%s cannot be run: %v", api.Quote(words[0], 200), errors.Unwrap(err)).
			WithHint("a program on PATH, or its path")
	}
	environ := os.Environ
	if r.Environ != nil {
		environ = r.Environ
	}
	c, err := r.dial(asOwner)
	if err != nil {
		return err
	}
	var box *sandbox
	if f.sandbox {
		// The daemon first: what is to be hidden must be there. Then the sandbox,
		// and a token last: what cannot be closed off gets none.
		if _, err := c.Hello(cmd.Context(), api.HelloRequest{Common: r.common()}); err != nil {
			return err
		}
		if box, err = r.newSandbox(cmd.Context(), f, path); err != nil {
			return err
		}
	}
	a, err := c.Run(cmd.Context(), api.SessionRequest{Common: r.common(), Label: api.SessionID(f.session)})
	if err != nil {
		return err
	}
	env := commandEnv(environ(), a)
	if box != nil {
		return box.run(env, a.Env["VIBESPACE_SOCKET"], append([]string{path}, words[1:]...))
	}
	// The command takes our place: its signals, terminal and status are its own.
	signal.Reset()
	return api.Refuse(api.StartFailed, "%s cannot be run: %v", path, syscall.Exec(path, words, env)).
		WithHint("look at its permissions")
}

// commandEnv is an environment with nothing of ours but a session's token and
// the socket.
func commandEnv(environ []string, a api.SessionAnswer) []string {
	env := without(environ, func(name string) bool { return strings.HasPrefix(name, "VIBESPACE_") })
	for _, name := range []string{"VIBESPACE_SESSION_TOKEN", "VIBESPACE_SOCKET"} {
		env = append(env, name+"="+a.Env[name])
	}
	return env
}

// without is an environment less the variables that are named.
func without(environ []string, named func(string) bool) []string {
	kept := []string{}
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if ok && !named(name) {
			kept = append(kept, kv)
		}
	}
	return kept
}
