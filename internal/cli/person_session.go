package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) sessions() *cobra.Command {
	cmd := &cobra.Command{Use: "session", Short: "identities for agents", RunE: needsWord}
	var group string
	fresh := &cobra.Command{
		Use: "new <label>", Short: "make a session and show its token, this once", Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			a, err := c.SessionNew(cmd.Context(), api.SessionRequest{Common: r.common(), Label: api.SessionID(args[0]), Group: group})
			if err != nil {
				return err
			}
			return r.say(a, api.Text("session new", a)+mcpText(a))
		},
	}
	fresh.Flags().StringVar(&group, "group", "", "put it into this group")
	cmd.AddCommand(fresh, &cobra.Command{
		Use: "list", Short: "the sessions and what they hold", Args: takes(0, 0),
		RunE: verb(r, "session list", (*client.Client).SessionList, func(*cobra.Command, []string) (api.SessionRequest, error) {
			return api.SessionRequest{Common: r.common()}, nil
		}, asOwner),
	}, &cobra.Command{
		Use: "end <label>", Short: "end a session: its token is no good any more", Args: takes(1, 1),
		RunE: verb(r, "session end", (*client.Client).SessionEnd, func(_ *cobra.Command, args []string) (api.SessionRequest, error) {
			return api.SessionRequest{Common: r.common(), Label: api.SessionID(args[0])}, nil
		}, asOwner),
	})
	return cmd
}

func (r *run) groups() *cobra.Command {
	cmd := &cobra.Command{Use: "group", Short: "named sets of sessions, to share with at once", RunE: needsWord}
	read := func(_ *cobra.Command, args []string) (api.GroupRequest, error) {
		q := api.GroupRequest{Common: r.common()}
		if len(args) > 0 {
			q.Group = args[0]
		}
		if len(args) > 1 {
			// As --with writes it, too: no label has a colon.
			q.Label = api.SessionID(strings.TrimPrefix(args[1], "session:"))
		}
		return q, nil
	}
	cmd.AddCommand(&cobra.Command{
		Use: "new <name>", Short: "make a group", Args: takes(1, 1),
		RunE: verb(r, "group new", (*client.Client).GroupNew, read, asOwner),
	}, &cobra.Command{
		Use: "add <name> <label>", Short: "put a session into a group", Args: takes(2, 2),
		RunE: verb(r, "group add", (*client.Client).GroupAdd, read, asOwner),
	}, &cobra.Command{
		Use: "remove <name> [label]", Short: "take a session out of a group, or end the group with its shares", Args: takes(1, 2),
		RunE: verb(r, "group remove", (*client.Client).GroupRemove, read, asOwner),
	}, &cobra.Command{
		Use: "list", Short: "the groups and who is in them", Args: takes(0, 0),
		RunE: verb(r, "group list", (*client.Client).GroupList, read, asOwner),
	})
	return cmd
}
