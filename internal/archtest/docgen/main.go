// Docgen writes docs/api.md from the source: the verbs as internal/client calls
// them, the requests, answers and codes as internal/api declares them. It reads
// syntax alone and links nothing of ours; a test fails when the file and the
// source differ.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "the repository")
	out := flag.String("o", "", "the file to write; standard output without")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// run writes the page.
func run(root, out string) error {
	page, err := generate(root)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(page)
		return err
	}
	return os.WriteFile(out, page, 0o644)
}
