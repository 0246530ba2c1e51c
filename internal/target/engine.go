package target

import (
	"context"

	"vibespace/internal/api"
)

// Engine is the window engine of one daemon. Its methods are the verbs of the
// contract; each is safe for concurrent use and bounds itself by the context
// it is given.
type Engine struct{}

func (e *Engine) Apps(ctx context.Context, c api.Caller, r api.AppsRequest) (api.AppsAnswer, error) {
	return api.AppsAnswer{}, notYet("apps")
}

func (e *Engine) Open(ctx context.Context, c api.Caller, r api.OpenRequest) (api.OpenAnswer, error) {
	return api.OpenAnswer{}, notYet("open")
}

func (e *Engine) Launch(ctx context.Context, c api.Caller, r api.OpenRequest) (api.OpenAnswer, error) {
	return api.OpenAnswer{}, notYet("launch")
}

func (e *Engine) List(ctx context.Context, c api.Caller, r api.ListRequest) (api.ListAnswer, error) {
	return api.ListAnswer{}, notYet("list")
}

func (e *Engine) Attach(ctx context.Context, c api.Caller, r api.HandleRequest) (api.OpenAnswer, error) {
	return api.OpenAnswer{}, notYet("attach")
}

func (e *Engine) Detach(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	return api.HandleAnswer{}, notYet("detach")
}

func (e *Engine) Stop(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	return api.HandleAnswer{}, notYet("stop")
}

func (e *Engine) Close(ctx context.Context, c api.Caller, r api.CloseRequest) (api.Acted, error) {
	return api.Acted{}, notYet("close")
}

func (e *Engine) Snapshot(ctx context.Context, c api.Caller, r api.SnapshotRequest) (api.Snapshot, error) {
	return api.Snapshot{}, notYet("snapshot")
}

func (e *Engine) Find(ctx context.Context, c api.Caller, r api.FindRequest) (api.FindAnswer, error) {
	return api.FindAnswer{}, notYet("find")
}

func (e *Engine) Get(ctx context.Context, c api.Caller, r api.GetRequest) (api.GetAnswer, error) {
	return api.GetAnswer{}, notYet("get")
}

func (e *Engine) Screenshot(ctx context.Context, c api.Caller, r api.ScreenshotRequest) (api.ScreenshotAnswer, error) {
	return api.ScreenshotAnswer{}, notYet("screenshot")
}

func (e *Engine) Click(ctx context.Context, c api.Caller, r api.ClickRequest) (api.Acted, error) {
	return api.Acted{}, notYet("click")
}

func (e *Engine) Type(ctx context.Context, c api.Caller, r api.TypeRequest) (api.Acted, error) {
	return api.Acted{}, notYet("type")
}

func (e *Engine) Set(ctx context.Context, c api.Caller, r api.SetRequest) (api.Acted, error) {
	return api.Acted{}, notYet("set")
}

func (e *Engine) Key(ctx context.Context, c api.Caller, r api.KeyRequest) (api.Acted, error) {
	return api.Acted{}, notYet("key")
}

func (e *Engine) Scroll(ctx context.Context, c api.Caller, r api.ScrollRequest) (api.Acted, error) {
	return api.Acted{}, notYet("scroll")
}

func (e *Engine) Wait(ctx context.Context, c api.Caller, r api.WaitRequest) (api.WaitAnswer, error) {
	return api.WaitAnswer{}, notYet("wait")
}

func (e *Engine) Size(ctx context.Context, c api.Caller, r api.SizeRequest) (api.OpenAnswer, error) {
	return api.OpenAnswer{}, notYet("size")
}

func (e *Engine) Mode(ctx context.Context, c api.Caller, r api.ModeRequest) (api.OpenAnswer, error) {
	return api.OpenAnswer{}, notYet("mode")
}

func (e *Engine) Status(ctx context.Context, c api.Caller, r api.StatusRequest) (api.StatusAnswer, error) {
	return api.StatusAnswer{}, notYet("status")
}

func (e *Engine) Probe(ctx context.Context, c api.Caller, r api.ProbeRequest) (api.ProbeAnswer, error) {
	return api.ProbeAnswer{}, notYet("probe")
}

// The person's verbs.
func (e *Engine) Share(ctx context.Context, c api.Caller, r api.ShareRequest) (api.SharesAnswer, error) {
	return api.SharesAnswer{}, notYet("share")
}

func (e *Engine) Unshare(ctx context.Context, c api.Caller, r api.ShareRequest) (api.SharesAnswer, error) {
	return api.SharesAnswer{}, notYet("unshare")
}

func (e *Engine) Shares(ctx context.Context, c api.Caller, r api.HandleRequest) (api.SharesAnswer, error) {
	return api.SharesAnswer{}, notYet("shares")
}

func (e *Engine) EndHold(ctx context.Context, c api.Caller, r api.HandleRequest) (api.HandleAnswer, error) {
	return api.HandleAnswer{}, notYet("end-hold")
}

func (e *Engine) SessionNew(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionAnswer, error) {
	return api.SessionAnswer{}, notYet("session new")
}

func (e *Engine) SessionList(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionsAnswer, error) {
	return api.SessionsAnswer{}, notYet("session list")
}

func (e *Engine) SessionEnd(ctx context.Context, c api.Caller, r api.SessionRequest) (api.SessionsAnswer, error) {
	return api.SessionsAnswer{}, notYet("session end")
}

func (e *Engine) Audit(ctx context.Context, c api.Caller, r api.AuditRequest) (api.AuditAnswer, error) {
	return api.AuditAnswer{}, notYet("audit")
}

func (e *Engine) Ps(ctx context.Context, c api.Caller, r api.ListRequest) (api.PsAnswer, error) {
	return api.PsAnswer{}, notYet("ps")
}

// Shutdown ends every display and forgets nothing that is stored.
func (e *Engine) Shutdown(ctx context.Context) error { return nil }

// notYet is the answer of a verb whose engine is not built.
func notYet(verb string) error {
	return api.Refuse(api.NotYet, "%s is not built yet", verb)
}
