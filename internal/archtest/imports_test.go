package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rowOf finds the row of a package: the longest that covers it.
func rowOf(rel string) (row, bool) {
	var best row
	for _, r := range table {
		if within(rel, r.pkg) && len(r.pkg) > len(best.pkg) {
			best = r
		}
	}
	return best, best.pkg != ""
}

// anyWithin reports whether path is one of roots or below one.
func anyWithin(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return within(path, r) })
}

func TestImports(t *testing.T) {
	all := packages(t)
	for _, p := range own(t) {
		rule, ok := rowOf(p.rel())
		if p.Error != nil {
			t.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if !ok {
			t.Errorf("%s has no row in the import table: say what it may import, and why no more", p.rel())
			continue
		}
		for _, path := range p.Imports {
			imported, known := all[path]
			switch {
			case path == "C":
				continue // TestCgo
			case known && imported.Standard:
				continue
			case within(path, module):
				rel := strings.TrimPrefix(path, module+"/")
				// A package and what lies below it are one family.
				if !slices.Contains(rule.ours, rel) && !within(rel, rule.pkg) {
					t.Errorf("%s imports %s: %s", p.rel(), rel, rule.why)
				}
			case !anyWithin(path, rule.outside):
				t.Errorf("%s imports %s: %s", p.rel(), path, rule.why)
			}
		}
	}
}

func TestOnlyTestsImportTestPackages(t *testing.T) {
	for _, p := range own(t) {
		if anyWithin(p.rel(), testOnly) {
			continue
		}
		for _, path := range p.Imports {
			// Imports, not links: the X library itself carries testing.
			if within(path, "testing") || path == "net/http/httptest" {
				t.Errorf("%s imports %s: a product that carries testing carries its flags and its panics", p.rel(), path)
			}
			if rel := strings.TrimPrefix(path, module+"/"); rel != path && anyWithin(rel, testOnly) {
				t.Errorf("%s imports %s outside its tests", p.rel(), rel)
			}
		}
	}
}

// ownLeakCheck are packages whose tests look for leftovers by themselves, with
// the reason.
var ownLeakCheck = map[string]string{
	"internal/proc": "it tests what need's own look at processes would have to rely on",
	"internal/need": "it is the check",
}

// TestLeftoversAreLookedFor: tests that ask for programs, run fixtures or
// whole daemons start processes, and their package proves that none is left.
func TestLeftoversAreLookedFor(t *testing.T) {
	starters := []string{module + "/internal/need", module + "/fixtures", module + "/internal/daemon/daemontest", "os/exec"}
	for _, p := range own(t) {
		starts := slices.ContainsFunc(append(p.TestImports, p.XTestImports...), func(i string) bool { return slices.Contains(starters, i) })
		if !starts || ownLeakCheck[p.rel()] != "" || anyWithin(p.rel(), []string{"internal/archtest"}) {
			continue
		}
		tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		called := slices.ContainsFunc(tests, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && (strings.Contains(string(text), "need.Main(m)") || strings.Contains(string(text), "need.MainWith(m,"))
		})
		if !called {
			t.Errorf("the tests of %s start processes and have no TestMain that calls need.Main", p.rel())
		}
	}
}

func TestLinks(t *testing.T) {
	for _, rule := range linked {
		for _, p := range own(t) {
			if anyWithin(p.rel(), rule.by) {
				continue
			}
			for _, dep := range p.Deps {
				if within(dep, rule.linked) {
					t.Errorf("%s links %s: %s", p.rel(), dep, rule.why)
				}
			}
		}
	}
}

func TestCgo(t *testing.T) {
	all := packages(t)
	for _, p := range own(t) {
		if anyWithin(p.rel(), cgo) {
			continue
		}
		for _, path := range append([]string{p.ImportPath}, p.Deps...) {
			// The standard library's own have a Go half for CGO_ENABLED=0.
			if dep := all[path]; !dep.Standard && len(dep.CgoFiles) > 0 {
				t.Errorf("%s needs cgo through %s %v", p.rel(), path, dep.CgoFiles)
			}
		}
	}
}

func TestTableIsLive(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table {
		if seen[r.pkg] {
			t.Errorf("two rows for %s", r.pkg)
		}
		seen[r.pkg] = true
		if r.why == "" {
			t.Errorf("the row of %s has no reason", r.pkg)
		}
	}
	// A row's every permission that nobody uses is a door left open.
	all := packages(t)
	for _, r := range table {
		var used []string
		exists := false
		for _, p := range all {
			if mine, ok := rowOf(p.rel()); p.ours() && ok && mine.pkg == r.pkg {
				exists = true
				used = append(used, p.Imports...)
			}
		}
		if !exists {
			continue // not built yet
		}
		for _, path := range r.outside {
			if !slices.ContainsFunc(used, func(u string) bool { return within(u, path) }) {
				t.Logf("%s may import %s and does not", r.pkg, path)
			}
		}
	}
}
