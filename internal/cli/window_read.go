package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) snapshot() *cobra.Command {
	var q api.SnapshotRequest
	var root string
	window, depth, most := &number{}, &number{}, &number{}
	cmd := &cobra.Command{
		Use: "snapshot <handle>", Short: "the window's tree, an element a line", Args: takes(1, 1),
		RunE: verb(r, "snapshot", (*client.Client).Snapshot, func(cmd *cobra.Command, args []string) (api.SnapshotRequest, error) {
			var err error
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			q.Window, q.Depth, q.MaxNodes = window.ptr(), depth.n, most.n
			q.Root, err = flagRef(cmd, "root", root)
			return q, err
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&q.All, "all", false, "every element, also what is hidden or only wraps others")
	f.StringVar(&root, "root", "", "only what is below this ref")
	f.Var(depth, "depth", "how many levels")
	f.Var(most, "max-nodes", "how many elements")
	f.BoolVar(&q.Fresh, "fresh", false, "read everything anew, whatever is known of the window")
	f.BoolVar(&q.Diff, "diff", false, "only what changed since the last snapshot")
	f.StringVar(&q.Find, "find", "", "only elements whose name or text holds this, and what they lie in")
	f.StringVar(&q.Role, "role", "", "only elements of this role, and what they lie in")
	f.Var(window, "window", "only the window with this number")
	return cmd
}

func (r *run) find() *cobra.Command {
	var q api.FindRequest
	cmd := &cobra.Command{
		Use: "find <handle>", Short: "refs of elements, a line each", Args: takes(1, 1),
		RunE: verb(r, "find", (*client.Client).Find, func(cmd *cobra.Command, args []string) (api.FindRequest, error) {
			if q.Role == "" && q.Name == "" && q.State == "" {
				return q, misuse(cmd, "name what to find: --role, --name or --state")
			}
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			return q, nil
		}),
	}
	f := cmd.Flags()
	f.StringVar(&q.Role, "role", "", "the role, exactly")
	f.StringVar(&q.Name, "name", "", "a part of the name, or /a regular expression/")
	f.StringVar(&q.State, "state", "", "a state it has")
	return cmd
}

// gettable are the parts of an element that get takes.
var gettable = []string{"text", "value", "states", "bounds", "actions", "all"}

func (r *run) get() *cobra.Command {
	return &cobra.Command{
		Use: "get <handle> @e5 [text|value|states|bounds|actions|all]", Short: "one element, read anew", Args: takes(2, 3),
		RunE: verb(r, "get", (*client.Client).Get, func(cmd *cobra.Command, args []string) (api.GetRequest, error) {
			q := api.GetRequest{Common: r.common(), Handle: api.Handle(args[0])}
			if len(args) == 3 {
				q.What = args[2]
				if err := oneOf(cmd, "what", q.What, gettable...); err != nil {
					return q, misuse(cmd, "there is no "+api.Quote(q.What, 80)+" of an element")
				}
			}
			var err error
			q.Ref, err = parseRef(args[1])
			return q, err
		}),
	}
}

func (r *run) screenshot() *cobra.Command {
	var q api.ScreenshotRequest
	var ref, out string
	window, side := &number{}, &number{}
	cmd := &cobra.Command{
		Use: "screenshot <handle>", Short: "a picture of the window, in a file", Args: takes(1, 1),
		RunE: verb(r, "screenshot", (*client.Client).Screenshot, func(cmd *cobra.Command, args []string) (api.ScreenshotRequest, error) {
			if window.set && q.All {
				return q, misuse(cmd, "--window and --all exclude each other")
			}
			if err := oneOf(cmd, "format", q.Format, "png", "jpeg"); err != nil {
				return q, err
			}
			q.Common, q.Handle, q.Window, q.MaxSide = r.common(), api.Handle(args[0]), window.ptr(), side.n
			var err error
			if q.Out, err = r.absolute(cmd, out); err != nil {
				return q, err
			}
			q.Ref, err = flagRef(cmd, "ref", ref)
			return q, err
		}),
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "the file to write")
	f.StringVar(&q.Format, "format", "", "png or jpeg")
	f.StringVar(&ref, "ref", "", "only this element")
	f.Var(window, "window", "one window of the target, whole")
	f.BoolVar(&q.All, "all", false, "all windows of the target, with the offset")
	f.Var(side, "max-side", "scale down until no side is longer")
	return cmd
}

// absolute names a file of the caller's for the daemon, which lives in /. ""
// stays "", unless the flag was given so.
func (r *run) absolute(cmd *cobra.Command, path string) (string, error) {
	if path == "" {
		if cmd.Flags().Changed("out") {
			return "", misuse(cmd, "--out is empty")
		}
		return "", nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	dir, err := r.Getwd()
	if err != nil {
		return "", &usage{message: "the working directory is gone: " + err.Error(), hint: "give --out an absolute path"}
	}
	return filepath.Join(dir, path), nil
}

func (r *run) wait() *cobra.Command {
	var q api.WaitRequest
	idle := &number{}
	cmd := &cobra.Command{
		Use: "wait <handle>", Short: "wait until what is named holds (exit 4 if it does not)", Args: takes(1, 1),
		RunE: verb(r, "wait", (*client.Client).Wait, func(cmd *cobra.Command, args []string) (api.WaitRequest, error) {
			q.IdleMs = idle.n
			if q.Text == "" && q.Role == "" && q.Name == "" && q.Title == "" && q.IdleMs == 0 && !q.Window && !q.Exit {
				return q, misuse(cmd, "name what to wait for")
			}
			q.Common, q.Handle = r.common(), api.Handle(args[0])
			return q, nil
		}),
	}
	f := cmd.Flags()
	f.StringVar(&q.Text, "text", "", "a text is shown")
	f.StringVar(&q.Role, "role", "", "an element of this role is there")
	f.StringVar(&q.Name, "name", "", "… with this in its name")
	f.StringVar(&q.State, "state", "", "… in this state: enabled, checked, focused …")
	f.BoolVar(&q.Gone, "gone", false, "… is there no more")
	f.StringVar(&q.Title, "title", "", "the title holds this")
	f.Var(idle, "idle", "nothing has changed for so many milliseconds")
	f.BoolVar(&q.Window, "window", false, "another window of the target opened")
	f.BoolVar(&q.Exit, "exit", false, "the application ended")
	return cmd
}
