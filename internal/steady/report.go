package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action      string
	Package     string
	Test        string
	Output      string
	FailedBuild string
}

// test is one test of a package, not a part of one.
type test struct{ pkg, name string }

// pack is what is known of a package.
type pack struct {
	words   []string            // what no test said
	tests   map[string][]string // what each said until its end
	failed  []string            // its tests that failed
	over    bool
	unbuilt bool
	// grave is what is never chance, "" for nothing.
	grave string
}

// report is what came of a run.
type report struct {
	out   io.Writer
	packs map[string]*pack
	order []string
}

func newReport(out io.Writer) *report {
	return &report{out: out, packs: map[string]*pack{}}
}

// grave are the signs of what is no chance, whoever says them.
var grave = []struct {
	sign *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`^WARNING: DATA RACE`), "a data race"},
	{regexp.MustCompile(`race detected during execution of test`), "a data race"},
	{regexp.MustCompile(`^panic: test timed out`), "a test took too long"},
	{regexp.MustCompile(`^(panic|fatal error): `), "a panic"},
	{regexp.MustCompile(`need: left behind:`), "something was left behind"},
}

// read takes the events until they end.
func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.take(e)
			} else {
				fmt.Fprint(r.out, string(line))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// pack is what is known of a package, nothing at first.
func (r *report) pack(path string) *pack {
	p := r.packs[path]
	if p == nil {
		p = &pack{tests: map[string][]string{}}
		r.packs[path] = p
		r.order = append(r.order, path)
	}
	return p
}

// take takes one event.
func (r *report) take(e event) {
	if strings.HasPrefix(e.Action, "build-") {
		fmt.Fprint(r.out, e.Output)
		return
	}
	p := r.pack(e.Package)
	name, part, _ := strings.Cut(e.Test, "/")
	switch e.Action {
	case "output":
		p.say(name, e.Output)
	case "fail":
		switch {
		case e.Test == "":
			p.over, p.unbuilt = true, e.FailedBuild != ""
			p.print(r.out)
		case part == "":
			p.failed = append(p.failed, name)
		}
	case "pass", "skip":
		switch {
		case e.Test == "":
			p.over = true
			r.verdict(p)
		case part == "" && p.grave == "":
			delete(p.tests, name) // nobody asks what it said
		}
	}
}

// say takes a line that a test printed, or the package without one.
func (p *pack) say(name, line string) {
	for _, g := range grave {
		if p.grave == "" && g.sign.MatchString(line) {
			p.grave = g.what
		}
	}
	if name == "" {
		p.words = append(p.words, line)
		return
	}
	p.tests[name] = append(p.tests[name], line)
}

// print gives what a package said that failed: its failed tests, those that did
// not come to an end, and itself.
func (p *pack) print(out io.Writer) {
	names := make([]string, 0, len(p.tests))
	for name := range p.tests {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, line := range p.tests[name] {
			if !noise.MatchString(line) {
				fmt.Fprint(out, line)
			}
		}
	}
	for _, line := range p.words {
		fmt.Fprint(out, line)
	}
}

// noise is how a test says that it begins, goes on and waits.
var noise = regexp.MustCompile(`^\s*(=== (RUN|PAUSE|CONT|NAME)|--- PASS|--- SKIP)\b`)

// verdict prints the line of a package that passed.
func (r *report) verdict(p *pack) {
	for _, line := range p.words {
		if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") {
			fmt.Fprint(r.out, line)
		}
	}
}

// own is what the go command itself says of a package that failed.
var own = regexp.MustCompile(`^(FAIL|PASS|exit status 1|FAIL\t.*|coverage: .*)?\n?$`)

// again gives the tests to run again, or why none is.
func (r *report) again() ([]test, string) {
	var list []test
	for _, path := range r.order {
		p := r.packs[path]
		switch {
		case !p.over:
			return nil, path + " did not come to an end"
		case p.unbuilt:
			return nil, path + " does not build"
		case p.grave != "":
			return nil, fmt.Sprintf("%s: %s", path, p.grave)
		case !slices.ContainsFunc(p.words, func(s string) bool { return strings.HasPrefix(s, "FAIL") }):
			continue
		case len(p.failed) == 0:
			return nil, path + " failed without a test"
		}
		for _, s := range p.words {
			if !own.MatchString(s) {
				return nil, fmt.Sprintf("%s says more than that a test failed: %s", path, strings.TrimSpace(s))
			}
		}
		for _, name := range p.failed {
			list = append(list, test{path, name})
		}
	}
	switch {
	case len(list) == 0:
		return nil, "no test failed"
	case len(list) > most:
		return nil, fmt.Sprintf("%d tests failed", len(list))
	}
	return list, ""
}
