package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Trees are the commands of the three command lines, for what is written from
// them, the manual pages. They are there to be read: running one is Window's,
// Browser's and Person's.
func Trees() []*cobra.Command {
	var roots []*cobra.Command
	for _, tree := range []struct {
		name  string
		build func(*run) *cobra.Command
	}{{"vibespace-window", windowTree}, {"vibespace-browser", browserTree}, {"vibespace", personTree}} {
		r := &run{Program: Program{
			Name: tree.name, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return "/", nil },
		}}
		root := tree.build(r)
		r.shape(root)
		roots = append(roots, root)
	}
	return roots
}
