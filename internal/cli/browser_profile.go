package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) browserProfiles() *cobra.Command {
	return pageVerb(r, "profiles", "the profiles this session may attach to", 0, 0, "profiles", (*client.Client).BrowserProfiles,
		func(*cobra.Command, []string) (api.ProfilesRequest, error) {
			return api.ProfilesRequest{Common: r.common(), Profile: api.Handle(r.attachment)}, nil
		})
}

func (r *run) browserAttachments() *cobra.Command {
	return pageVerb(r, "attachments", "what this session is attached to", 0, 0, "attachments", (*client.Client).BrowserAttachments,
		func(*cobra.Command, []string) (api.AttachmentsRequest, error) {
			return api.AttachmentsRequest{Common: r.common(), Profile: api.Handle(r.attachment)}, nil
		})
}

func (r *run) browserUse() *cobra.Command {
	var alias string
	cmd := pageVerb(r, "use <profile>", "attach to a profile", 1, 1, "use", (*client.Client).BrowserUse,
		func(_ *cobra.Command, args []string) (api.UseRequest, error) {
			q := api.UseRequest{Common: r.common(), Use: args[0], Alias: alias}
			q.Dir, _ = r.Getwd() // only a path given by mistake needs it
			return q, nil
		})
	cmd.Flags().StringVar(&alias, "alias", "", "another name for it in this session")
	return cmd
}

func (r *run) browserPin() *cobra.Command {
	var none bool
	cmd := pageVerb(r, "pin <profile>|--none", "attach to a profile as this session's default", 0, 1, "pin", (*client.Client).BrowserUse,
		func(cmd *cobra.Command, args []string) (api.UseRequest, error) {
			if none == (len(args) == 1) {
				return api.UseRequest{}, misuse(cmd, "a profile, or --none")
			}
			q := api.UseRequest{Common: r.common(), Pin: !none, None: none}
			if !none {
				q.Use = args[0]
			}
			q.Dir, _ = r.Getwd() // only a path given by mistake needs it
			return q, nil
		})
	cmd.Flags().BoolVar(&none, "none", false, "no default")
	return cmd
}

func (r *run) browserChild() *cobra.Command {
	return pageVerb(r, "new-child [label]", "a browser for a helper of this session; ends with it", 0, 1, "new-child", (*client.Client).BrowserNewChild,
		func(_ *cobra.Command, args []string) (api.ChildRequest, error) {
			q := api.ChildRequest{Common: r.common(), Profile: api.Handle(r.attachment)}
			if len(args) == 1 {
				q.Label = args[0]
			}
			return q, nil
		})
}

// browserLeave makes detach and close: the profile may be named without the
// flag.
func (r *run) browserLeave(word, short string, do func(*client.Client, context.Context, api.LeaveRequest) (api.LeaveAnswer, error)) *cobra.Command {
	return pageVerb(r, word+" [profile]", short, 0, 1, word, do, func(_ *cobra.Command, args []string) (api.LeaveRequest, error) {
		q := api.LeaveRequest{Common: r.common(), Profile: api.Handle(r.attachment)}
		if len(args) == 1 {
			q.Profile = api.Handle(args[0])
		}
		return q, nil
	})
}

func (r *run) browserDelete() *cobra.Command {
	return pageVerb(r, "delete <profile>", "delete a kept profile of mine that nobody is attached to, and its directory", 1, 1, "delete",
		(*client.Client).BrowserDelete, func(_ *cobra.Command, args []string) (api.ProfileDeleteRequest, error) {
			return api.ProfileDeleteRequest{Common: r.common(), Profile: api.Handle(args[0])}, nil
		})
}

// browserStands makes status and what else tells how a browser stands.
func (r *run) browserStands(word, short string, do func(*client.Client, context.Context, api.BrowserStatusRequest) (api.BrowserStatusAnswer, error)) *cobra.Command {
	return pageVerb(r, word, short, 0, 0, word, do, func(*cobra.Command, []string) (api.BrowserStatusRequest, error) {
		return api.BrowserStatusRequest{Common: r.common(), Profile: api.Handle(r.attachment)}, nil
	})
}
