package archtest

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The hard stops; what is aimed at is well below (CONTRIBUTING.md).
const (
	maxFileLines     = 700
	maxFunctionLines = 90
)

// longFunctions are functions over the limit, with the reason.
var longFunctions = map[string]string{}

// longFiles are files over the limit, with the reason.
var longFiles = map[string]string{}

// skips are tests that may skip by themselves, with the reason.
var skips = map[string]string{
	"internal/store/disk_test.go": "mounting a small disk wants a privilege, which no package brings",
}

// namelessFiles are file names that say nothing about what is inside.
var namelessFiles = []string{"utils.go", "util.go", "types.go", "helpers.go", "common.go", "misc.go"}

// source is one file of the repository.
type source struct {
	path string // below the repository
	text []byte
}

// sources reads every text file of the repository.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // what a program of another package's tests wrote there and took away
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root(t), path)
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist"}, rel) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if utf8.Valid(text) && !bytes.ContainsRune(text, 0) {
			list = append(list, source{rel, text})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// goFiles parses every Go file that people write.
func goFiles(t *testing.T, each func(s source, file *ast.File, set *token.FileSet)) {
	t.Helper()
	for _, s := range sources(t) {
		if filepath.Ext(s.path) != ".go" || strings.Contains(s.path, "testdata/") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, s.path, s.text, parser.ParseComments)
		if err != nil {
			t.Errorf("parse: %v", err)
			continue
		}
		if !ast.IsGenerated(file) {
			each(s, file, set)
		}
	}
}

func TestSizes(t *testing.T) {
	goFiles(t, func(s source, file *ast.File, set *token.FileSet) {
		if n := bytes.Count(s.text, []byte("\n")); n > maxFileLines && longFiles[s.path] == "" {
			t.Errorf("%s has %d lines; a file may have %d", s.path, n, maxFileLines)
		}
		if slices.Contains(namelessFiles, filepath.Base(s.path)) {
			t.Errorf("%s: name the file after the noun or the verbs in it", s.path)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := lines(set, f) - tableLines(set, f)
			if n > maxFunctionLines && longFunctions[s.path+" "+f.Name.Name] == "" {
				t.Errorf("%s: %s has %d lines; a function may have %d", set.Position(f.Pos()), f.Name.Name, n, maxFunctionLines)
			}
		}
	})
}

// lines is how many lines a piece of source takes.
func lines(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}

// tableLines is the length of the longest table in a function: rows of a route
// or flag table, or of a test's cases, are read as data.
func tableLines(set *token.FileSet, f *ast.FuncDecl) int {
	longest := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if table, ok := n.(*ast.CompositeLit); ok {
			longest = max(longest, lines(set, table)-1)
			return false
		}
		return true
	})
	return longest
}

func TestExportedIsDocumented(t *testing.T) {
	goFiles(t, func(s source, file *ast.File, set *token.FileSet) {
		if strings.HasSuffix(s.path, "_test.go") || file.Name.Name == "main" {
			return
		}
		bare := func(n ast.Node, name string) {
			t.Errorf("%s: %s is exported and says nothing about itself", set.Position(n.Pos()), name)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					bare(d, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name := bareSpec(d, spec); name != "" {
						bare(spec, name)
					}
				}
			}
		}
	})
}

// exportedReceiver is false for a method of a type nobody outside can name.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	name, ok := kind.(*ast.Ident)
	return !ok || name.IsExported()
}

// bareSpec gives the name of an exported type or value without a comment. The
// comment of a group speaks for its members.
func bareSpec(d *ast.GenDecl, spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Doc == nil && d.Doc == nil && spec.Comment == nil {
			return spec.Name.Name
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && spec.Doc == nil && d.Doc == nil && spec.Comment == nil {
				return name.Name
			}
		}
	}
	return ""
}

func TestSkipsHaveAName(t *testing.T) {
	goFiles(t, func(s source, file *ast.File, set *token.FileSet) {
		if within(s.path, "internal/need") || skips[s.path] != "" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, f.Sel.Name) {
				return true
			}
			if on, ok := f.X.(*ast.Ident); ok && slices.Contains([]string{"t", "tb", "b", "f"}, on.Name) {
				t.Errorf("%s: ask for what is missing through internal/need, so that CI fails without it", set.Position(n.Pos()))
			}
			return true
		})
	})
}

// unfinished are words that promise work instead of doing it. The patterns are
// written so that they do not find themselves.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b|panic\("not ` + `implemented|un` + `implemented\b`)

// scratch are the directories of throw-away checkouts: a mention of /tmp says
// nothing about this machine.
var scratch = []string{"/", "/tmp", "/var/tmp"}

func TestNothingOfThisMachine(t *testing.T) {
	// Where this checkout lies, the directory around it, and who builds it.
	here := root(t)
	own := []string{here}
	if around := filepath.Dir(here); !slices.Contains(scratch, around) {
		own = append(own, around)
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		own = append(own, home)
	}
	for _, s := range sources(t) {
		for i, line := range strings.Split(string(s.text), "\n") {
			if word := unfinished.FindString(line); word != "" {
				t.Errorf("%s:%d: unfinished: %q", s.path, i+1, word)
			}
			for _, place := range own {
				if strings.Contains(line, place+"/") {
					t.Errorf("%s:%d: names a place of this machine", s.path, i+1)
				}
			}
		}
	}
}
