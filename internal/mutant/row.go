package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// written are the tables.
//
//go:embed *.toml
var written embed.FS

// table is what is known to go wrong.
type table struct {
	Fault []fault `toml:"fault"`
}

// fault is a way to go wrong that was seen in the field, or a place where the
// product must ask again before it goes on.
type fault struct {
	// ID names it: a case by its number, another row by what it is about.
	ID string `toml:"id"`
	// Goes is what goes wrong, Right what is done here; a sentence each.
	Goes  string `toml:"goes"`
	Right string `toml:"right"`
	// None says why there is no mend to take out; empty when there is one.
	None string `toml:"none"`
	Mend []mend `toml:"mend"`
}

// mend is a piece of the product, and the test that fails without it.
type mend struct {
	// What says what it is.
	What string `toml:"what"`
	// File holds Text exactly once, and compiles with Without in its place.
	File    string `toml:"file"`
	Text    string `toml:"text"`
	Without string `toml:"without"`
	// Package and Run are the test's, as the go command takes them: the names of
	// one test and, after slashes, of its parts.
	Package string `toml:"package"`
	Run     string `toml:"run"`
}

// faults reads the tables, in order of name.
func faults() ([]fault, error) {
	names, err := fs.Glob(written, "*.toml")
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, name := range names {
		text, err := written.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var t table
		if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&t); err != nil {
			var strict *toml.StrictMissingError
			if errors.As(err, &strict) {
				return nil, fmt.Errorf("%s: %s", name, strict.String())
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t.Fault...)
	}
	return all, nil
}

// without gives a mend's file with the mend taken out.
func (m mend) without(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(m.Text)); n != 1 || m.Text == "" {
		return nil, fmt.Errorf("%s holds the mend %d times, not once", m.File, n)
	}
	return bytes.Replace(text, []byte(m.Text), []byte(m.Without), 1), nil
}

// test is the function that a mend's pattern begins with.
func (m mend) test() string {
	name, _, _ := strings.Cut(m.Run, "/")
	return strings.Trim(name, "^$")
}

// pattern matches the test of a mend alone, and not those whose names begin so.
func (m mend) pattern() string {
	parts := strings.Split(m.Run, "/")
	for i, part := range parts {
		parts[i] = "^" + strings.Trim(part, "^$") + "$"
	}
	return strings.Join(parts, "/")
}

// tests lists the test functions of a package.
func tests(root, pkg string) (map[string]bool, error) {
	paths, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = true
			}
		}
	}
	return found, nil
}
