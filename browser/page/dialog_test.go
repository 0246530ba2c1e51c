package page

import (
	"context"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestDialogs: a click that opens a dialog answers at once and says so; every
// other verb is refused by name until the dialog's own verb has answered it.
func TestDialogs(t *testing.T) {
	p := open(t, "dialogs.html")
	refs := p.named()
	for _, c := range []struct {
		button, kind, do, text, log string
	}{
		{"Alert", "alert", "accept", "", `["alerted"]`},
		{"Confirm", "confirm", "accept", "", `[true]`},
		{"Confirm", "confirm", "dismiss", "", `[false]`},
		{"Prompt", "prompt", "accept", "me", `["me"]`},
		{"Prompt", "prompt", "accept", "", `["nobody"]`},
		{"Prompt", "prompt", "dismiss", "", `[null]`},
	} {
		p.js("log.length = 0")
		begun := time.Now()
		a := p.click(refs[c.button])
		if len(a.Effects) == 0 || a.Effects[len(a.Effects)-1].Kind != "dialog" || !strings.HasPrefix(a.Effects[len(a.Effects)-1].Text, c.kind+": ") {
			t.Errorf("%s: %+v", c.button, a.Effects)
		}
		t.Logf("%s: %v", c.button, time.Since(begun))
		refusal(t, second(p.Snapshot(p.ctx, api.PageSnapshotRequest{})), api.DialogOpen)
		refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: refs["Alert"]})), api.DialogOpen)
		if d, err := p.Dialog(p.ctx, api.DialogRequest{}); err != nil || d.Dialog == nil || d.Dialog.Kind != c.kind {
			t.Errorf("status: %+v, %v", d, err)
		}
		if _, err := p.Dialog(p.ctx, api.DialogRequest{Do: c.do, Text: c.text}); err != nil {
			t.Fatal(err)
		}
		if got := p.js("log"); got != c.log {
			t.Errorf("%s %s: the page saw %s", c.button, c.do, got)
		}
	}
	refusal(t, second(p.Dialog(p.ctx, api.DialogRequest{Do: "accept"})), api.CannotSet)
	p.click(refs["Print"])
	if got := p.js("log.includes('printed')"); got != "true" {
		t.Error("print stood in the way")
	}
}

// TestDialogByItself: a dialog nobody's act opened cuts what reads.
func TestDialogByItself(t *testing.T) {
	p := open(t, "dialogs.html")
	p.click(p.named()["Later"])
	_, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "never to be seen"})
	refusal(t, err, api.DialogOpen)
	if _, err := p.Dialog(p.ctx, api.DialogRequest{Do: "dismiss"}); err != nil {
		t.Fatal(err)
	}
	p.snap()
}

// TestBeforeUnload: leaving a page that asks is refused by the dialog's name;
// its answer decides.
func TestBeforeUnload(t *testing.T) {
	p := open(t, "dialogs.html")
	refs := p.named()
	p.click(refs["Arm"])
	refusal(t, second(p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/basic.html"})), api.DialogOpen)
	if _, err := p.Dialog(p.ctx, api.DialogRequest{Do: "dismiss"}); err != nil {
		t.Fatal(err)
	}
	if got := p.js("document.title"); got != `"Dialogs"` {
		t.Errorf("at %s", got)
	}
	a := p.click(refs["Leave"])
	if !strings.Contains(kinds(a.Effects), "dialog") {
		t.Errorf("%+v", a.Effects)
	}
	d, err := p.Dialog(p.ctx, api.DialogRequest{Do: "accept"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{URL: "basic.html", Load: true}); err != nil {
		t.Errorf("%v; effects %+v", err, d.Effects)
	}
}

// TestDialogCutsWhatReads: a dialog that opens under a verb which reads ends it:
// nothing of the page answers any more, and the reader would wait its whole time.
func TestDialogCutsWhatReads(t *testing.T) {
	p := open(t, "dialogs.html")
	_, err := run(p.ctx, p.Page, func(o *op) (bool, error) {
		p.main.s.Post("Runtime.evaluate", map[string]any{"expression": "setTimeout(() => alert('meanwhile'), 0)"})
		select {
		case <-o.ctx.Done():
			return false, context.Cause(o.ctx)
		case <-time.After(45 * time.Second):
			return true, nil
		}
	})
	refusal(t, err, api.DialogOpen)
	if _, err := p.Dialog(p.ctx, api.DialogRequest{Do: "dismiss"}); err != nil {
		t.Fatal(err)
	}
	p.snap()
}
