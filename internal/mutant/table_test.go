package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

const root = "../.."

// rows are the tables.
func rows(t *testing.T) []fault {
	t.Helper()
	all, err := faults()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMendsAreWhereTheTableSays: a mend that was moved or changed, a test that
// was named anew, would leave a row that proves nothing.
func TestMendsAreWhereTheTableSays(t *testing.T) {
	known := map[string]map[string]bool{}
	for _, f := range rows(t) {
		for _, m := range f.Mend {
			if text, err := m.without(root); err != nil {
				t.Errorf("%s, %s: %v", f.ID, m.What, err)
			} else if m.Text == m.Without || bytes.Contains(text, []byte(m.Text)) && !strings.Contains(m.Without, m.Text) {
				t.Errorf("%s, %s: nothing is taken out", f.ID, m.What)
			}
			if known[m.Package] == nil {
				var err error
				if known[m.Package], err = tests(root, m.Package); err != nil {
					t.Fatal(err)
				}
			}
			if !known[m.Package][m.test()] {
				t.Errorf("%s, %s: %s has no test %s", f.ID, m.What, m.Package, m.test())
			}
		}
	}
}

// TestEveryCaseHasARow: a row has mends, or says why there is none, and no case
// is left out.
func TestEveryCaseHasARow(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range rows(t) {
		if seen[f.ID] {
			t.Errorf("two rows for %s", f.ID)
		}
		seen[f.ID] = true
		if f.Goes == "" || f.Right == "" {
			t.Errorf("%s does not say what goes wrong and what is done", f.ID)
		}
		if len(f.Mend) == 0 && f.None == "" {
			t.Errorf("%s has no mend and no reason for it", f.ID)
		}
		for _, m := range f.Mend {
			if m.What == "" || m.Run == "" || !strings.HasPrefix(m.Package, "./") {
				t.Errorf("%s: a mend says what it is, and where its test is: %+v", f.ID, m)
			}
		}
	}
	for n := 1; n <= 46; n++ {
		if id := fmt.Sprintf("C%02d", n); !seen[id] {
			t.Errorf("no row for %s", id)
		}
	}
}

// TestPageIsCurrent: docs/cases.md is what the table says.
func TestPageIsCurrent(t *testing.T) {
	got, err := os.ReadFile(root + "/docs/cases.md")
	if err != nil || !bytes.Equal(got, document(rows(t))) {
		t.Errorf("docs/cases.md is not what the table says (%v): run make docs", err)
	}
}
