package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// preface is what the types cannot say.
const preface = `# The daemon's API

Written from the source by ` + "`make docs`" + `; do not edit.

The daemon listens on one unix socket (mode 0600) and speaks HTTP with JSON
bodies. Every verb is ` + "`POST /v1/<verb>`" + `, the person's are
` + "`POST /v1/person/<verb>`" + `; the body is one JSON object, unknown fields are
refused. The host name is ` + "`vibespace`" + ` or ` + "`localhost`" + `; a request with an
` + "`Origin`" + ` or ` + "`Referer`" + ` is refused, because browsers send those.

| header | meaning |
|---|---|
| ` + "`Authorization: Bearer <token>`" + ` | the session; without it the caller is the session ` + "`default`" + ` |
| ` + "`Vibespace-Session`" + ` | which of the caller's own sessions is meant; it gives nothing |
| ` + "`Vibespace-Owner`" + ` | the owner credential, for the person's verbs |
| ` + "`Vibespace-Version`" + ` | the build, both ways |

Success is ` + "`{\"ok\":true, …}`" + `. A refusal is
` + "`{\"ok\":false,\"code\":\"…\",\"message\":\"…\",\"hint\":\"…\",\"details\":{…}}`" + ` with the
HTTP status of its code. Closing the connection cancels the verb. Keys are
camelCase, times RFC 3339 in UTC, durations milliseconds, sizes device pixels,
coordinates window coordinates: (0,0) is the top left corner of the main window.
Lists are never null; an unknown number is null.

The command lines print the same objects with ` + "`--json`" + ` and exit with the status
in the table of codes; 0 is success.
`

// generate reads the source and renders the page.
func generate(root string) ([]byte, error) {
	s, err := read(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(preface)
	s.writeVerbs(&b)
	s.writeTypes(&b)
	s.writeCodes(&b)
	return b.Bytes(), nil
}

// writeVerbs renders the routes, an agent's before the person's.
func (s source) writeVerbs(b *bytes.Buffer) {
	person := func(v verb) bool { return strings.HasPrefix(v.path, "person/") }
	for _, part := range []struct {
		title string
		which func(verb) bool
	}{
		{"Verbs of a session", func(v verb) bool { return !person(v) }},
		{"Verbs of the person", person},
	} {
		fmt.Fprintf(b, "\n## %s\n\n| verb | what it does | request | answer |\n|---|---|---|---|\n", part.title)
		for _, v := range s.verbs {
			if part.which(v) {
				fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", v.path, cell(v.doc), s.link(v.request), s.link(v.answer))
			}
		}
	}
}

// link refers to a type's section.
func (s source) link(name string) string {
	if _, ok := s.types[name]; !ok {
		return name
	}
	return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
}

// cell makes text fit a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// kind links the type names in a kind.
func (s source) kind(k string) string {
	words := strings.Fields(k)
	for i, w := range words {
		if _, ok := s.types[w]; ok {
			words[i] = s.link(w)
		}
	}
	return strings.Join(words, " ")
}

// writeTypes renders requests, answers and what is in them.
func (s source) writeTypes(b *bytes.Buffer) {
	b.WriteString("\n## Requests and answers\n")
	for _, name := range s.reached() {
		st := s.types[name]
		fmt.Fprintf(b, "\n### %s\n\n%s\n", name, st.doc)
		if len(st.fields) == 0 {
			continue
		}
		b.WriteString("\n| field | is | meaning |\n|---|---|---|\n")
		for _, f := range st.fields {
			switch {
			case f.name == "":
				fmt.Fprintf(b, "| | all of %s | %s |\n", s.kind(f.kind), cell(f.doc))
			case f.optional:
				fmt.Fprintf(b, "| `%s` | %s, may be absent | %s |\n", f.name, s.kind(f.kind), cell(f.doc))
			default:
				fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.name, s.kind(f.kind), cell(f.doc))
			}
		}
	}
	s.writeStrings(b)
}

// writeStrings renders the names that are text with a meaning.
func (s source) writeStrings(b *bytes.Buffer) {
	var names []string
	for name := range s.strings {
		names = append(names, name)
	}
	slices.Sort(names)
	b.WriteString("\n### Names\n\n| name | is |\n|---|---|\n")
	for _, name := range names {
		fmt.Fprintf(b, "| %s | text: %s |\n", name, cell(s.strings[name]))
	}
}

// writeCodes renders the refusals.
func (s source) writeCodes(b *bytes.Buffer) {
	b.WriteString("\n## Codes\n\nThe set is closed.\n")
	for _, g := range s.groups {
		fmt.Fprintf(b, "\n%s\n\n| code | when | HTTP | exit |\n|---|---|---|---|\n", g.title)
		for _, c := range g.codes {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.name, cell(c.doc), c.http, c.exit)
		}
	}
}
