package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutant:", err)
		os.Exit(1)
	}
}

// run is the program.
func run(ctx context.Context) error {
	only := flag.String("only", "", "the rows whose name begins with one of these, comma between")
	list := flag.Bool("list", false, "print the rows and run nothing")
	page := flag.String("docs", "", "write this page and run nothing")
	bound := flag.Duration("bound", 4*time.Minute, "how long one run of a test may take")
	trust := flag.Bool("trust", false, "do not run the tests with every mend in place first: they have just passed")
	verbose := flag.Bool("v", false, "print what the go command says")
	flag.Parse()
	root, err := top()
	if err != nil {
		return err
	}
	all, err := faults()
	if err != nil {
		return err
	}
	switch {
	case *page != "":
		return os.WriteFile(*page, document(all), 0o644)
	case *list:
		return print(os.Stdout, chosen(all, *only))
	}
	t := &trial{root: root, bound: *bound, trust: *trust, green: map[string]string{}, apart: map[string]bool{}, say: func(string, ...any) {}}
	if *verbose {
		t.say = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format, args...) }
	}
	return t.all(ctx, os.Stdout, chosen(all, *only))
}

// top is the directory of the checkout.
func top() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out))), nil
}

// chosen are the rows whose names begin with one of the words.
func chosen(all []fault, only string) []fault {
	if only == "" {
		return all
	}
	words := strings.Split(only, ",")
	return slices.DeleteFunc(slices.Clone(all), func(f fault) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(f.ID, strings.TrimSpace(w)) })
	})
}

// print lists rows.
func print(w io.Writer, rows []fault) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range rows {
		for _, m := range f.Mend {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s %s\n", f.ID, m.What, m.File, m.Package, m.Run)
		}
		if f.None != "" {
			fmt.Fprintf(table, "%s\t%s\t\t\n", f.ID, f.None)
		}
	}
	return table.Flush()
}

// all tries every row and prints what came of it, a line each as it comes.
func (t *trial) all(ctx context.Context, w io.Writer, rows []fault) error {
	counts := map[string]int{}
	for _, f := range rows {
		t.chosen = append(t.chosen, f.Mend...)
	}
	for _, f := range rows {
		if f.None != "" {
			fmt.Fprintf(w, "%-8s  %s: %s\n", "none", f.ID, f.None)
		}
		for _, m := range f.Mend {
			began := time.Now()
			v := t.try(ctx, m)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			counts[v.is]++
			fmt.Fprintf(w, "%-8s  %s: %s (%s %s, %d s)\n          %s\n", v.is, f.ID, m.What, m.Package, m.Run, int(time.Since(began).Seconds()), v.why)
		}
	}
	fmt.Fprintf(w, "%d mends: %d noticed, %d survived, %d broken rows\n",
		counts[noticed]+counts[survived]+counts[broken], counts[noticed], counts[survived], counts[broken])
	if counts[survived]+counts[broken] > 0 {
		return errors.New("a mend can be taken out and nothing notices")
	}
	return nil
}
