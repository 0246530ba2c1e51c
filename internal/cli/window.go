package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// Window runs vibespace-window, the agent's command line for windows, and
// gives its exit status.
func Window(p Program) int { return p.main(windowTree) }

// windowTree is the commands of vibespace-window.
func windowTree(r *run) *cobra.Command {
	root := &cobra.Command{
		Use:   "vibespace-window <verb>",
		Short: "drive windows of real applications on displays of their own",
		Long: "vibespace-window opens applications on displays of their own, reads them as a tree of elements with refs\n" +
			"(@e7), and acts on elements first and on points second. A window is named by its handle (w7).\n\n" +
			"Exit status: 0 done, 1 refused, 2 wrong usage, 3 no daemon, 4 a condition was not met, 130 interrupted.",
		Example: windowExample,
	}
	root.PersistentFlags().StringVar(&r.session, "session", "", "which of the caller's own sessions acts, by label")
	root.AddCommand(r.apps(), r.open(), r.list(), r.attach(), r.detach(), r.closeWindow(), r.stop())
	root.AddCommand(r.snapshot(), r.find(), r.get(), r.screenshot(), r.wait())
	root.AddCommand(r.click(), r.typeText(), r.set(), r.key(), r.scroll())
	root.AddCommand(r.menu(), r.selectText(), r.drag(), r.hover(), r.clipboard(), r.appLogs())
	root.AddCommand(r.size(), r.mode(), r.status(), r.probe(), r.batch(), r.ask(), r.watchChanges(), r.mcpServer())
	root.AddCommand(r.manual(root), r.completion(root))
	return root
}

// windowExample is how an agent goes about it; a test runs every line.
const windowExample = `  vibespace-window open mousepad                 # w1: a display, the application, its lease
  vibespace-window snapshot w1                   # the tree: role "name" @ref [states] (bounds)
  vibespace-window find w1 --role text           # or only the refs that are wanted
  vibespace-window type w1 @e9 "hello"           # through the element itself, read back
  vibespace-window get w1 @e9 text               # what it holds now
  vibespace-window menu w1 'Help>About'          # a menu by name; the answer shows the dialog
  vibespace-window wait w1 --role dialog         # until it is there
  vibespace-window key w1 Escape                 # keys and points where there is no element
  vibespace-window snapshot w1 --diff            # only what changed since the last one
  vibespace-window click w1 --at 200,150         # a pixel of the picture
  vibespace-window screenshot w1 --out seen.png  # what it looks like
  vibespace-window stop w1                       # the application, its display, every process of it`

func (r *run) apps() *cobra.Command {
	return &cobra.Command{
		Use: "apps", Short: "what can be opened here", Args: takes(0, 0),
		RunE: verb(r, "apps", (*client.Client).Apps, func(*cobra.Command, []string) (api.AppsRequest, error) {
			return api.AppsRequest{Common: r.common()}, nil
		}),
	}
}

// openFlags are the flags that open and launch share.
type openFlags struct {
	title, size, mode, rung, home, url, with string
	env                                      []string
}

// add adds the flags of both.
func (o *openFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.title, "title", "", "the window whose title holds this is the main one")
	f.StringVar(&o.size, "size", "", "pin the window to WxH pixels")
	f.StringVar(&o.mode, "mode", "", "auto, tree or pixels")
	f.StringVar(&o.rung, "rung", "", "how the display is made: xvfb or xpra")
	f.StringVar(&o.home, "home", "", "keep the application's home under this name")
	f.StringArrayVar(&o.env, "env", nil, "K=V for the application's environment; may be repeated")
}

// request reads the command line of open and launch.
func (o *openFlags) request(r *run, cmd *cobra.Command, args []string) (api.OpenRequest, error) {
	named, text := words(cmd, args)
	switch {
	case len(named) == 0:
		return api.OpenRequest{}, misuse(cmd, "the application is missing")
	case len(named) > 1:
		return api.OpenRequest{}, &usage{
			message: "there is too much: " + api.Quote(named[1], 80),
			hint:    `the application's own arguments go after "--"`,
		}
	}
	for _, kv := range o.env {
		if key, _, ok := strings.Cut(kv, "="); !ok || key == "" {
			return api.OpenRequest{}, misuse(cmd, "--env is K=V, not "+api.Quote(kv, 80))
		}
	}
	if err := oneOf(cmd, "rung", o.rung, "xvfb", "xpra"); err != nil {
		return api.OpenRequest{}, err
	}
	size, err := flagSize(cmd, "size", o.size)
	if err != nil {
		return api.OpenRequest{}, err
	}
	mode, err := parseMode(o.mode)
	if err != nil {
		return api.OpenRequest{}, err
	}
	dir, err := r.Getwd()
	if err != nil {
		dir = "" // the directory is gone: only a relative path needs it, and is refused for it
	}
	return api.OpenRequest{
		Common: r.common(), App: named[0], Args: text, Title: o.title, Size: size, Mode: mode, Rung: o.rung,
		Home: o.home, Env: o.env, Dir: dir, URL: o.url, With: o.with,
	}, nil
}

