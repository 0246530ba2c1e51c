package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) pageSnapshot() *cobra.Command {
	var q api.PageSnapshotRequest
	var root string
	depth := &number{}
	cmd := pageVerb(r, "snapshot", "the page's tree, an element a line; starts the browser", 0, 0, "snapshot", (*client.Client).BrowserSnapshot,
		func(cmd *cobra.Command, _ []string) (api.PageSnapshotRequest, error) {
			var err error
			q.PageRequest, q.Depth = r.page(), depth.n
			q.Root, err = flagRef(cmd, "root", root)
			return q, err
		})
	f := cmd.Flags()
	f.BoolVar(&q.Diff, "diff", false, "only what changed since the last snapshot")
	f.BoolVar(&q.All, "all", false, "every element, also what only wraps others")
	f.StringVar(&root, "root", "", "only what is below this ref")
	f.Var(depth, "depth", "how many levels")
	f.IntVar(&q.MaxBytes, "max-bytes", 0, "how much text at the most")
	return cmd
}

func (r *run) pageFind() *cobra.Command {
	var q api.PageFindRequest
	cmd := pageVerb(r, "find", "refs of elements, a line each", 0, 0, "find", (*client.Client).BrowserFind,
		func(cmd *cobra.Command, _ []string) (api.PageFindRequest, error) {
			if q.Role == "" && q.Name == "" && q.State == "" {
				return q, misuse(cmd, "name what to find: --role, --name or --state")
			}
			q.PageRequest = r.page()
			return q, nil
		})
	f := cmd.Flags()
	f.StringVar(&q.Role, "role", "", "the role, exactly")
	f.StringVar(&q.Name, "name", "", "a part of the name, or /a regular expression/")
	f.StringVar(&q.State, "state", "", "a state it has")
	return cmd
}

func (r *run) pageGet() *cobra.Command {
	return pageVerb(r, "get @e5 [text|value|attr N|html]", "one element, read anew", 1, 3, "get", (*client.Client).BrowserGet,
		func(cmd *cobra.Command, args []string) (api.PageGetRequest, error) {
			ref, err := parseRef(args[0])
			q := api.PageGetRequest{PageRequest: r.page(), Ref: ref}
			if err != nil || len(args) == 1 {
				return q, err
			}
			q.What = args[1]
			switch {
			case q.What == "attr" && len(args) == 3:
				q.Attr = args[2]
			case q.What == "attr":
				return q, misuse(cmd, "the attribute's name is missing")
			case len(args) == 3:
				return q, misuse(cmd, "there is too much: "+api.Quote(args[2], 80))
			case q.What != "text" && q.What != "value" && q.What != "html":
				return q, misuse(cmd, "text, value, attr N or html")
			}
			return q, nil
		})
}

func (r *run) pageWait() *cobra.Command {
	var q api.PageWaitRequest
	var ref, gone string
	idle := &number{}
	cmd := pageVerb(r, "wait", "wait until all that is named holds", 0, 0, "wait", (*client.Client).BrowserWait,
		func(cmd *cobra.Command, _ []string) (api.PageWaitRequest, error) {
			var err error
			q.PageRequest, q.IdleMs = r.page(), idle.n
			if q.Ref, err = flagRef(cmd, "ref", ref); err != nil {
				return q, err
			}
			if q.Gone, err = flagRef(cmd, "gone", gone); err != nil {
				return q, err
			}
			if q.Text == "" && q.URL == "" && q.Ref == "" && q.Gone == "" && !q.Load && q.IdleMs == 0 {
				return q, misuse(cmd, "name what to wait for: --text, --url, --ref, --gone, --load or --idle")
			}
			return q, nil
		})
	f := cmd.Flags()
	f.StringVar(&q.Text, "text", "", "the page shows this text")
	f.StringVar(&q.URL, "url", "", "its address holds this, or matches /a regular expression/")
	f.StringVar(&ref, "ref", "", "this element is there and showing")
	f.StringVar(&gone, "gone", "", "this element is there no more")
	f.BoolVar(&q.Load, "load", false, "the page is loaded")
	f.Var(idle, "idle", "nothing loads or changes for so many milliseconds")
	return cmd
}

func (r *run) pageExtract() *cobra.Command {
	var q api.ExtractRequest
	var ref string
	cmd := pageVerb(r, "extract", "what the page says, as markdown, text or tables", 0, 0, "extract", (*client.Client).BrowserExtract,
		func(cmd *cobra.Command, _ []string) (api.ExtractRequest, error) {
			if err := oneOf(cmd, "format", q.Format, "markdown", "text", "json-table"); err != nil {
				return q, err
			}
			var err error
			q.PageRequest = r.page()
			q.Ref, err = flagRef(cmd, "ref", ref)
			return q, err
		})
	cmd.Flags().StringVar(&ref, "ref", "", "only this element")
	cmd.Flags().StringVar(&q.Format, "format", "", "markdown, text or json-table")
	return cmd
}

func (r *run) pageScreenshot() *cobra.Command {
	var q api.PageScreenshotRequest
	var ref string
	cmd := pageVerb(r, "screenshot", "a picture of the page", 0, 0, "screenshot", (*client.Client).BrowserScreenshot,
		func(cmd *cobra.Command, _ []string) (api.PageScreenshotRequest, error) {
			if err := oneOf(cmd, "format", q.Format, "png", "jpeg"); err != nil {
				return q, err
			}
			var err error
			if q.Out != "" {
				if q.Out, err = r.whole(q.Out); err != nil {
					return q, err
				}
			}
			q.PageRequest = r.page()
			q.Ref, err = flagRef(cmd, "ref", ref)
			return q, err
		})
	f := cmd.Flags()
	f.BoolVar(&q.Full, "full", false, "the whole page, not only what is on show")
	f.StringVar(&ref, "ref", "", "only this element")
	f.StringVar(&q.Format, "format", "", "png or jpeg")
	f.StringVar(&q.Out, "out", "", "where to write it")
	return cmd
}

// whole is a path from the caller's directory.
func (r *run) whole(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := r.Getwd()
	if err != nil {
		return "", &usage{message: "the working directory is gone: give the whole path"}
	}
	return filepath.Join(dir, path), nil
}

// pageLog makes console and errors.
func (r *run) pageLog(word, short string, do func(*client.Client, context.Context, api.PageLogRequest) (api.LoggedAnswer, error)) *cobra.Command {
	tail := &number{}
	cmd := pageVerb(r, word, short, 0, 0, word, do, func(*cobra.Command, []string) (api.PageLogRequest, error) {
		return api.PageLogRequest{PageRequest: r.page(), Tail: tail.n}, nil
	})
	cmd.Flags().Var(tail, "tail", "how many of the last")
	return cmd
}

func (r *run) pageRequests() *cobra.Command {
	tail := &number{}
	cmd := pageVerb(r, "requests", "what the page asked the network for", 0, 0, "requests", (*client.Client).BrowserRequests,
		func(*cobra.Command, []string) (api.PageLogRequest, error) {
			return api.PageLogRequest{PageRequest: r.page(), Tail: tail.n}, nil
		})
	cmd.Flags().Var(tail, "tail", "how many of the last")
	return cmd
}
