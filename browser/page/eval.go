package page

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chromedp/cdproto/runtime"

	"vibespace/browser/devtools"
	"vibespace/internal/api"
)

// maxScript bounds a script that is run.
const maxScript = 64 << 10

// Eval runs a script; method_refused unless the configuration allows it.
func (p *Page) Eval(ctx context.Context, r api.EvalRequest) (*api.EvalAnswer, error) {
	if !p.b.cfg.Eval {
		return nil, api.Refuse(api.MethodRefused, "scripts are not run in pages here").
			WithHint("the person can allow it in the configuration (browsers.eval: true); get, extract and the acts do without")
	}
	if len(r.Script) > maxScript {
		return nil, api.Refuse(api.TooLarge, "a script of %d bytes", len(r.Script)).WithHint("%d at most", maxScript)
	}
	return run(ctx, p, func(o *op) (*api.EvalAnswer, error) {
		o.act(p)
		p.beginWatch()
		o.sent = true
		c, err := devtools.Begin(p.main.s, runtime.Evaluate, runtime.EvaluateParams{
			Expression: r.Script, ReturnByValue: yes(), AwaitPromise: yes(), UserGesture: yes(), ReplMode: yes(),
		})
		if err != nil {
			return nil, err
		}
		var got runtime.EvaluateResult
		if err := p.orDialog(o.ctx, c, &got); err != nil {
			p.stopScript(o.ctx)
			if p.sawOne("navigation") && o.ctx.Err() == nil {
				return p.evaluated(o.ctx, nil), nil // the script left the page
			}
			return nil, err
		}
		if got.ExceptionDetails != nil {
			return nil, api.Refuse(api.BadRequest, "the script threw: %s", cutRunes(exception(got.ExceptionDetails), 1000)).WithHint("mend the script")
		}
		p.settle(o.ctx, false, false)
		return p.evaluated(o.ctx, got.Result), nil
	})
}

// stopScript ends a script that runs on after its caller has gone.
func (p *Page) stopScript(ctx context.Context) {
	if errors.Is(context.Cause(ctx), ErrTakenOver) || ctx.Err() != nil {
		p.main.s.Post("Runtime.terminateExecution", nil)
	}
}

// evaluated is the answer of a script.
func (p *Page) evaluated(_ context.Context, v *runtime.RemoteObject) *api.EvalAnswer {
	a := &api.EvalAnswer{Value: json.RawMessage("null"), Effects: p.watched()}
	a.PageAnswer = p.Answer()
	a.Fence = fence()
	switch {
	case v == nil:
	case len(v.Value) > mostSaid:
		a.Cut = &api.Cut{Why: "bytes", Continue: "the value is too large to hand out: give a part of it"}
	case len(v.Value) > 0:
		a.Value = json.RawMessage(v.Value)
	case v.UnserializableValue != "":
		a.Value, _ = json.Marshal(string(v.UnserializableValue)) // NaN, Infinity, -0, 1n
	}
	return a
}
