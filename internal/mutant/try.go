package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The verdicts.
const (
	noticed  = "noticed"  // the test failed without the mend
	survived = "SURVIVED" // it passed without the mend
	broken   = "BROKEN"   // the row or the test says nothing: it must be mended itself
)

// verdict is what came of a row.
type verdict struct {
	is  string
	why string // the line by which the test failed, or what is wrong with the row
}

// trial takes mends out and looks.
type trial struct {
	root  string
	bound time.Duration // of one run of a test
	trust bool          // the tests pass with every mend in place
	say   func(format string, args ...any)
	// chosen are the mends that are tried; green is how their tests fail with all
	// of them in place, "" for one that passes; apart are the packages whose tests
	// do not all pass.
	chosen []mend
	green  map[string]string
	apart  map[string]bool
}

// try takes one mend out.
func (t *trial) try(ctx context.Context, m mend) verdict {
	text, err := m.without(t.root)
	if err != nil {
		return verdict{broken, err.Error()}
	}
	if !t.trust {
		if why := t.passes(ctx, m); why != "" {
			return verdict{broken, "it fails with the mend as well: " + why}
		}
	}
	dir, err := os.MkdirTemp("", "mutant.")
	if err != nil {
		return verdict{broken, err.Error()}
	}
	defer os.RemoveAll(dir)
	flags, err := overlay(dir, filepath.Join(t.root, m.File), text)
	if err != nil {
		return verdict{broken, err.Error()}
	}
	if dir := "./" + filepath.Dir(m.File); dir != m.Package {
		// A test that builds programs would fail where one does not compile.
		if out, err := t.command(ctx, flags, "build", "-o", os.DevNull, dir); err != nil {
			return verdict{broken, "does not compile without the mend: " + first(out)}
		}
	}
	out, err := t.run(ctx, flags, m.Package, m.pattern(), 1)
	switch {
	case ctx.Err() != nil:
		return verdict{broken, ctx.Err().Error()}
	case err == nil:
		return verdict{survived, "the test passes without it"}
	case !failed.Match(out):
		return verdict{broken, "neither failed nor passed: " + first(out)}
	}
	return verdict{noticed, reason(out)}
}

// passes says how a mend's test fails with everything in its place, "" when it
// passes. All tests of a package are run together at first, since each run takes
// a build; only where one of them fails they are run apart.
func (t *trial) passes(ctx context.Context, m mend) string {
	if why, ran := t.green[key(m)]; ran {
		return why
	}
	var patterns []string
	for _, other := range t.chosen {
		if other.Package == m.Package {
			patterns = append(patterns, other.pattern())
		}
	}
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	if len(patterns) > 1 && !t.apart[m.Package] {
		if _, err := t.run(ctx, "", m.Package, strings.Join(patterns, "|"), len(patterns)); err == nil {
			for _, other := range t.chosen {
				if other.Package == m.Package {
					t.green[key(other)] = ""
				}
			}
			return ""
		}
		t.apart[m.Package] = true
	}
	t.alone(ctx, m)
	return t.green[key(m)]
}

// alone runs the test of one mend with everything in its place.
func (t *trial) alone(ctx context.Context, m mend) {
	out, err := t.run(ctx, "", m.Package, m.pattern(), 1)
	switch {
	case err != nil:
		t.green[key(m)] = reason(out)
	case bytes.Contains(out, []byte("[no tests to run]")):
		t.green[key(m)] = "there is no such test"
	case bytes.Contains(out, []byte("--- SKIP")):
		t.green[key(m)] = "it is skipped here: " + reason(out)
	default:
		t.green[key(m)] = ""
	}
}

// key names a mend's test.
func key(m mend) string { return m.Package + " " + m.Run }

// run runs tests of a package, each within the bound.
func (t *trial) run(ctx context.Context, flags, pkg, pattern string, tests int) ([]byte, error) {
	bound := time.Duration(tests) * t.bound
	return t.command(ctx, flags, "test", "-count=1", "-v", "-timeout", bound.String(), "-run", pattern, pkg)
}

// killAfter is how long a go command that was told to end may take.
const killAfter = 20 * time.Second

// command runs the go command in the checkout. What it starts ends with it.
func (t *trial) command(ctx context.Context, flags string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = t.root
	cmd.Env = append(os.Environ(), "VIBESPACE_REQUIRE=1")
	if flags != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" "+flags))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = killAfter
	out, err := cmd.CombinedOutput()
	t.say("go %s: %v\n%s", strings.Join(args, " "), err, out)
	return out, err
}

// overlay gives the go command's flag by which a file is read as another text.
func overlay(dir, path string, text []byte) (string, error) {
	with := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(with, text, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: with}})
	if err != nil {
		return "", err
	}
	at := filepath.Join(dir, "overlay.json")
	if strings.ContainsAny(at, " '\"") {
		return "", fmt.Errorf("the temporary directory %s cannot stand in GOFLAGS", dir)
	}
	return "-overlay=" + at, os.WriteFile(at, list, 0o600)
}

var (
	// failed is how a test says that it failed, its bound included.
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: |^panic: test timed out|^need: left behind: `)
	// said is a line of a test that names the place it failed at.
	said = regexp.MustCompile(`(?m)^\s+\w+_test\.go:\d+: (.*)$`)
	// died is how a program ends by itself.
	died = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|need: left behind: .*)$`)
)

// maxReason bounds the reason in the table.
const maxReason = 140

// reason finds the line that says why a test failed: the last before the first
// of its failures, since a test logs what leads to it.
func reason(out []byte) string {
	why := ""
	if end := regexp.MustCompile(`(?m)^\s*--- (FAIL|SKIP): `).FindIndex(out); end != nil {
		// What a test says may come before or after its verdict.
		for _, part := range [][]byte{out[end[0]:], out[:end[0]]} {
			if all := said.FindAllSubmatch(part, -1); len(all) > 0 && why == "" {
				why = string(all[len(all)-1][0])
			}
		}
	}
	if end := died.Find(out); end != nil && (why == "" || !bytes.HasPrefix(end, []byte("need:"))) {
		why = string(end)
	}
	if why == "" {
		return first(out)
	}
	return cut(strings.Join(strings.Fields(why), " "))
}

// first is the first line that is not a heading of the go command's.
func first(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "=== ") {
			return cut(line)
		}
	}
	return "it said nothing"
}

// cut bounds a reason.
func cut(s string) string {
	if r := []rune(s); len(r) > maxReason {
		return string(r[:maxReason-1]) + "…"
	}
	return s
}
