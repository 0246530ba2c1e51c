package cli

import (
	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// takeover gives a window to the person. The command line shows no picture and
// passes no keys on: it stops the agent, until handback.
func (r *run) takeover() *cobra.Command {
	var q api.TakeoverRequest
	cmd := &cobra.Command{
		Use: "takeover <handle>", Short: "stop what an agent does to a window and keep it from going on", Args: takes(1, 1),
		RunE: verb(r, "takeover", (*client.Client).Takeover, func(_ *cobra.Command, args []string) (api.TakeoverRequest, error) {
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			return q, nil
		}, asOwner),
	}
	cmd.Flags().StringVar(&q.Layout, "layout", "", "the keyboard layout the window has meanwhile, as XKB names it: fr, us(dvorak)")
	return cmd
}

// handback gives it back.
func (r *run) handback() *cobra.Command {
	var q api.HandbackRequest
	cmd := &cobra.Command{
		Use: "handback <handle>", Short: "give a window back to its agent", Args: takes(1, 1),
		RunE: verb(r, "handback", (*client.Client).Handback, func(_ *cobra.Command, args []string) (api.HandbackRequest, error) {
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			return q, nil
		}, asOwner),
	}
	cmd.Flags().StringVar(&q.Note, "note", "", "what the agent should know; it is told with its next command")
	return cmd
}
