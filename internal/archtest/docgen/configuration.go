package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
)

// setting is one key of the configuration, as internal/config declares it.
type setting struct{ Name, Env, Default, Doc string }

// configPreface is what the keys cannot say.
const configPreface = `# Configuration

Written from the source by ` + "`make docs`" + `; do not edit.

The daemon reads ` + "`$XDG_CONFIG_HOME/vibespace/config.yaml`" + `, without that variable
` + "`~/.config/vibespace/config.yaml`" + `; ` + "`--config <file>`" + ` of vibespaced and vibespace, or
` + "`VIBESPACE_CONFIG`" + `, names another. There need not be one. A variable of the
environment goes over the file and a flag of vibespaced (` + "`--displays.max 4`" + `) over
both. A key that is none, or a value that is none, is an error that names the line.
It is read when the daemon starts: ` + "`vibespace down`" + `, and the next command starts it
anew.

` + "```yaml" + `
displays:
  max: 4
browsers.idle: 1h
apps:                                # names for vibespace-window open
  editor: /usr/bin/mousepad --disable-server
` + "```" + `

| key | variable | default | what it does |
|---|---|---|---|
`

// configuration renders the settings.
func configuration(root string) ([]byte, error) {
	files, err := parse(filepath.Join(root, "internal/config"))
	if err != nil {
		return nil, err
	}
	list, err := readSettings(files)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(configPreface)
	for _, s := range list {
		fmt.Fprintf(b, "| `%s` | `%s` | `%s` | %s |\n", s.Name, s.Env, s.Default, cell(s.Doc))
	}
	b.WriteString("| `apps.<name>` | | | the command line of an application that can be opened by this name |\n")
	return b.Bytes(), nil
}

// readSettings finds the literal of the variable keys and reads its elements.
func readSettings(files []*ast.File) ([]setting, error) {
	var list []setting
	for _, file := range files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, spec := range decl.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || v.Names[0].Name != "keys" || len(v.Values) != 1 {
					continue
				}
				lit, ok := v.Values[0].(*ast.CompositeLit)
				if !ok {
					continue
				}
				for _, element := range lit.Elts {
					list = append(list, readSetting(element))
				}
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no keys in internal/config")
	}
	return list, nil
}

// readSetting reads the text fields of one key.
func readSetting(e ast.Expr) setting {
	texts := map[string]string{}
	if lit, ok := e.(*ast.CompositeLit); ok {
		for _, field := range lit.Elts {
			pair, ok := field.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if text, ok := pair.Value.(*ast.BasicLit); ok {
				if s, err := strconv.Unquote(text.Value); err == nil {
					texts[typeName(pair.Key)] = s
				}
			}
		}
	}
	return setting{Name: texts["Name"], Env: texts["Env"], Default: texts["Default"], Doc: texts["Doc"]}
}
