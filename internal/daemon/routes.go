package daemon

import (
	"context"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/target"
)

// route is one verb: how its body is read and who does it.
type route struct {
	// decode reads a body into a job, or refuses it.
	decode func(body []byte) (job, error)
	// open is true for a verb that needs no session: it tells nothing of one.
	open bool
	// last is true for the verb that ends the daemon: it is not cut with the
	// others.
	last bool
	// handles is true for a verb whose request names a window.
	handles bool
	// idle is true for a stream that does nothing as long as it lasts, and takes
	// no slot: what it holds is bounded by itself.
	idle bool
	// flow is set, and decode nil, for a verb that is answered in lines.
	flow func(first []byte, s *stream) (job, error)
}

// job is a decoded request: how long it may take and what it does.
type job struct {
	limit  time.Duration
	handle api.Handle // the window it is about, "" for none
	do     func(context.Context, api.Caller) (any, error)
}

// request is any request of the wire: api.Common gives it.
type request interface {
	api.Timed
	CheckTiming() error
}

// verb makes the route of an engine's method.
func verb[Q request, A any](do func(context.Context, api.Caller, Q) (A, error)) route {
	return route{handles: hasHandle[Q](), decode: func(body []byte) (job, error) {
		q, err := read[Q](body)
		if err != nil {
			return job{}, err
		}
		return job{limit: api.Limit(q), handle: handleOf(q), do: func(ctx context.Context, c api.Caller) (any, error) { return do(ctx, c, q) }}, nil
	}}
}

// read reads a request from its body.
func read[Q request](body []byte) (Q, error) {
	var q Q
	if err := decode(body, &q); err != nil {
		return q, err
	}
	return q, q.CheckTiming()
}

// inLines makes the route of a verb that is answered in lines.
func inLines[Q request](do func(context.Context, api.Caller, Q, *stream) error) route {
	return route{flow: func(first []byte, s *stream) (job, error) {
		q, err := read[Q](first)
		if err != nil {
			return job{}, err
		}
		return job{limit: q.Timing(), handle: handleOf(q), do: func(ctx context.Context, c api.Caller) (any, error) {
			return nil, do(ctx, c, q, s)
		}}, nil
	}}
}

// public is the route for a verb that needs no session.
func (r route) public() route {
	r.open = true
	return r
}

// idling is the route for a stream that takes no slot.
func (r route) idling() route {
	r.idle = true
	return r
}

// lasting is the route for a verb that outlasts the others.
func (r route) lasting() route {
	r.last = true
	return r
}

// windowRoutes are the verbs of a session, POST /v1/<word>.
func (d *Daemon) windowRoutes(e *target.Engine) map[string]route {
	return map[string]route{
		"own":        inLines(d.own).public().idling(),
		"hello":      verb(d.hello).public(),
		"apps":       verb(e.Apps),
		"open":       verb(e.Open),
		"list":       verb(e.List),
		"attach":     verb(e.Attach),
		"detach":     verb(e.Detach),
		"close":      verb(e.Close),
		"stop":       verb(e.Stop),
		"snapshot":   verb(e.Snapshot),
		"find":       verb(e.Find),
		"get":        verb(e.Get),
		"screenshot": verb(e.Screenshot),
		"click":      verb(e.Click),
		"type":       verb(e.Type),
		"set":        verb(e.Set),
		"key":        verb(e.Key),
		"scroll":     verb(e.Scroll),
		"menu":       verb(e.Menu),
		"select":     verb(e.Select),
		"drag":       verb(e.Drag),
		"hover":      verb(e.Hover),
		"clipboard":  verb(e.Clipboard),
		"logs":       verb(e.Logs),
		"wait":       verb(e.Wait),
		"size":       verb(e.Size),
		"mode":       verb(e.Mode),
		"status":     verb(e.Status),
		"probe":      verb(e.Probe),
		"batch":      inLines(d.batch),
		"watch":      inLines(d.changes),
		"ask":        verb(e.Ask),
	}
}

// personRoutes are the verbs of the person, POST /v1/person/<word>.
func (d *Daemon) personRoutes(e *target.Engine) map[string]route {
	return map[string]route{
		"apps":         verb(e.Apps),
		"logs":         verb(e.Logs),
		"launch":       verb(e.Launch),
		"list":         verb(e.List),
		"share":        verb(e.Share),
		"unshare":      verb(e.Unshare),
		"shares":       verb(e.Shares),
		"size":         verb(e.Size),
		"rung":         verb(e.Rung),
		"mode":         verb(e.Mode),
		"stop":         verb(e.Stop),
		"close":        verb(e.Close),
		"end-hold":     verb(e.EndHold),
		"takeover":     verb(e.Takeover),
		"handback":     verb(e.Handback),
		"driving":      verb(e.Driving),
		"input":        verb(e.Input),
		"session-new":  verb(e.SessionNew),
		"session-list": verb(e.SessionList),
		"session-end":  verb(e.SessionEnd),
		"run":          verb(e.Run),
		"remembered":   verb(e.Remembered),
		"forget":       verb(e.Forget),
		"trace":        verb(e.Trace),
		"trace-delete": verb(e.TraceDelete),
		"group-new":    verb(e.GroupNew),
		"group-add":    verb(e.GroupAdd),
		"group-remove": verb(e.GroupRemove),
		"group-list":   verb(e.GroupList),
		"questions":    verb(e.Questions),
		"answer":       verb(e.Reply),
		"audit":        verb(e.Audit),
		"ps":           verb(e.Ps),
		"config":       verb(d.config),
		"config-set":   verb(d.configSet),
		"doctor":       verb(d.doctor),
		"down":         verb(d.down).lasting(),
	}
}

// later are the words of the contract that no engine has yet; asking for one
// is no mistake of the caller's.
var later = map[string]bool{
	"person/watch": true,
}
