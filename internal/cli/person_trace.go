package cli

import (
	"html/template"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) trace() *cobra.Command {
	var open, remove bool
	limit := &number{}
	cmd := &cobra.Command{
		Use: "trace <handle>", Short: "what was done to a window, with a picture before and after", Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if open && remove {
				return misuse(cmd, "--open or --delete")
			}
			c, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			q := api.TraceRequest{Common: r.common(), Handle: api.Handle(args[0]), Limit: limit.n}
			if remove {
				a, err := c.TraceDelete(cmd.Context(), q)
				return answer(r, "trace", a, err)
			}
			return r.showTrace(cmd, c, q, open)
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "make a page of it and show that")
	cmd.Flags().BoolVar(&remove, "delete", false, "delete its pictures, and say what that was")
	cmd.Flags().Var(limit, "limit", "the last N acts (100)")
	return cmd
}

// showTrace lists the acts, and makes a page of them when it is asked for.
func (r *run) showTrace(cmd *cobra.Command, c *client.Client, q api.TraceRequest, open bool) error {
	a, err := c.Trace(cmd.Context(), q)
	if err != nil || !open {
		return answer(r, "trace", a, err)
	}
	paths, err := api.PathsFrom(r.Getenv, os.Getuid())
	if err != nil {
		return &usage{message: err.Error()}
	}
	if a.Page, err = writePage(paths, a); err != nil {
		return api.Refuse(api.StoreFailed, "the page cannot be written: %v", err).WithHint("vibespace doctor")
	}
	a.Unshown = r.showPage(a.Page)
	return answer(r, "trace", a, nil)
}

// showPage shows a page to the person, and says why nothing can.
func (r *run) showPage(path string) (unshown string) {
	if r.Getenv("DISPLAY") == "" && r.Getenv("WAYLAND_DISPLAY") == "" {
		return "neither DISPLAY nor WAYLAND_DISPLAY is set"
	}
	show := exec.Command("xdg-open", path)
	if err := show.Start(); err != nil {
		return err.Error()
	}
	_ = show.Process.Release()
	return ""
}

// writePage writes a page of acts beside the pictures, in place of the last one
// of that window.
func writePage(paths api.Paths, a api.TraceAnswer) (string, error) {
	dir := filepath.Join(paths.State, "trace")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := page.Execute(&b, a); err != nil {
		return "", err
	}
	path := filepath.Join(dir, string(a.Handle)+".html")
	return path, os.WriteFile(path, []byte(b.String()), 0o600)
}

// page is the acts of a window one below the other. It loads nothing from
// elsewhere, and names of elements are text in it.
var page = template.Must(template.New("trace").Funcs(template.FuncMap{
	"url": func(path string) template.URL { return template.URL((&url.URL{Scheme: "file", Path: path}).String()) },
}).Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{{.Handle}}: what was done</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src file:; style-src 'unsafe-inline'">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; padding: 0 1rem; color-scheme: light dark }
section { border-top: 1px solid #8886; padding: 1rem 0 }
figure { display: inline-block; margin: .5rem 1rem 0 0; max-width: 48% }
img { max-width: 100%; border: 1px solid #8886 }
small, figcaption { opacity: .75 }
</style>
<h1>{{.Handle}}: {{len .Rows}} acts</h1>
{{range .Rows}}<section>
<strong>{{.Verb}}</strong> {{.Role}} {{with .Name}}“{{.}}”{{end}} {{with .By}}by {{.}}{{end}}: {{.Verdict}}
<br><small>{{.At.Format "2006-01-02 15:04:05"}} UTC, {{.Session}}, {{.TookMs}} ms{{with .Note}}; {{.}}{{end}}</small><br>
{{with .Before}}<figure><img src="{{url .}}" alt="before" loading="lazy"><figcaption>before</figcaption></figure>{{end}}
{{with .After}}<figure><img src="{{url .}}" alt="after" loading="lazy"><figcaption>after</figcaption></figure>{{end}}
</section>
{{end}}</html>
`))
