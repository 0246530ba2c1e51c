package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

func (r *run) watchChanges() *cobra.Command {
	return &cobra.Command{
		Use: "watch <handle>", Short: "follow what becomes of a window, a line each",
		Long: "watch tells how a window stands and then, a line each, what becomes of it: its title, dialogs that open and\n" +
			"close, the person taking over and handing back, its end. It needs no lease, and goes on until the window has\n" +
			"ended, --timeout has passed (exit 0 both) or it is interrupted (130).",
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.dial()
			if err != nil {
				return err
			}
			q := api.ChangesRequest{Common: r.common(), Handle: api.Handle(args[0])}
			return c.Changes(cmd.Context(), q, r.change)
		},
	}
}

// change writes one change.
func (r *run) change(c api.Change) error {
	if !r.json {
		return r.line([]byte(c.Line() + "\n"))
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return r.line(append(raw, '\n'))
}
