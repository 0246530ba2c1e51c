package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// verb is one route.
type verb struct {
	path    string // "open", "person/launch"
	doc     string
	request string // type names of internal/api
	answer  string
}

// field is one field of a wire type.
type field struct {
	name     string // in JSON; "" for an embedded type
	kind     string // as a reader of JSON names it
	optional bool
	doc      string
}

// structure is a wire type.
type structure struct {
	name   string
	doc    string
	fields []field
	refers []string // other wire types its fields use
}

// code is a refusal.
type code struct {
	name, doc  string
	http, exit string
}

// group is a run of codes under one comment.
type group struct {
	title string
	codes []code
}

// source is what was read.
type source struct {
	verbs   []verb
	types   map[string]structure
	strings map[string]string // named string types and what they are
	groups  []group
}

// parse reads the Go files of a directory, tests excepted, in order of name.
func parse(dir string) ([]*ast.File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	return files, nil
}

// read reads client and wire types.
func read(root string) (source, error) {
	client, err := parse(filepath.Join(root, "internal/client"))
	if err != nil {
		return source{}, err
	}
	api, err := parse(filepath.Join(root, "internal/api"))
	if err != nil {
		return source{}, err
	}
	s := source{verbs: readVerbs(client), types: map[string]structure{}, strings: map[string]string{}}
	readTypes(api, &s)
	s.groups, err = readCodes(api)
	if len(s.verbs) == 0 {
		err = errors.Join(err, errors.New("no verbs in internal/client"))
	}
	return s, err
}

// readVerbs finds the methods of Client that call a route: each holds a
// call[api.Answer](ctx, c, "route", …), or a stream[api.Line] of that, and says
// in its comment what it does.
func readVerbs(files []*ast.File) []verb {
	var verbs []verb
	eachFunc(files, func(f *ast.FuncDecl) {
		if f.Recv == nil || !f.Name.IsExported() {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			path, answer, ok := routeCall(n)
			if ok {
				verbs = append(verbs, verb{path: path, answer: answer, doc: sentence(f), request: requestOf(f)})
			}
			return true
		})
	})
	return verbs
}

// requestOf is the parameter of a method that is its request.
func requestOf(f *ast.FuncDecl) string {
	for _, p := range f.Type.Params.List {
		if name := typeName(p.Type); strings.HasSuffix(name, "Request") {
			return name
		}
	}
	return ""
}

// eachFunc visits the functions of files.
func eachFunc(files []*ast.File, visit func(*ast.FuncDecl)) {
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				visit(f)
			}
		}
	}
}

// routeCall recognises call[api.Answer](ctx, c, "route", request), and stream,
// which takes more.
func routeCall(n ast.Node) (path, answer string, ok bool) {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) < 4 {
		return "", "", false
	}
	generic, ok := c.Fun.(*ast.IndexExpr)
	if !ok {
		return "", "", false
	}
	if name, ok := generic.X.(*ast.Ident); !ok || (name.Name != "call" && name.Name != "stream") {
		return "", "", false
	}
	lit, ok := c.Args[2].(*ast.BasicLit)
	if !ok {
		return "", "", false
	}
	path, err := strconv.Unquote(lit.Value)
	return path, typeName(generic.Index), err == nil
}

// sentence is a method's comment without the method's name.
func sentence(f *ast.FuncDecl) string {
	text := strings.TrimSpace(strings.TrimPrefix(flow(f.Doc.Text()), f.Name.Name))
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// flow puts a comment on one line.
func flow(text string) string { return strings.Join(strings.Fields(text), " ") }

// typeName is the name of a type of internal/api, seen from inside or outside.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// readTypes reads the exported types.
func readTypes(files []*ast.File, s *source) {
	for _, file := range files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				doc := flow(spec.Doc.Text())
				if doc == "" {
					doc = flow(decl.Doc.Text())
				}
				switch kind := spec.Type.(type) {
				case *ast.StructType:
					s.types[spec.Name.Name] = readStruct(spec.Name.Name, doc, kind)
				case *ast.Ident:
					if kind.Name == "string" {
						s.strings[spec.Name.Name] = doc
					}
				}
			}
		}
	}
}

// readStruct reads a wire type's fields.
func readStruct(name, doc string, t *ast.StructType) structure {
	st := structure{name: name, doc: doc}
	for _, f := range t.Fields.List {
		kind, refers := kindOf(f.Type)
		st.refers = append(st.refers, refers...)
		comment := flow(f.Doc.Text())
		if line := flow(f.Comment.Text()); line != "" {
			comment = strings.TrimSpace(comment + " " + line)
		}
		if len(f.Names) == 0 {
			st.fields = append(st.fields, field{kind: strings.TrimPrefix(kind, "?"), doc: comment})
			continue
		}
		tag := ""
		if f.Tag != nil {
			if raw, err := strconv.Unquote(f.Tag.Value); err == nil {
				tag = reflect.StructTag(raw).Get("json")
			}
		}
		jsonName, options, _ := strings.Cut(tag, ",")
		if tag == "-" || jsonName == "" {
			continue
		}
		st.fields = append(st.fields, field{
			name: jsonName, kind: kind, doc: comment,
			optional: strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"),
		})
	}
	return st
}

