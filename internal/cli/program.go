package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// Program is one run of a command line: what it was given and where it writes.
type Program struct {
	Name    string   // argv[0]'s base name, used before words on stderr
	Version string   // of this build
	Args    []string // without argv[0]
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Getwd   func() (string, error)
	// Environ is what a command that is run may get; nil is os.Environ.
	Environ func() []string
	// MCP speaks the Model Context Protocol for a client, until in ends or ctx
	// does; nil is a program that cannot.
	MCP func(ctx context.Context, c *client.Client, in io.ReadCloser, out io.WriteCloser) error
}

// FromOS is the program the operating system started.
func FromOS(name, version string) Program {
	return Program{
		Name: name, Version: version, Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Getwd: os.Getwd,
	}
}

// session is a program that runs: its flags and its clients.
type run struct {
	Program
	json    bool
	timeout timeoutFlag
	session string
	// attachment and tabNamed are what a browser's command is about.
	attachment, tabNamed string
	config               string
	onlyOne              bool // an answer was written: there is one object a run

	clients []*client.Client
}

// Main runs a command tree and gives its exit status.
func (p Program) main(build func(*run) *cobra.Command) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := &run{Program: p, json: asksJSON(p.Args)}
	defer r.close()
	root := build(r)
	r.shape(root)
	root.SetArgs(helpArg(p.Args))
	err := checkWords(p.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	return r.end(err)
}

// shape gives a command tree the manners that all ours share.
func (r *run) shape(root *cobra.Command) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "help [command]", Short: "this page, or a command's", Hidden: true, RunE: func(cmd *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return misuse(cmd, "there is no command "+api.Quote(strings.Join(args, " "), 80))
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}})
	root.SetIn(r.Stdin)
	root.SetOut(r.Stdout)
	root.SetErr(r.Stderr)
	root.SetFlagErrorFunc(flagFault)
	plainHelp := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !r.json {
			plainHelp(cmd, args)
			return
		}
		var b strings.Builder
		cmd.SetOut(&b)
		plainHelp(cmd, args)
		r.print(map[string]any{"ok": true, "help": b.String()})
	})
	f := root.PersistentFlags()
	f.BoolVar(&r.json, "json", r.json, "one JSON object on stdout")
	f.Var(&r.timeout, "timeout", "how long the verb may take: 500ms, 2s, or a number of milliseconds")
	f.Bool("help", false, "what this does and takes")
	if root.RunE == nil {
		root.RunE = func(cmd *cobra.Command, _ []string) error {
			if v, err := cmd.Flags().GetBool("version"); err == nil && v {
				return r.say(map[string]any{"ok": true, "version": r.Version}, r.Version+"\n")
			}
			return misuse(cmd, "a command is missing")
		}
	}
	root.Flags().Bool("version", false, "the version of this build")
}

// asksJSON says whether --json stands anywhere before "--". It is asked before
// the flags are parsed, because wrong usage is answered in JSON too.
func asksJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true", "--json=1":
			return true
		}
	}
	return false
}

// helpArg turns a -h that asks for help, before any argument of a verb, into
// --help. Anywhere else it is a text that begins with "-".
func helpArg(args []string) []string {
	for i, a := range args {
		if i > 1 || a == "--" {
			break
		}
		if a == "-h" {
			changed := append([]string(nil), args...)
			changed[i] = "--help"
			return changed
		}
	}
	return args
}

// checkWords refuses arguments that JSON cannot carry unchanged.
func checkWords(args []string) error {
	for _, a := range args {
		if !utf8.ValidString(a) {
			return &usage{message: "an argument is not UTF-8: " + api.Quote(a, 80)}
		}
	}
	return nil
}

// close lets go of the clients.
func (r *run) close() {
	for _, c := range r.clients {
		c.Close()
	}
}

