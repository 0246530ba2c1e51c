package page

import (
	"context"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"vibespace/internal/api"
)

// Extract gives what the page says as markdown, text or tables.
func (p *Page) Extract(ctx context.Context, r api.ExtractRequest) (*api.ExtractAnswer, error) {
	format := r.Format
	if format == "" {
		format = "markdown"
	}
	how, ok := map[string]func(context.Context, *node, *api.ExtractAnswer) error{"markdown": asMarkdown, "text": asText, "json-table": asTables}[format]
	if !ok {
		return nil, api.Refuse(api.BadRequest, "%q is no format", r.Format).WithHint("markdown, text or json-table")
	}
	return run(ctx, p, func(o *op) (*api.ExtractAnswer, error) {
		defer p.main.letGo()
		a, err := steady(o.ctx, p, func() (*api.ExtractAnswer, error) {
			a := &api.ExtractAnswer{Format: format}
			n, err := p.base(o.ctx, r.Ref)
			if err != nil {
				return nil, err
			}
			if err := how(o.ctx, n, a); err != nil {
				return nil, err
			}
			if r.Ref == "" {
				p.framesToo(o.ctx, a, how)
			}
			if format == "json-table" && len(a.Tables) == 0 {
				return nil, api.Refuse(api.CannotSet, "there is no table").WithHint("vibespace-browser extract --format markdown")
			}
			return a, nil
		})
		if err != nil {
			return nil, err
		}
		a.PageAnswer = p.Answer()
		a.Fence = fence()
		a.Text = strings.TrimSpace(strings.ToValidUTF8(a.Text, "\uFFFD"))
		if len(a.Text) > mostBytes {
			a.Text = strings.ToValidUTF8(a.Text[:mostBytes], "")
			a.Cut = &api.Cut{Why: "bytes", Continue: "vibespace-browser extract --ref @e… reads a part of the page"}
		}
		return a, nil
	})
}

// framesToo adds what the page's frames say, each under its address. One that
// cannot be read is left out: a snapshot says so.
func (p *Page) framesToo(ctx context.Context, a *api.ExtractAnswer, how func(context.Context, *node, *api.ExtractAnswer) error) {
	for i, f := range p.framesInOrder() {
		if i == 0 || i >= maxFrames || len(a.Text) > mostBytes || ctx.Err() != nil {
			continue
		}
		d, err := p.document(ctx, f)
		if err != nil {
			continue
		}
		var view [4]int
		if d.ask(ctx, "position", &view) != nil || view[2] < 2 || view[3] < 2 {
			continue // it is not shown
		}
		n, err := d.hold(ctx, "root")
		if err != nil || n == nil {
			continue
		}
		part := &api.ExtractAnswer{}
		if how(ctx, n, part) != nil {
			continue
		}
		a.Tables = append(a.Tables, part.Tables...)
		if text := strings.TrimSpace(part.Text); text != "" {
			a.Text = strings.TrimSpace(a.Text) + "\n\n[frame " + shownURL(p.where(f).url) + "]\n\n" + text
		}
	}
}

// base is the element that is read: that of a ref, or the whole document.
func (p *Page) base(ctx context.Context, ref api.Ref) (*node, error) {
	if ref != "" {
		a, err := p.take(ctx, ref)
		if err != nil {
			return nil, err
		}
		return a.node, nil
	}
	d, err := p.document(ctx, p.mainFrame())
	if err != nil {
		return nil, err
	}
	return d.hold(ctx, "root")
}

// hold calls a function that gives an element, and holds that.
func (n *node) hold(ctx context.Context, name string) (*node, error) {
	c, err := n.begin(name, false)
	if err != nil {
		return nil, err
	}
	var got struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	if err := c.Wait(ctx, &got); err != nil {
		return nil, err
	}
	if got.Result.ObjectID == "" {
		return nil, nil
	}
	held := *n
	held.object = remoteID(got.Result.ObjectID)
	return &held, nil
}

// asMarkdown turns what is shown into markdown.
func asMarkdown(ctx context.Context, n *node, a *api.ExtractAnswer) error {
	var got struct {
		HTML string `json:"html"`
		Cut  bool   `json:"cut"`
	}
	if err := n.ask(ctx, "html", &got, false); err != nil {
		return err
	}
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := conv.ConvertString(got.HTML)
	if err != nil {
		return fmt.Errorf("turn the page into markdown: %w", err)
	}
	a.Text = text
	if got.Cut {
		a.Cut = &api.Cut{Why: "bytes", Continue: "vibespace-browser extract --ref @e… reads a part of the page"}
	}
	return nil
}

// asText gives the text as it is laid out.
func asText(ctx context.Context, n *node, a *api.ExtractAnswer) error {
	return n.ask(ctx, "text", &a.Text)
}

// asTables gives the tables.
func asTables(ctx context.Context, n *node, a *api.ExtractAnswer) error {
	if err := n.ask(ctx, "tables", &a.Tables); err != nil {
		return err
	}
	left := mostBytes
	for i := range a.Tables {
		t := &a.Tables[i]
		for k, row := range t.Rows {
			for _, cell := range row {
				left -= len(cell) + 4
			}
			if left < 0 {
				t.Rows, a.Tables = t.Rows[:k], a.Tables[:i+1]
				a.Cut = &api.Cut{Why: "bytes", Continue: "vibespace-browser extract --ref @e… reads one table"}
				return nil
			}
		}
	}
	return nil
}
