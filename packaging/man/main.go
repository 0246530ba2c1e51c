// Man writes the manual pages of the programs: a page a command, from the
// commands themselves.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"vibespace/internal/cli"
)

func main() {
	var p pages
	flag.StringVar(&p.out, "out", "", "the directory the pages go to")
	flag.StringVar(&p.bin, "bin", "bin", "the directory of the built programs")
	flag.StringVar(&p.version, "version", "", "the version they are of")
	date := flag.String("date", "", "their date, RFC 3339")
	flag.Parse()
	var err error
	if p.date, err = time.Parse(time.RFC3339, *date); err == nil {
		err = p.write()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// pages are the manual pages of a build.
type pages struct {
	out, bin, version string
	date              time.Time
}

// plain are programs without commands: their page is what they say of
// themselves.
var plain = map[string]string{
	"vibespaced":        "the daemon of VibeSpace",
	"vibespace-desktop": "what agents do in their windows, live",
}

// write writes them all.
func (p pages) write() error {
	for _, root := range cli.Trees() {
		mark(root)
		root.DisableAutoGenTag = true
		head := &doc.GenManHeader{Section: "1", Date: &p.date, Source: p.version, Manual: "VibeSpace"}
		if err := doc.GenManTree(root, head, p.out); err != nil {
			return fmt.Errorf("pages of %s: %w", root.Name(), err)
		}
	}
	for name, about := range plain {
		if err := p.spoken(name, about); err != nil {
			return fmt.Errorf("page of %s: %w", name, err)
		}
	}
	return nil
}

// asWritten keeps the words of a command from being read as markup, which is
// what the generator takes them for: a <handle> would be a tag, and vanish.
var asWritten = strings.NewReplacer("<", `\<`, ">", `\>`, "*", `\*`, "[", `\[`, "|", `\|`)

// mark prepares a command, its flags and what is below it for the generator.
func mark(cmd *cobra.Command) {
	cmd.Use, cmd.Long = asWritten.Replace(cmd.Use), asWritten.Replace(cmd.Long)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = asWritten.Replace(f.Usage) })
	cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Usage = asWritten.Replace(f.Usage) })
	for _, sub := range cmd.Commands() {
		mark(sub)
	}
}

// spoken writes the page of a program from its --help.
func (p pages) spoken(name, about string) error {
	var stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(p.bin, name), "--help")
	cmd.Stderr = &stderr
	said, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("--help: %w %s", err, stderr.Bytes())
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q \"1\" %q %q \"VibeSpace\"\n", strings.ToUpper(name), p.date.UTC().Format("Jan 2006"), p.version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n", escape(name), escape(about))
	for line := range strings.Lines(string(said)) {
		b.WriteString(escape(line))
	}
	b.WriteString(".fi\n.SH SEE ALSO\n\\fBvibespace(1)\\fP, \\fBvibespace\\-window(1)\\fP, \\fBvibespace\\-browser(1)\\fP\n")
	return os.WriteFile(filepath.Join(p.out, name+".1"), []byte(b.String()), 0o644)
}

// escape keeps a line from being taken for a request of the typesetter.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
