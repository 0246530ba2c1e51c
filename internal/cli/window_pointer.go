package cli

import (
	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) menu() *cobra.Command {
	a := &actFlags{}
	cmd := &cobra.Command{
		Use: "menu <handle> 'File>Save As'", Short: "walk a menu by name", Args: takes(2, 2),
		RunE: verb(r, "menu", (*client.Client).Menu, func(_ *cobra.Command, args []string) (api.MenuRequest, error) {
			return api.MenuRequest{Act: a.act(r, args[0]), Path: args[1]}, nil
		}),
	}
	a.add(cmd)
	return cmd
}

func (r *run) selectText() *cobra.Command {
	a := &actFlags{}
	from, to := &number{}, &number{}
	cmd := &cobra.Command{
		Use: "select <handle> @e7 --from N --to M", Short: "select text, in characters", Args: takes(2, 2),
		RunE: verb(r, "select", (*client.Client).Select, func(cmd *cobra.Command, args []string) (api.SelectRequest, error) {
			q := api.SelectRequest{Act: a.act(r, args[0]), From: from.n, To: to.n}
			if !from.set || !to.set {
				return q, misuse(cmd, "--from and --to are needed")
			}
			var err error
			q.Ref, err = parseRef(args[1])
			return q, err
		}),
	}
	a.add(cmd)
	cmd.Flags().Var(from, "from", "the first character")
	cmd.Flags().Var(to, "to", "the character after the last")
	return cmd
}

func (r *run) drag() *cobra.Command {
	a := &actFlags{}
	var from, to string
	cmd := &cobra.Command{
		Use: "drag <handle> --from X,Y --to X,Y", Short: "press, move and release the pointer", Args: takes(1, 1),
		RunE: verb(r, "drag", (*client.Client).Drag, func(cmd *cobra.Command, args []string) (api.DragRequest, error) {
			q := api.DragRequest{Act: a.act(r, args[0])}
			var err error
			if q.From, err = flagPoint(cmd, "from", from); err != nil {
				return q, err
			}
			if q.To, err = flagPoint(cmd, "to", to); err != nil {
				return q, err
			}
			if q.From == nil || q.To == nil {
				return q, misuse(cmd, "--from and --to are needed")
			}
			return q, nil
		}),
	}
	a.add(cmd)
	cmd.Flags().StringVar(&from, "from", "", "where it is pressed")
	cmd.Flags().StringVar(&to, "to", "", "where it is released")
	return cmd
}

func (r *run) hover() *cobra.Command {
	a := &actFlags{}
	var at string
	cmd := &cobra.Command{
		Use: "hover <handle> --at X,Y", Short: "move the pointer", Args: takes(1, 1),
		RunE: verb(r, "hover", (*client.Client).Hover, func(cmd *cobra.Command, args []string) (api.HoverRequest, error) {
			q := api.HoverRequest{Act: a.act(r, args[0])}
			var err error
			if q.At, err = flagPoint(cmd, "at", at); err == nil && q.At == nil {
				err = misuse(cmd, "--at is needed")
			}
			return q, err
		}),
	}
	a.add(cmd)
	cmd.Flags().StringVar(&at, "at", "", "the point")
	return cmd
}

func (r *run) clipboard() *cobra.Command {
	return &cobra.Command{
		Use: "clipboard <handle> get | set TEXT", Short: "the clipboard of that display, which is not the person's",
		RunE: verb(r, "clipboard", (*client.Client).Clipboard, func(cmd *cobra.Command, args []string) (api.ClipboardRequest, error) {
			named, text := words(cmd, args)
			if len(named) < 2 {
				return api.ClipboardRequest{}, misuse(cmd, "something is missing")
			}
			q := api.ClipboardRequest{Act: api.Act{Common: r.common(), Handle: api.Handle(named[0])}, Do: named[1]}
			switch {
			case q.Do == "get" && len(named) == 2 && text == nil:
				return q, nil
			case q.Do == "set":
				var err error
				q.Text, err = theText(cmd, named[2:], text)
				return q, err
			}
			return q, misuse(cmd, "say get, or set and a text")
		}),
	}
}

func (r *run) appLogs() *cobra.Command {
	tail := &number{}
	cmd := &cobra.Command{
		Use: "logs <handle>", Short: "the application's own output", Args: takes(1, 1),
		RunE: verb(r, "logs", (*client.Client).Logs, func(_ *cobra.Command, args []string) (api.LogsRequest, error) {
			return api.LogsRequest{Common: r.common(), Handle: api.Handle(args[0]), Tail: tail.n}, nil
		}),
	}
	cmd.Flags().Var(tail, "tail", "only the last N lines")
	return cmd
}
