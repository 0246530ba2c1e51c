// Docgen writes docs/api.md, docs/cli.md, docs/configuration.md and
// docs/doctor.md from the source: the verbs as internal/client calls them, the
// requests, answers and codes as internal/api declares them, what the command
// lines say of themselves, the settings of internal/config, and what doctor may
// find. It reads syntax and runs the commands, and links nothing of ours; a test fails when a page and
// the source differ.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// pages are the generated files below docs/ and what makes them.
var pages = map[string]func(root string) ([]byte, error){
	"api.md":           generate,
	"cli.md":           commands,
	"configuration.md": configuration,
	"doctor.md":        findings,
}

// run writes the pages.
func run(root string) error {
	for name, write := range pages {
		page, err := write(root)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(root, "docs", name), page, 0o644); err != nil {
			return err
		}
	}
	return nil
}
