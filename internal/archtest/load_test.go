package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is this module's path.
const module = "vibespace"

// pkg is what go list says about a package, as much as the tables need.
type pkg struct {
	ImportPath string
	Name       string
	Standard   bool
	GoFiles    []string
	CgoFiles   []string
	Imports    []string
	Dir        string

	TestImports  []string
	XTestImports []string
	Deps         []string
	Error        *struct{ Err string }
}

// ours reports whether the package is of this module.
func (p pkg) ours() bool { return within(p.ImportPath, module) }

// rel is the import path below the module: "internal/api".
func (p pkg) rel() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// within reports whether path is root or lies below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// root is the directory of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// load lists every package of the module and what they depend on, once a run.
var load = sync.OnceValues(func() (map[string]pkg, error) {
	// cgo on: with it off, files that want cgo are left out and could not be
	// found.
	// The tag, too: the desktop app is built with it alone.
	cmd := exec.Command("go", "list", "-e", "-deps", "-tags", "gles",
		"-json=ImportPath,Name,Dir,Standard,GoFiles,CgoFiles,Imports,TestImports,XTestImports,Deps,Error", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(stderr.String()))
	}
	packages := map[string]pkg{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, err
		}
		packages[p.ImportPath] = p
	}
})

// packages gives the packages of the module and all they depend on.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatalf("list the packages: %v", err)
	}
	return all
}

// own lists this module's packages in order.
func own(t *testing.T) []pkg {
	t.Helper()
	var list []pkg
	for _, p := range packages(t) {
		if p.ours() {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return list
}
