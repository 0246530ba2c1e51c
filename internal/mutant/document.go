package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// preface is what the rows cannot say.
const preface = `# What goes wrong in this field, and what is done here

Written from internal/mutant by ` + "`make docs`" + `; do not edit.

Each row is a kind of fault that programs of this sort had, what is done here
instead, and the tests that fail when that is taken out of the product. ` + "`make mutants`" + `
takes every mend out, one at a time, and runs its test; ` + "`go run ./internal/mutant -only C05`" + `
does it for one. A test of ` + "`make test`" + ` sees to it that each mend and each test is where
the table says.

| case | what goes wrong | what is done | fails without it |
|---|---|---|---|
`

// asking heads the second table.
const asking = `
## Where it is asked again

A share, a lease and a window can end at any instant. Whatever waits asks again
whether it may, and so does everything right before it acts or hands something
over. Each of these questions can be taken out alone, and then a test that lets
the window be taken away right before it fails.

| place | what would happen | asked | fails without it |
|---|---|---|---|
`

// numbered are the rows that are cases; the others are places.
var numbered = regexp.MustCompile(`^C\d\d$`)

// document renders the page.
func document(all []fault) []byte {
	cases := slices.DeleteFunc(slices.Clone(all), func(f fault) bool { return !numbered.MatchString(f.ID) })
	slices.SortFunc(cases, func(a, b fault) int { return strings.Compare(a.ID, b.ID) })
	b := bytes.NewBufferString(preface)
	for _, f := range cases {
		line(b, f)
	}
	b.WriteString(asking)
	for _, f := range all {
		if !numbered.MatchString(f.ID) {
			line(b, f)
		}
	}
	return b.Bytes()
}

// line renders a row.
func line(b *bytes.Buffer, f fault) {
	seen := map[string]bool{}
	var by []string
	for _, m := range f.Mend {
		name := fmt.Sprintf("`%s` in %s", m.Run, strings.TrimPrefix(m.Package, "./"))
		if !seen[name] {
			seen[name] = true
			by = append(by, name)
		}
	}
	if f.None != "" {
		by = append(by, f.None)
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", f.ID, cell(f.Goes), cell(f.Right), cell(strings.Join(by, "; ")))
}

// cell makes text fit a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
}
