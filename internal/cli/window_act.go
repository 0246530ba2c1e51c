package cli

import (
	"context"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// closer and sizer are the client's methods that exist twice, for the agent
// and for the person.
type (
	closer = func(*client.Client, context.Context, api.CloseRequest) (api.Acted, error)
	sizer  = func(*client.Client, context.Context, api.SizeRequest) (api.OpenAnswer, error)
)

func (r *run) click() *cobra.Command {
	a := &actFlags{}
	var q api.ClickRequest
	var at string
	count := &number{}
	cmd := &cobra.Command{
		Use: "click <handle> @e7 | click <handle> --at X,Y", Short: "click an element by its own action, or a point", Args: takes(1, 2),
		RunE: verb(r, "click", (*client.Client).Click, func(cmd *cobra.Command, args []string) (api.ClickRequest, error) {
			q.Act, q.Count = a.act(r, args[0]), count.n
			if count.set && count.n == 0 {
				return q, misuse(cmd, "--count is 1 or more")
			}
			if err := oneOf(cmd, "button", q.Button, "left", "right", "middle"); err != nil {
				return q, err
			}
			return q, clickTarget(cmd, args, at, &q)
		}),
	}
	a.add(cmd)
	f := cmd.Flags()
	f.StringVar(&q.Action, "action", "", "the element's action with this name")
	f.BoolVar(&q.Point, "point", false, "click the middle of the element with the pointer")
	f.StringVar(&at, "at", "", "the point to click")
	f.StringVar(&q.Button, "button", "", "left, right or middle")
	f.Var(count, "count", "how often")
	f.StringVar(&q.Mod, "mod", "", "keys held meanwhile: ctrl+shift")
	return cmd
}

// clickTarget reads what is clicked: a ref or a point.
func clickTarget(cmd *cobra.Command, args []string, at string, q *api.ClickRequest) error {
	pointed := cmd.Flags().Changed("at")
	var err error
	switch {
	case len(args) == 2 && pointed:
		return misuse(cmd, "a ref and --at exclude each other")
	case len(args) == 1 && !pointed:
		return misuse(cmd, "name what to click: a ref, or --at X,Y")
	case pointed && (q.Action != "" || q.Point):
		return misuse(cmd, "--action and --point need a ref")
	case pointed:
		q.At, err = flagPoint(cmd, "at", at)
	default:
		q.Ref, err = parseRef(args[1])
	}
	return err
}

// maxTextRunes is what one type takes; the daemon says the same.
const maxTextRunes = 100_000

func (r *run) typeText() *cobra.Command {
	a := &actFlags{}
	var q api.TypeRequest
	var stdin bool
	cmd := &cobra.Command{
		Use: `type <handle> [@e7] "text"`, Short: "type into an element, or into what has the focus",
		Long: "type writes a text into an element through its own interface, or by keys where there is none.\n" +
			"Without a ref it goes to the focused element. The text is one argument, or everything after \"--\"\n" +
			"(a text that begins with \"-\" has to stand there), or standard input with --stdin, every byte of it.",
		Args: takes(1, -1),
		RunE: verb(r, "type", (*client.Client).Type, func(cmd *cobra.Command, args []string) (api.TypeRequest, error) {
			named, text := words(cmd, args)
			if len(named) == 0 {
				return q, misuse(cmd, "the handle is missing")
			}
			q.Act = a.act(r, named[0])
			rest := named[1:]
			if len(rest) > 0 && isRef(rest[0]) {
				var err error
				if q.Ref, err = parseRef(rest[0]); err != nil {
					return q, err
				}
				rest = rest[1:]
			}
			var err error
			if q.Text, err = r.typed(cmd, rest, text, stdin); err != nil {
				return q, err
			}
			if n := utf8.RuneCountInString(q.Text); n > maxTextRunes {
				return q, api.Refuse(api.TextTooLong, "the text has %d characters, and one type takes %d", n, maxTextRunes).
					WithHint("type it in parts")
			}
			return q, nil
		}),
	}
	a.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&q.Replace, "replace", false, "replace what is there")
	f.BoolVar(&q.Enter, "enter", false, "press Return afterwards")
	f.BoolVar(&q.Keys, "keys", false, "by keys, also where the element takes text itself")
	f.BoolVar(&stdin, "stdin", false, "read the text from standard input")
	return cmd
}

