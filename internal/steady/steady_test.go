package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// TestSuite runs the real go command over a module of one package, whose tests
// fail as the case has it.
func TestSuite(t *testing.T) {
	t.Parallel()
	// once does something in the first run of the test alone.
	once := func(what string) string {
		return `if _, err := os.Stat("seen"); err != nil { os.WriteFile("seen", nil, 0o600); ` + what + ` }`
	}
	late := once(`t.Error("late")`)
	for name, c := range map[string]struct {
		body string // of TestCase
		main string // of TestMain, "" for none
		err  string // in the error, "" for none
		says string
	}{
		"passes":     {body: ``, says: "ok  \tcase\t"},
		"chance":     {body: late, says: "NOT STEADY: TestCase of case failed once"},
		"fault":      {body: `t.Error("wrong")`, err: "TestCase of case failed again", says: "wrong"},
		"panic":      {body: once(`panic("lost")`), err: "a panic", says: "lost"},
		"left":       {body: late, main: `c := m.Run(); fmt.Fprintln(os.Stderr, "need: left behind: a process"); os.Exit(c)`, err: "something was left behind"},
		"left alone": {body: ``, main: `m.Run(); os.Exit(1)`, err: "failed without a test"},
		"says more":  {body: late, main: `c := m.Run(); fmt.Fprintln(os.Stderr, "a socket stands"); os.Exit(c)`, err: "a socket stands"},
		"not built":  {body: `nothing()`, err: "does not build", says: "undefined: nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := need.Dir(t)
			if c.main != "" {
				c.main = "func TestMain(m *testing.M) { " + c.main + " }"
			}
			for file, text := range map[string]string{
				"go.mod":       "module case\n\ngo 1.26\n",
				"case_test.go": "package c\n\nimport (\"fmt\"; \"os\"; \"testing\")\n\nvar _, _ = fmt.Sprint, os.Exit\n\nfunc TestCase(t *testing.T) { " + c.body + " }\nfunc TestOther(t *testing.T) {}\n" + c.main,
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			s := &suite{dir: dir, flags: []string{"-vet=off", "-timeout=2m"}, out: &out, errs: &errs}
			err := s.run(t.Context(), []string{"."})
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q\n%s%s", err, c.err, &out, &errs)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("it does not say %q:\n%s", c.says, &out)
			}
		})
	}
}

// TestAgain: what is run again and what is not.
func TestAgain(t *testing.T) {
	t.Parallel()
	const end = `{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t1.0s\n"}
{"Action":"fail","Package":"p"}
`
	fail := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, `{"Action":"output","Package":"p","Test":%q,"Output":"    wrong\n"}`+"\n"+`{"Action":"fail","Package":"p","Test":%[1]q}`+"\n", n)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		said, why string
		tests     int
	}{
		"one":         {said: fail("TestA/part", "TestA") + end, tests: 1},
		"three":       {said: fail("TestA", "TestB", "TestC") + end, tests: 3},
		"four":        {said: fail("TestA", "TestB", "TestC", "TestD") + end, why: "4 tests failed"},
		"none":        {said: end, why: "failed without a test"},
		"cut":         {said: fail("TestA"), why: "did not come to an end"},
		"race":        {said: `{"Action":"output","Package":"p","Test":"TestA","Output":"WARNING: DATA RACE\n"}` + "\n" + fail("TestA") + end, why: "a data race"},
		"race, quiet": {said: `{"Action":"output","Package":"p","Test":"TestA","Output":"    testing.go:1: race detected during execution of test\n"}` + "\n" + fail("TestA") + end, why: "a data race"},
		"race of one that passed": {said: `{"Action":"output","Package":"p","Test":"TestB","Output":"WARNING: DATA RACE\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
` + fail("TestA") + end, why: "a data race"},
		"too long": {said: `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 25m0s\n"}` + "\n" + fail("TestA") + end, why: "took too long"},
		"unbuilt":  {said: `{"Action":"fail","Package":"p","FailedBuild":"p.test"}`, why: "does not build"},
		"status":   {said: fail("TestA") + `{"Action":"output","Package":"p","Output":"exit status 2\n"}` + "\n" + end, why: "exit status 2"},
		"passed":   {said: `{"Action":"pass","Package":"p"}`, why: "no test failed"},
	} {
		var out bytes.Buffer
		r := newReport(&out)
		if err := r.read(strings.NewReader(c.said)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		list, why := r.again()
		if len(list) != c.tests || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %v, %q, want %d, %q", name, list, why, c.tests, c.why)
		}
	}
}
