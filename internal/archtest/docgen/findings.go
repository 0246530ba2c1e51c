package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// looked are the files that make doctor's findings, and who finds them.
var looked = []struct{ title, about, path string }{
	{"Without a daemon", "What the command sees by itself", "internal/cli/doctor.go"},
	{"From the daemon", "How its windows stand", "internal/daemon/doctor.go"},
	{"What could not be taken back", "Displays of a daemon that died, which the next one could not prove to be its own; nothing of them is touched", "internal/target/parked.go"},
}

// spelled is how a variable of the source is called on the page.
var spelled = map[string]string{
	"err": "‹why›", "uid": "‹uid›", "strconv.Itoa": "‹uid›", "path": "‹path›", "at": "‹directory›", "dir": "‹directory›", "w.Handle": "‹window›", "w.App": "‹application›",
	"p.What": "‹part›", "part.what": "‹part›", "p.Name": "‹program›", "part.name": "‹program›", "p.PID": "‹pid›", "d.name": "‹package›", "d.use": "‹what it is for›",
	"p.Socket": "‹socket›", "e.Code": "‹code›", "e.Message": "‹message›", "free": "‹n›", "other": "‹one›", "r.Version": "‹another›",
	"p.o.ID": "‹display›", "p.why": "‹why›", "p.name": "‹window›", "w.Ended.Why": "‹its last words›", "what": "",
}

// several are the findings that one function makes of several things.
var several = map[string]string{
	"lookDir":  "runtime directory, state directory",
	"lookFile": "owner credential, daemon's log, database, socket",
}

// more is what a finding's own words have no room for, by how it begins.
var more = map[string]string{
	"it died and left":      "The next command starts a daemon too, which takes the windows back that outlived the last one.",
	"uid ‹uid› has no":      "As root: `useradd`, or an entry in `/etc/passwd`, as images for containers make one.",
	"it listens and":        "`vibespace down` ends a daemon of another build or one that lost its credential. If not even that is answered, the daemon's log names the process to end.",
	"a daemon crashed at":   "Read the file first: it says where. Windows that were open are taken back by the next daemon.",
	"missing: ‹what it is":  "`make setup` installs all of them at once.",
	"‹n› MB are free below": "`vibespace audit` and the trace bound themselves; application homes kept with `--home` do not.",
	"‹application› ended":   "`vibespace audit --handle ‹window›` says what was done to it last.",
	"its ‹part›":            "What the window could do without that part it still does; a new one has all of them.",
	"display ‹display› of":  "It is parked and not ended because something on it may be yours. `vibespace down` does not end it.",
	"‹path› belongs":        "Two users who share one place would read each other's windows: each has a place of its own.",
}

// finding is a row of the page.
type finding struct{ what, why, mend string }

// findings renders what doctor may find, and what to do then.
func findings(root string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What to do when\n\nWritten from the source by `make docs`; do not edit.\n\n" +
		"`vibespace doctor` looks and changes nothing. Each fault comes with the command that mends it; these are all there are.\n" +
		"A refusal of any other command says the way out itself (its `hint`); the codes are in [api.md](api.md#codes).\n")
	for _, l := range looked {
		rows, err := rowsOf(filepath.Join(root, l.path))
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s makes no finding", l.path)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| about | it says | what mends it |\n|---|---|---|\n", l.title, l.about)
		for _, r := range rows {
			mend := r.mend
			if !strings.Contains(mend, "; ") { // else it is a sentence
				mend = "`" + mend + "`"
			}
			for begins, text := range more {
				if strings.HasPrefix(r.why, begins) {
					mend += "<br>" + text
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.what, r.why, mend)
		}
	}
	return b.Bytes(), nil
}

// rowsOf finds the faults that a file makes, in its order.
func rowsOf(path string) ([]finding, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var rows []finding
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		in := finder{f, map[string][]string{}}
		ast.Inspect(f, func(n ast.Node) bool {
			if row, ok := in.row(n); ok && !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
			return true
		})
	}
	return rows, nil
}

// finder is a function that makes findings, and what its variables were given.
type finder struct {
	*ast.FuncDecl
	given map[string][]string
}

// row reads a finding off a call of fault or wrong, or a literal with a mend.
func (s finder) row(n ast.Node) (finding, bool) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
			s.given[id.Name] = append(s.given[id.Name], s.text(n.Rhs[0]))
		}
	case *ast.CallExpr:
		switch name := named(n.Fun); {
		case name == "fault" && len(n.Args) > 2:
			what := s.text(n.Args[0])
			if what == "" {
				what = several[s.Name.Name]
			}
			return finding{what, s.filled(n.Args[2:]), s.mend(n.Args[1])}, true
		case name == "wrong" && len(n.Args) > 1:
			return finding{"‹window›", s.filled(n.Args[1:]), s.mend(n.Args[0])}, true
		}
	case *ast.CompositeLit:
		return s.literal(n)
	}
	return finding{}, false
}

// literal reads a finding that is written out, with a mend of its own.
func (s finder) literal(n *ast.CompositeLit) (finding, bool) {
	fields := map[string]ast.Expr{}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			fields[named(kv.Key)] = kv.Value
		}
	}
	if _, variable := fields["Mend"].(*ast.Ident); fields["Mend"] == nil || variable {
		return finding{}, false
	}
	return finding{s.text(fields["What"]), s.text(fields["Why"]), s.text(fields["Mend"])}, true
}

// mend is the text of a mend: what a variable may hold by then, where it is one.
func (s finder) mend(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return strings.Join(s.given[id.Name], "` or `")
	}
	return s.text(e)
}

// aVerb is a verb of a format.
var aVerb = regexp.MustCompile(`%[dsvq]`)

// filled is a format with the names of its arguments.
func (s finder) filled(args []ast.Expr) string {
	rest := args[1:]
	return aVerb.ReplaceAllStringFunc(s.text(args[0]), func(string) string {
		if len(rest) == 0 {
			return "…"
		}
		said := s.text(rest[0])
		rest = rest[1:]
		return said
	})
}

// text is an expression in words.
func (s finder) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if said, err := strconv.Unquote(e.Value); err == nil {
			return said
		}
		return e.Value
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return s.text(e.X) + s.text(e.Y)
		}
		return s.text(e.X)
	case *ast.Ident:
		if name, ok := spelled[e.Name]; ok {
			return name
		}
		return e.Name
	case *ast.SelectorExpr:
		name := named(e)
		if said, ok := spelled[name]; ok {
			return said
		}
		return name
	case *ast.CallExpr:
		return s.called(e)
	}
	return "…"
}

// called is a call in words: what a conversion or a formatting is of, else the
// name of what is asked.
func (s finder) called(e *ast.CallExpr) string {
	switch name := named(e.Fun); {
	case name == "fmt.Sprintf":
		return s.filled(e.Args)
	case (name == "string" || name == "api.Quote") && len(e.Args) > 0:
		return s.text(e.Args[0])
	case strings.HasPrefix(name, "info.ModTime"):
		return "‹time›"
	case strings.HasPrefix(name, "info.Mode"):
		return "‹mode›"
	default:
		if said, ok := spelled[name]; ok {
			return said
		}
		return name
	}
}

// named is a chain of names as it is written, calls in it left out.
func named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return named(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return named(e.Fun)
	}
	return ""
}
