package cli

import (
	"io"

	"github.com/spf13/cobra"

	"vibespace/internal/client"
)

// mcpServer is mcp: it speaks MCP on standard input and output. A process without a token is a
// session of its own.
func (r *run) mcpServer() *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "speak MCP on standard input and output: each verb is a tool",
		Long: "mcp serves the verbs as tools to an agent that speaks the Model Context Protocol, on standard input and output.\n" +
			"With VIBESPACE_SESSION_TOKEN it acts as that session; without, as a session of its own that ends with it.",
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.MCP == nil {
				return notYet("mcp")
			}
			c, err := r.dial(func(c *client.Config) { c.Own = true })
			if err != nil {
				return err
			}
			return r.MCP(cmd.Context(), c, io.NopCloser(r.Stdin), unclosed{r.Stdout})
		},
	}
}

// unclosed is a writer whose end is not the callee's business.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
