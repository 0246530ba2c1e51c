package cli

import (
	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

func (r *run) batch() *cobra.Command {
	return &cobra.Command{
		Use: "batch <handle> -", Short: "verbs as JSON lines on standard input",
		Long: "batch reads verbs from standard input, one JSON object a line, and does them in order: each is answered on a\n" +
			"line as it ends, and the first refusal stops it. A line is the verb with the fields of its request (docs/api.md):\n" +
			`{"verb":"click","ref":"@e7","expect":"text=Saved"}. A line without a handle is about the one named here.` + "\n" +
			"Nobody else acts on the window meanwhile. --timeout bounds the whole batch; without it each verb has its own\n" +
			"time, and the next line has to come within 10 s.",
		Args: takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "-" {
				return misuse(cmd, "the verbs come from standard input: the last argument is -")
			}
			c, err := r.dial()
			if err != nil {
				return err
			}
			q := api.BatchRequest{Common: r.common(), Handle: api.Handle(args[0])}
			return c.Batch(cmd.Context(), q, r.Stdin, r.batchLine)
		},
	}
}

// batchLine writes the answer of one verb: its own object, or its own words.
func (r *run) batchLine(line api.BatchLine) error {
	if r.json {
		return r.line(append(line.Answer, '\n'))
	}
	words, err := api.TextOf(line.Verb, line.Answer)
	if err != nil {
		return err
	}
	return r.line([]byte(words))
}

// line writes one answer of several.
func (r *run) line(p []byte) error {
	if _, err := r.Stdout.Write(p); err != nil {
		return &writeFault{err}
	}
	return nil
}