// end tells a fault and gives the exit status.
func (r *run) end(err error) int {
	if err == nil {
		return api.ExitOK
	}
	var command *ranTo
	if errors.As(err, &command) {
		return command.status
	}
	var wrote *writeFault
	if errors.As(err, &wrote) {
		fmt.Fprintf(r.Stderr, "%s: the answer cannot be written: %v\n", r.Name, wrote.err)
		return api.ExitUnreachable
	}
	e := asRefusal(err)
	if r.json {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		if err := r.print(api.Refusal{Error: e}); err != nil {
			return api.ExitUnreachable
		}
	} else {
		fmt.Fprintf(r.Stderr, "%s: %s", r.Name, e.Text())
	}
	return api.FateOf(e.Code).Exit
}

// writeFault is an answer that could not be written, to a full disk say.
type writeFault struct{ err error }

func (f *writeFault) Error() string { return f.err.Error() }

// print writes the one JSON object of a run.
func (r *run) print(v any) error {
	if r.onlyOne {
		return nil
	}
	r.onlyOne = true
	enc := json.NewEncoder(r.Stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return &writeFault{err}
	}
	return nil
}

// say writes an answer, as JSON or in words.
func (r *run) say(v any, words string) error {
	if r.json {
		return r.print(v)
	}
	if _, err := io.WriteString(r.Stdout, words); err != nil {
		return &writeFault{err}
	}
	return nil
}

// answer writes what a verb of the daemon answered.
func answer[A any](r *run, verb string, a A, err error) error {
	if err != nil {
		return err
	}
	if r.json {
		return r.print(a)
	}
	return r.say(a, api.Text(verb, a))
}

// common is what every request carries.
func (r *run) common() api.Common { return api.Common{TimeoutMs: r.timeout.ms()} }

// dial makes the client of this run: the agent's, or the person's.
func (r *run) dial(change ...func(*client.Config)) (*client.Client, error) {
	paths, err := api.PathsFrom(r.Getenv, os.Getuid())
	if err != nil {
		return nil, &usage{message: err.Error()}
	}
	cfg := client.Config{
		Paths: paths, Session: api.SessionID(r.session), NoStart: noStart(r.Getenv("VIBESPACE_NO_START")),
		Version: r.Version, ConfigFile: r.config, Tokens: tokens(r.Getenv("VIBESPACE_SESSION_TOKEN")),
		OnOtherVersion: func(daemon string) {
			fmt.Fprintf(r.Stderr, "%s: the daemon is version %s and this is %s: vibespace down, then try again\n", r.Name, daemon, r.Version)
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	c := client.New(cfg)
	r.clients = append(r.clients, c)
	return c, nil
}

// onlyLook keeps a client from starting a daemon.
func onlyLook(c *client.Config) { c.NoStart = true }

// asOwner makes a client the person's.
func asOwner(c *client.Config) { c.Owner, c.Tokens, c.Session = true, nil, "" }

// noStart reads VIBESPACE_NO_START: anything but nothing and a plain no.
func noStart(v string) bool { return v != "" && v != "0" && v != "false" && v != "no" }

// tokens splits VIBESPACE_SESSION_TOKEN: a caller with several sessions of its
// own lists them, and --session picks one. What is set and holds no token is a
// wrong token, never the session default.
func tokens(v string) []string {
	if v == "" {
		return nil
	}
	list := strings.FieldsFunc(v, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\n' })
	if len(list) == 0 {
		return []string{"-"}
	}
	return list
}

// timeoutFlag is --timeout: a Go duration or a number of milliseconds.
type timeoutFlag struct{ d time.Duration }

// Set reads the flag.
func (t *timeoutFlag) Set(s string) error {
	d, err := parseDuration(s)
	if err != nil {
		return err
	}
	if d < time.Millisecond || d > api.MaxTimeout {
		return fmt.Errorf("it is 1ms to %v", api.MaxTimeout)
	}
	t.d = d
	return nil
}

// String shows the flag.
func (t *timeoutFlag) String() string {
	if t.d == 0 {
		return ""
	}
	return t.d.String()
}

// Type names the flag's values in help texts.
func (t *timeoutFlag) Type() string { return "duration" }

// ms is the timeout as a request carries it, rounded up.
func (t *timeoutFlag) ms() int { return int((t.d + time.Millisecond - 1) / time.Millisecond) }