// kindOf names a Go type as JSON shows it, and the wire types in it.
func kindOf(e ast.Expr) (kind string, refers []string) {
	switch e := e.(type) {
	case *ast.StarExpr:
		kind, refers = kindOf(e.X)
		return kind + " or null", refers
	case *ast.ArrayType:
		kind, refers = kindOf(e.Elt)
		return "list of " + kind, refers
	case *ast.MapType:
		kind, refers = kindOf(e.Value)
		return "object of " + kind, refers
	case *ast.SelectorExpr:
		if e.Sel.Name == "Time" {
			return "time", nil
		}
		return e.Sel.Name, nil
	case *ast.Ident:
		switch e.Name {
		case "int", "int64", "uint32", "uint64", "float64":
			return "number", nil
		case "bool":
			return "true or false", nil
		case "string":
			return "text", nil
		case "any":
			return "anything", nil
		}
		return e.Name, []string{e.Name}
	}
	return "anything", nil
}

// readCodes reads the constants of type Code with their fates.
func readCodes(files []*ast.File) ([]group, error) {
	var groups []group
	fates := readFates(files)
	for _, file := range files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				if typeName(spec.Type) != "Code" {
					continue
				}
				// A comment that begins with the code's own name is about that
				// code alone.
				title := flow(spec.Doc.Text())
				if title != "" && !strings.HasPrefix(title, spec.Names[0].Name+" ") {
					groups = append(groups, group{title: title})
				}
				if len(groups) == 0 {
					return nil, errors.New("the first code has no group comment")
				}
				c, err := readCode(spec, fates)
				if err != nil {
					return nil, err
				}
				last := &groups[len(groups)-1]
				last.codes = append(last.codes, c)
			}
		}
	}
	return groups, nil
}

// readCode reads one constant.
func readCode(spec *ast.ValueSpec, fates map[string][2]string) (code, error) {
	lit, ok := spec.Values[0].(*ast.BasicLit)
	if !ok {
		return code{}, fmt.Errorf("code %s is no literal", spec.Names[0].Name)
	}
	name, err := strconv.Unquote(lit.Value)
	if err != nil {
		return code{}, err
	}
	c := code{name: name, doc: flow(spec.Comment.Text()), http: "409", exit: "1"}
	if c.doc == "" {
		c.doc = strings.TrimPrefix(strings.TrimPrefix(flow(spec.Doc.Text()), spec.Names[0].Name+" "), "is ")
	}
	if fate, ok := fates[spec.Names[0].Name]; ok {
		c.http, c.exit = fate[0], fate[1]
	}
	return c, nil
}

// readFates reads the table of HTTP and exit statuses. The page needs numbers,
// the source has names: they are spelled out here.
func readFates(files []*ast.File) map[string][2]string {
	numbers := map[string]string{
		"StatusUnauthorized": "401", "StatusForbidden": "403", "StatusNotFound": "404",
		"StatusBadRequest": "400", "StatusRequestEntityTooLarge": "413", "StatusConflict": "409",
		"StatusGatewayTimeout": "504", "StatusTooManyRequests": "429",
		"StatusInternalServerError": "500", "StatusNotImplemented": "501", "StatusBadGateway": "502",
		"StatusServiceUnavailable": "503",
		"ExitOK":                   "0", "ExitRefused": "1", "ExitUsage": "2", "ExitUnreachable": "3",
		"ExitNotMet": "4", "ExitInterrupted": "130",
	}
	number := func(e ast.Expr) string {
		if lit, ok := e.(*ast.BasicLit); ok {
			return lit.Value
		}
		return numbers[typeName(e)]
	}
	fates := map[string][2]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isName := pair.Key.(*ast.Ident)
			value, isStruct := pair.Value.(*ast.CompositeLit)
			if isName && isStruct && len(value.Elts) == 2 && value.Type == nil {
				fates[key.Name] = [2]string{number(value.Elts[0]), number(value.Elts[1])}
			}
			return true
		})
	}
	return fates
}

// reached lists the wire types that verbs use, in order of first use.
func (s source) reached() []string {
	var order []string
	var add func(name string)
	add = func(name string) {
		st, ok := s.types[name]
		if !ok || slices.Contains(order, name) {
			return
		}
		order = append(order, name)
		for _, r := range st.refers {
			add(r)
		}
	}
	for _, v := range s.verbs {
		add(v.request)
		add(v.answer)
	}
	return order
}
