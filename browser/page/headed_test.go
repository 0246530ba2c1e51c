package page

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/browser/keeper"
	"vibespace/internal/api"
	"vibespace/internal/need"
	"vibespace/x11/xvfb"
)

// headed starts a browser with a window on a display of its own.
func headed(t *testing.T) *Browser {
	t.Helper()
	need.Xvfb(t)
	chromium, dir := need.Chromium(t), need.Dir(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	end := func(do func(context.Context) error) {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := do(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	x, err := xvfb.Start(ctx, xvfb.Config{Dir: need.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	end(x.Stop)
	k, err := keeper.Start(ctx, keeper.Spec{
		Program: []string{exe(t), "keeper"}, Dir: filepath.Join(dir, "k"), Profile: filepath.Join(dir, "p"), Chromium: chromium,
		Env: []string{"TMPDIR=" + dir, "DISPLAY=" + x.Display(), "XAUTHORITY=" + x.CookieFile()},
	})
	if err != nil {
		t.Fatal(err)
	}
	end(func(ctx context.Context) error { return second(k.Stop(ctx)) })
	link, err := k.Attach(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Connect(ctx, link, link.Session, Config{Eval: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestHeaded: a browser with a window is driven like one without, and so is a
// tab of it that is not on show; what would stand as a dialog of the browser's
// own does not.
func TestHeaded(t *testing.T) {
	t.Parallel()
	b := headed(t)
	behind := openIn(t, b, "fields.html")
	front := openIn(t, b, "dialogs.html")
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"fill behind", func() error {
			a, err := behind.Fill(behind.ctx, api.PageFillRequest{Ref: behind.ref("textbox", "Long"), Text: "behind"})
			if err == nil && !*a.Verified {
				t.Errorf("%+v", a)
			}
			return err
		}},
		{"type behind", func() error {
			a, err := behind.Type(behind.ctx, api.PageTypeRequest{Ref: behind.ref("textbox", "Long"), Text: " it"})
			if err == nil && !*a.Verified {
				t.Errorf("%+v", a)
			}
			return err
		}},
		{"check behind", func() error {
			a, err := behind.Check(behind.ctx, api.PageCheckRequest{Ref: behind.ref("checkbox", "Box"), Checked: true})
			if err == nil && !*a.Verified {
				t.Errorf("%+v", a)
			}
			return err
		}},
		{"picture behind", func() error { return second(behind.Screenshot(behind.ctx, api.PageScreenshotRequest{})) }},
		{"picture in front", func() error { return second(front.Screenshot(front.ctx, api.PageScreenshotRequest{})) }},
		{"confirm", func() error {
			a := front.click(front.ref("button", "Confirm"))
			if !strings.Contains(kinds(a.Effects), "dialog") {
				t.Errorf("%+v", a.Effects)
			}
			return second(front.Dialog(front.ctx, api.DialogRequest{Do: "accept"}))
		}},
		{"print", func() error {
			return second(front.Click(front.ctx, api.PageClickRequest{Ref: front.ref("button", "Print")}))
		}},
		{"after print", func() error {
			return second(front.Click(front.ctx, api.PageClickRequest{Ref: front.ref("button", "Confirm")}))
		}},
		{"answer", func() error { return second(front.Dialog(front.ctx, api.DialogRequest{Do: "dismiss"})) }},
		{"auth", func() error {
			a, err := front.Open(front.ctx, api.PageOpenRequest{URL: front.site.URL + "/auth"})
			if err == nil && (a.Status == nil || *a.Status != 401) {
				t.Errorf("%+v", a)
			}
			return err
		}},
	} {
		begun := time.Now()
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		t.Logf("%s: %v", c.name, time.Since(begun))
	}
}
