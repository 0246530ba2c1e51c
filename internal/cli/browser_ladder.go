package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) browserBackend() *cobra.Command {
	return &cobra.Command{
		Use: "backend [name]", Short: "what can drive a browser here, and what to do where it cannot", Args: takes(0, 1),
		RunE: verb(r, "backend", (*client.Client).BrowserBackend, func(cmd *cobra.Command, args []string) (api.BackendRequest, error) {
			q := api.BackendRequest{Common: r.common(), Profile: api.Handle(r.attachment)}
			if len(args) > 0 {
				q.Backend = args[0]
			}
			return q, nil
		}),
	}
}

func (r *run) browserBlocked() *cobra.Command {
	var url, why, tier, backend string
	cmd := &cobra.Command{
		Use: "blocked --url U", Short: "say that a page keeps automation out: a claim of yours, nothing is switched", Args: takes(0, 0),
		RunE: verb(r, "blocked", (*client.Client).BrowserBlocked, func(cmd *cobra.Command, _ []string) (api.BlockedRequest, error) {
			if url == "" {
				return api.BlockedRequest{}, misuse(cmd, "--url is needed")
			}
			q := api.BlockedRequest{Common: r.common(), URL: url, Why: why, Backend: backend, Profile: api.Handle(r.attachment)}
			if tier != "" {
				n, err := strconv.Atoi(tier)
				if err != nil || n < 1 || n > 3 {
					return q, misuse(cmd, "--tier is 1, 2 or 3")
				}
				q.Tier = n
			}
			return q, nil
		}),
	}
	f := cmd.Flags()
	f.StringVar(&url, "url", "", "the page")
	f.StringVar(&why, "why", "", "what was met there")
	f.StringVar(&tier, "tier", "", "which tier would do, while no backend is named")
	f.StringVar(&backend, "backend", "", "which backend would do")
	return cmd
}

func (r *run) browserNew() *cobra.Command {
	var q api.BrowserNewRequest
	var size, mode string
	cmd := &cobra.Command{
		Use: "new <label>", Short: "make a profile; with --backend desktop-app open a real browser as a window", Args: takes(1, 1),
		RunE: verb(r, "new", (*client.Client).BrowserNew, func(cmd *cobra.Command, args []string) (api.BrowserNewRequest, error) {
			q.Common, q.Label = r.common(), args[0]
			var err error
			if q.Mode, err = parseMode(mode); err != nil {
				return q, err
			}
			if size != "" {
				if q.Size, err = pinArg(size); err != nil {
					return q, err
				}
				q.AutoSize = q.Size == nil
			}
			if q.Dir, err = r.Getwd(); err != nil {
				q.Dir = "" // only a relative --adopt needs it, and is refused for it
			}
			return q, nil
		}),
	}
	f := cmd.Flags()
	f.StringVar(&q.Backend, "backend", "", "a row of the ladder: vibespace-browser backend lists them")
	f.StringVar(&q.Adopt, "adopt", "", "make this directory the profile's own")
	f.StringVar(&q.URL, "url", "", "the page to begin with (desktop-app)")
	f.StringVar(&mode, "mode", "", "auto, tree or pixels (desktop-app)")
	f.StringVar(&size, "size", "", "pin the window to WxH pixels, or auto (desktop-app)")
	f.StringVar(&q.Browser, "browser", "", "which installed browser, by its command (desktop-app)")
	f.BoolVar(&q.Headless, "headless", false, "its browser has no window: nothing to watch or take over")
	f.StringVar(&q.Group, "group", "", "owned by this group, which the session is in")
	f.StringVar(&q.Address, "address", "", "where somebody else's browser answers (cdp)")
	f.StringVar(&q.AllowedDomains, "allowed-domains", "", "refused on a profile that is kept, with the reason")
	f.StringVar(&q.Sharing, "sharing", "", "owner; anything wider is refused, with the reason")
	f.BoolVar(&q.Keep, "keep-profile", false, "keep what the browser leaves (desktop-app)")
	return cmd
}
