package api

import (
	"fmt"
	"strings"
)

// text lists the settings, a line each: those somebody set with where.
func (a ConfigAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s in %s\n", plural(len(a.Settings), "setting"), oneLine(a.File))
	for _, s := range a.Settings {
		s.text(b)
	}
}

// text tells one setting and where it stands.
func (s Setting) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s", oneLine(s.Key), oneLine(s.Value))
	if s.From != "default" {
		fmt.Fprintf(b, ", from %s (default %s)", oneLine(s.From), oneLine(s.Default))
	}
	if s.Running != s.Value {
		fmt.Fprintf(b, "; the daemon runs with %s until it is started anew", oneLine(s.Running))
	}
	b.WriteByte('\n')
}

// text tells what was set.
func (a ConfigSetAnswer) text(b *strings.Builder) { a.Setting.text(b) }