// typed finds the text to type: an argument, what follows "--", or all of
// standard input.
func (r *run) typed(cmd *cobra.Command, rest, text []string, stdin bool) (string, error) {
	if !stdin {
		return theText(cmd, rest, text)
	}
	if len(rest) > 0 || text != nil {
		return "", misuse(cmd, "--stdin and a text exclude each other")
	}
	raw, err := io.ReadAll(io.LimitReader(r.Stdin, api.MaxBody))
	if err != nil {
		return "", &usage{message: "standard input cannot be read: " + err.Error()}
	}
	if !utf8.Valid(raw) && len(raw) < api.MaxBody {
		return "", &usage{message: "standard input is not UTF-8"}
	}
	return string(raw), nil
}

func (r *run) set() *cobra.Command {
	a := &actFlags{}
	var value, choice string
	var check, uncheck, expand, collapse, focus bool
	cmd := &cobra.Command{
		Use:   "set <handle> @e7 --value V | --select NAME | --check | --uncheck | --expand | --collapse | --focus",
		Short: "set an element through its own interface", Args: takes(2, 2),
		RunE: verb(r, "set", (*client.Client).Set, func(cmd *cobra.Command, args []string) (api.SetRequest, error) {
			q := api.SetRequest{Act: a.act(r, args[0]), Focus: focus}
			forms := 0
			for _, given := range []bool{cmd.Flags().Changed("value"), cmd.Flags().Changed("select"), check, uncheck, expand, collapse, focus} {
				if given {
					forms++
				}
			}
			if forms != 1 {
				return q, misuse(cmd, "name one thing to set")
			}
			switch {
			case cmd.Flags().Changed("value"):
				q.Value = &value
			case cmd.Flags().Changed("select"):
				q.Select = &choice
			case check || uncheck:
				q.Check = &check
			case expand || collapse:
				q.Expand = &expand
			}
			var err error
			q.Ref, err = parseRef(args[1])
			return q, err
		}),
	}
	a.add(cmd)
	f := cmd.Flags()
	f.StringVar(&value, "value", "", "its value (--value=-5 for a negative one)")
	f.StringVar(&choice, "select", "", "the item with this name")
	f.BoolVar(&check, "check", false, "check it")
	f.BoolVar(&uncheck, "uncheck", false, "uncheck it")
	f.BoolVar(&expand, "expand", false, "expand it")
	f.BoolVar(&collapse, "collapse", false, "collapse it")
	f.BoolVar(&focus, "focus", false, "give it the focus")
	return cmd
}

func (r *run) key() *cobra.Command {
	a := &actFlags{}
	cmd := &cobra.Command{
		Use: "key <handle> ctrl+s …", Short: "press chords, in order",
		Long: "key presses one or more chords, in order. Keys have X's names: Return, Left, F5, plus, minus, a.",
		Args: takes(2, -1),
		RunE: verb(r, "key", (*client.Client).Key, func(_ *cobra.Command, args []string) (api.KeyRequest, error) {
			return api.KeyRequest{Act: a.act(r, args[0]), Keys: args[1:]}, nil
		}),
	}
	a.add(cmd)
	return cmd
}

func (r *run) scroll() *cobra.Command {
	a := &actFlags{}
	var at string
	by := &number{}
	cmd := &cobra.Command{
		Use: "scroll <handle> up|down|left|right [@e7]", Short: "turn the wheel, over an element or a point", Args: takes(2, 3),
		RunE: verb(r, "scroll", (*client.Client).Scroll, func(cmd *cobra.Command, args []string) (api.ScrollRequest, error) {
			q := api.ScrollRequest{Act: a.act(r, args[0]), Direction: args[1], By: by.n}
			switch args[1] {
			case "up", "down", "left", "right":
			default:
				return q, misuse(cmd, api.Quote(args[1], 80)+" is not a direction")
			}
			if by.set && by.n == 0 {
				return q, misuse(cmd, "--by is 1 or more")
			}
			var err error
			if q.At, err = flagPoint(cmd, "at", at); err != nil || len(args) == 2 {
				return q, err
			}
			if q.At != nil {
				return q, misuse(cmd, "a ref and --at exclude each other")
			}
			q.Ref, err = parseRef(args[2])
			return q, err
		}),
	}
	a.add(cmd)
	cmd.Flags().Var(by, "by", "how many notches")
	cmd.Flags().StringVar(&at, "at", "", "the point to scroll at")
	return cmd
}
