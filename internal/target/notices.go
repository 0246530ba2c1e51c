package target

import (
	"context"
	"os"
	"time"

	"vibespace/internal/api"
)

// noticeBound is how long an answer waits for what there is to say besides.
const noticeBound = 500 * time.Millisecond

// notices are the sentences a caller is told once with its next answer, and
// that several agents share the session default.
func (e *Engine) notices(c api.Caller) []string {
	if c.Owner || c.Session == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(e.life, noticeBound)
	defer cancel()
	said, err := e.cfg.Store.TakeNotices(ctx, c.Session)
	if err != nil {
		e.cfg.Log.Warn("notices could not be read", "session", c.Session, "err", err)
	}
	said = e.withoutRecaps(c.Session, said)
	if c.Session == api.DefaultSession && c.Agent != "" {
		if shared := e.cfg.Reach.Default(c.Agent); shared != "" {
			said = append(said, shared)
		}
	}
	return said
}

// Ps lists every process of every display. The person's alone.
func (e *Engine) Ps(_ context.Context, c api.Caller, _ api.ListRequest) (api.PsAnswer, error) {
	if err := ownerOnly(c, "ps"); err != nil {
		return api.PsAnswer{}, err
	}
	answer := api.PsAnswer{OK: true, Daemon: os.Getpid(), Version: e.cfg.Version, Processes: []api.PsRow{}}
	for _, w := range e.all() {
		d, err := w.live()
		if err != nil {
			continue
		}
		found, err := d.Processes()
		if err != nil {
			return api.PsAnswer{}, api.Refuse(api.StoreFailed, "the processes of %s could not be listed: %v", w.handle, err)
		}
		for _, p := range found {
			answer.Processes = append(answer.Processes, api.PsRow{
				Handle: w.handle, Display: d.Number(), PID: p.PID, Name: p.Name, What: string(p.What),
			})
		}
	}
	return answer, nil
}