func (r *run) open() *cobra.Command {
	o := &openFlags{}
	cmd := &cobra.Command{
		Use: "open <app|path> [flags] [-- args…]", Short: "start an application and attach to its window",
		RunE: verb(r, "open", (*client.Client).Open, func(cmd *cobra.Command, args []string) (api.OpenRequest, error) {
			return o.request(r, cmd, args)
		}),
	}
	o.add(cmd)
	return cmd
}

func (r *run) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "the windows this session reaches", Args: takes(0, 0),
		RunE: verb(r, "list", (*client.Client).List, func(*cobra.Command, []string) (api.ListRequest, error) {
			return api.ListRequest{Common: r.common()}, nil
		}),
	}
}

func (r *run) attach() *cobra.Command {
	return &cobra.Command{
		Use: "attach <handle>", Short: "take the lease of a window", Args: takes(1, 1),
		RunE: handleVerb(r, "attach", (*client.Client).Attach),
	}
}

func (r *run) detach() *cobra.Command {
	return &cobra.Command{
		Use: "detach <handle>", Short: "drop the lease; the application keeps running", Args: takes(1, 1),
		RunE: handleVerb(r, "detach", (*client.Client).Detach),
	}
}

func (r *run) stop() *cobra.Command {
	return &cobra.Command{
		Use: "stop <handle>", Short: "end a window of one's own now: what is not saved is lost; close asks first", Args: takes(1, 1),
		RunE: handleVerb(r, "stop", (*client.Client).Stop),
	}
}

// closeCommand is close, the agent's and the person's.
func (r *run) closeCommand(do closer, change ...func(*client.Config)) *cobra.Command {
	a, window := &actFlags{}, &number{}
	cmd := &cobra.Command{
		Use: "close <handle>", Short: "ask a window to close", Args: takes(1, 1),
		RunE: verb(r, "close", do, func(_ *cobra.Command, args []string) (api.CloseRequest, error) {
			return api.CloseRequest{Act: a.act(r, args[0]), Window: window.ptr()}, nil
		}, change...),
	}
	a.add(cmd)
	cmd.Flags().Var(window, "window", "the dialog with this number instead of the main window")
	return cmd
}

func (r *run) closeWindow() *cobra.Command { return r.closeCommand((*client.Client).CloseWindow) }

// sizeCommand is size, the agent's and the person's.
func (r *run) sizeCommand(do sizer, change ...func(*client.Config)) *cobra.Command {
	return &cobra.Command{
		Use: "size <handle> WxH|auto", Short: "pin a window to an exact size, or let it go", Args: takes(2, 2),
		RunE: verb(r, "size", do, func(_ *cobra.Command, args []string) (api.SizeRequest, error) {
			size, err := pinArg(args[1])
			return api.SizeRequest{Common: r.common(), Handle: api.Handle(args[0]), Size: size}, err
		}, change...),
	}
}

func (r *run) size() *cobra.Command { return r.sizeCommand((*client.Client).Size) }

func (r *run) mode() *cobra.Command {
	return &cobra.Command{
		Use: "mode <handle> auto|tree|pixels", Short: "which verbs a window takes", Args: takes(2, 2),
		RunE: verb(r, "mode", (*client.Client).Mode, func(_ *cobra.Command, args []string) (api.ModeRequest, error) {
			if args[1] == "" {
				args[1] = "?" // no mode is not a mode either
			}
			mode, err := parseMode(args[1])
			return api.ModeRequest{Common: r.common(), Handle: api.Handle(args[0]), Mode: mode}, err
		}),
	}
}

func (r *run) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "this session: what it holds and what it should know", Args: takes(0, 0),
		RunE: verb(r, "status", (*client.Client).Status, func(*cobra.Command, []string) (api.StatusRequest, error) {
			return api.StatusRequest{Common: r.common()}, nil
		}, onlyLook),
	}
}

func (r *run) probe() *cobra.Command {
	return &cobra.Command{
		Use: "probe [handle]", Short: "which roads exist, here or to a window", Args: takes(0, 1),
		RunE: verb(r, "probe", (*client.Client).Probe, func(_ *cobra.Command, args []string) (api.ProbeRequest, error) {
			q := api.ProbeRequest{Common: r.common()}
			if len(args) == 1 {
				q.Handle = api.Handle(args[0])
			}
			return q, nil
		}),
	}
}
