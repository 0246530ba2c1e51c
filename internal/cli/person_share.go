package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// withForm says how --with goes.
const withForm = "--with is session:<label> or group:<name>, or remembered for a share or a launch"

// isGrantee says whether a word names a session or a group.
func isGrantee(s string) bool {
	kind, name, ok := strings.Cut(s, ":")
	return ok && name != "" && (kind == "session" || kind == "group")
}

func (r *run) share() *cobra.Command {
	var q api.ShareRequest
	cmd := &cobra.Command{
		Use: "share <handle> --with session:<label>|group:<name>|remembered", Short: "give a window to a session or a group", Args: takes(1, 1),
		RunE: verb(r, "share", (*client.Client).Share, func(cmd *cobra.Command, args []string) (api.ShareRequest, error) {
			if !isGrantee(q.With) && (q.With != "remembered" || q.Remember) {
				return q, misuse(cmd, withForm)
			}
			var err error
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			q.Mode, err = parseMode(q.Mode)
			return q, err
		}, asOwner),
	}
	cmd.Flags().StringVar(&q.With, "with", "", "session:<label>, group:<name>, or as is remembered")
	cmd.Flags().StringVar(&q.Mode, "mode", "", "auto, tree or pixels")
	cmd.Flags().BoolVar(&q.Remember, "remember", false, "keep it for later windows of the application")
	return cmd
}

func (r *run) rung() *cobra.Command {
	return &cobra.Command{
		Use: "rung <handle> xvfb|xpra", Short: "move a window's display to another rung while it runs", Args: takes(2, 2),
		RunE: verb(r, "rung", (*client.Client).Rung, func(cmd *cobra.Command, args []string) (api.RungRequest, error) {
			if args[1] != "xvfb" && args[1] != "xpra" {
				return api.RungRequest{}, misuse(cmd, "a rung is xvfb or xpra")
			}
			return api.RungRequest{Common: r.common(), Handle: api.Handle(args[0]), Rung: args[1]}, nil
		}, asOwner),
	}
}

func (r *run) unshare() *cobra.Command {
	var with, app string
	cmd := &cobra.Command{
		Use: "unshare <handle> | --app <app>", Short: "take a window back, at once, or forget what is remembered for an application", Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			named := cmd.Flags().Changed("app")
			switch {
			case cmd.Flags().Changed("with") && !isGrantee(with):
				return misuse(cmd, withForm)
			case named == (len(args) > 0):
				return misuse(cmd, "name a window, or an application with --app")
			}
			c, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			if named {
				a, err := c.Forget(cmd.Context(), api.RememberedRequest{Common: r.common(), App: app, With: with})
				return answer(r, "unshare", a, err)
			}
			a, err := c.Unshare(cmd.Context(), api.ShareRequest{Common: r.common(), Handle: api.Handle(args[0]), With: with})
			return answer(r, "unshare", a, err)
		},
	}
	cmd.Flags().StringVar(&with, "with", "", "only from session:<label> or group:<name>")
	cmd.Flags().StringVar(&app, "app", "", "what is remembered for this application, instead of a window")
	return cmd
}

func (r *run) shares() *cobra.Command {
	var app string
	cmd := &cobra.Command{
		Use: "shares [handle]", Short: "who reaches a window, or what is remembered for applications", Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("app") && len(args) > 0 {
				return misuse(cmd, "name a window, or an application with --app")
			}
			c, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				a, err := c.Remembered(cmd.Context(), api.RememberedRequest{Common: r.common(), App: app})
				return answer(r, "shares", a, err)
			}
			a, err := c.Shares(cmd.Context(), api.HandleRequest{Common: r.common(), Handle: api.Handle(args[0])})
			return answer(r, "shares", a, err)
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "only what is remembered for this application")
	return cmd
}
