package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// pageAct makes a command that acts on the page: its first argument is a ref.
func pageAct[Q any](r *run, use, short string, least, most int, word string, do func(*client.Client, context.Context, Q) (api.PageActed, error),
	read func(cmd *cobra.Command, a api.PageAct, ref api.Ref, rest []string) (Q, error),
) *cobra.Command {
	a := &pageActFlags{}
	cmd := pageVerb(r, use, short, least, most, word, do, func(cmd *cobra.Command, args []string) (Q, error) {
		var none Q
		named, _ := words(cmd, args)
		if len(named) == 0 {
			return none, misuse(cmd, "the ref is missing")
		}
		ref, err := parseRef(named[0])
		if err != nil {
			return none, err
		}
		return read(cmd, a.act(r), ref, args[1:])
	})
	a.add(cmd)
	return cmd
}

func (r *run) pageClick() *cobra.Command {
	var button, mod string
	count := &number{}
	cmd := pageAct(r, "click @e7", "click an element", 1, 1, "click", (*client.Client).BrowserClick,
		func(cmd *cobra.Command, a api.PageAct, ref api.Ref, _ []string) (api.PageClickRequest, error) {
			return api.PageClickRequest{PageAct: a, Ref: ref, Button: button, Count: count.n, Mod: mod}, oneOf(cmd, "button", button, "left", "right", "middle")
		})
	f := cmd.Flags()
	f.StringVar(&button, "button", "", "left, right or middle")
	f.Var(count, "count", "how many times")
	f.StringVar(&mod, "mod", "", "keys held meanwhile: ctrl+shift")
	return cmd
}

func (r *run) pageType() *cobra.Command {
	a := &pageActFlags{}
	var enter bool
	cmd := pageVerb(r, `type [@e7] "…"`, "type text key by key, at the end of a field or where the focus is", 1, -1, "type", (*client.Client).BrowserType,
		func(cmd *cobra.Command, args []string) (api.PageTypeRequest, error) {
			q := api.PageTypeRequest{PageAct: a.act(r), Enter: enter}
			named, text := words(cmd, args)
			if len(named) > 0 && isRef(named[0]) {
				ref, err := parseRef(named[0])
				if err != nil {
					return q, err
				}
				q.Ref, named = ref, named[1:]
			}
			var err error
			q.Text, err = theText(cmd, named, text)
			return q, err
		})
	a.add(cmd)
	cmd.Flags().BoolVar(&enter, "enter", false, "press Enter afterwards")
	return cmd
}

func (r *run) pageFill() *cobra.Command {
	return pageAct(r, `fill @e7 "…"`, "make a text the whole of a field", 1, -1, "fill", (*client.Client).BrowserFill,
		func(cmd *cobra.Command, a api.PageAct, ref api.Ref, args []string) (api.PageFillRequest, error) {
			named, text := words(cmd, append([]string{string(ref)}, args...))
			whole, err := theText(cmd, named[1:], text)
			return api.PageFillRequest{PageAct: a, Ref: ref, Text: whole}, err
		})
}

func (r *run) pageSelect() *cobra.Command {
	return pageAct(r, "select @e7 NAME…", "select options of a list", 2, -1, "select", (*client.Client).BrowserSelect,
		func(_ *cobra.Command, a api.PageAct, ref api.Ref, args []string) (api.PageSelectRequest, error) {
			return api.PageSelectRequest{PageAct: a, Ref: ref, Options: args}, nil
		})
}

// pageCheck makes check and uncheck.
func (r *run) pageCheck(checked bool) *cobra.Command {
	word := "check"
	if !checked {
		word = "uncheck"
	}
	return pageAct(r, word+" @e7", word+" a box", 1, 1, word, (*client.Client).BrowserCheck,
		func(_ *cobra.Command, a api.PageAct, ref api.Ref, _ []string) (api.PageCheckRequest, error) {
			return api.PageCheckRequest{PageAct: a, Ref: ref, Checked: checked}, nil
		})
}

func (r *run) pagePress() *cobra.Command {
	a := &pageActFlags{}
	cmd := pageVerb(r, "press KEY…", "press chords where the focus is: ctrl+a Delete", 1, -1, "press", (*client.Client).BrowserPress,
		func(_ *cobra.Command, args []string) (api.PagePressRequest, error) {
			return api.PagePressRequest{PageAct: a.act(r), Keys: args}, nil
		})
	a.add(cmd)
	return cmd
}

func (r *run) pageHover() *cobra.Command {
	return pageAct(r, "hover @e7", "move the pointer over an element", 1, 1, "hover", (*client.Client).BrowserHover,
		func(_ *cobra.Command, a api.PageAct, ref api.Ref, _ []string) (api.PageHoverRequest, error) {
			return api.PageHoverRequest{PageAct: a, Ref: ref}, nil
		})
}

func (r *run) pageScroll() *cobra.Command {
	a := &pageActFlags{}
	by := &number{}
	cmd := pageVerb(r, "scroll up|down|left|right [@e7]", "scroll the page or an element", 1, 2, "scroll", (*client.Client).BrowserScroll,
		func(cmd *cobra.Command, args []string) (api.PageScrollRequest, error) {
			q := api.PageScrollRequest{PageAct: a.act(r), Direction: args[0], By: by.n}
			if err := oneOf(cmd, "direction", q.Direction, "up", "down", "left", "right"); err != nil || q.Direction == "" {
				return q, misuse(cmd, "up, down, left or right")
			}
			if by.set && by.n == 0 {
				return q, misuse(cmd, "--by is 1 or more")
			}
			var err error
			if len(args) == 2 {
				q.Ref, err = parseRef(args[1])
			}
			return q, err
		})
	a.add(cmd)
	cmd.Flags().Var(by, "by", "how many notches")
	return cmd
}

func (r *run) pageUpload() *cobra.Command {
	a := &pageActFlags{}
	cmd := pageVerb(r, "upload [@e7] FILE…", "give files to a field, or to the chooser that is open", 1, -1, "upload", (*client.Client).BrowserUpload,
		func(cmd *cobra.Command, args []string) (api.UploadRequest, error) {
			q := api.UploadRequest{PageAct: a.act(r)}
			var err error
			if isRef(args[0]) {
				if q.Ref, err = parseRef(args[0]); err != nil {
					return q, err
				}
				args = args[1:]
			}
			if len(args) == 0 {
				return q, misuse(cmd, "the file is missing")
			}
			for _, path := range args {
				if path, err = r.whole(path); err != nil {
					return q, err
				}
				q.Files = append(q.Files, path)
			}
			return q, nil
		})
	a.add(cmd)
	return cmd
}

func (r *run) pageEval() *cobra.Command {
	return pageVerb(r, "eval JS", "run a script in the page, where the configuration allows it", 1, -1, "eval", (*client.Client).BrowserEval,
		func(cmd *cobra.Command, args []string) (api.EvalRequest, error) {
			named, text := words(cmd, args)
			script, err := theText(cmd, named, text)
			return api.EvalRequest{PageRequest: r.page(), Script: script}, err
		})
}
