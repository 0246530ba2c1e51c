// Bench measures VibeSpace against its peers on this machine and prints one
// JSON object a line, nothing else, on standard output. Both sides take turns on
// the same windows in the same run, so that a ratio holds where a time does not.
//
// It drives the real programs of -bin through internal/client, in temporary
// directories of its own, and imports nothing else of ours: what it measures is
// what somebody else's program would get.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// options are the command line.
type options struct {
	bin    string // directory of the programs
	report string // page to write, or ""
	rounds int
	only   *regexp.Regexp // names of benches to run
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run parses the arguments and measures.
func run(args []string, out, words io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(words)
	var o options
	flags.StringVar(&o.bin, "bin", "bin", "directory of the programs")
	flags.StringVar(&o.report, "report", "", "page to write from the results")
	flags.IntVar(&o.rounds, "n", 11, "how often each side is measured")
	only := flags.String("only", "", "measure only what this expression matches (open, snapshot, screenshot, click, type, takeover, adopt, stream, app, page, idle)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.rounds < 1 {
		return fmt.Errorf("-n is %d; it is 1 or more", o.rounds)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measure(ctx, o, out, words)
}

// suite is a family of benches that share their windows.
type suite struct {
	name string
	run  func(context.Context, *rig) error
}

// suites are all of them, in the order they run: the empty daemon first.
var suites = []suite{
	{"idle", idleFresh},
	{"open", open},
	{"snapshot", snapshots},
	{"screenshot", screenshots},
	{"click", clicks},
	{"type", typing},
	{"text", texts},
	{"frozen", frozen},
	{"takeover", takeover},
	{"adopt", adopt},
	{"stream", stream},
	{"app", app},
	{"page", pages},
	{"idle", idleAfter},
}

// measure runs the suites and writes the report.
func measure(ctx context.Context, o options, out, words io.Writer) error {
	r, err := newRig(ctx, o, out, words)
	if err != nil {
		return err
	}
	defer r.end()
	failed := 0
	for _, s := range suites {
		if !o.only.MatchString(s.name) {
			continue
		}
		fmt.Fprintln(words, "bench:", s.name)
		if err := s.run(ctx, r); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed++
			fmt.Fprintf(words, "bench: %s: %v\n", s.name, err)
		}
	}
	if o.report != "" {
		if err := writeReport(o.report, r.results); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d suites could not be measured", failed)
	}
	return nil
}

// tell prints a result and keeps it for the report.
func (r *rig) tell(result Result) error {
	r.results = append(r.results, result)
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.out, "%s\n", line)
	return err
}
