package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
)

const (
	// maxVerbs bounds the verbs that run at once: eight displays with a few
	// sessions each wait on far fewer.
	maxVerbs = 128
	// overtime is what a verb may take beyond its limit to stop in order. Then
	// it is answered for, whatever it hangs on.
	overtime = 600 * time.Millisecond
	// writeTime is how long an answer may be on its way.
	writeTime = 5 * time.Second
)

// ServeHTTP answers one request.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	w.Header().Set(api.HeaderVersion, d.cfg.Version)
	word := strings.TrimPrefix(r.URL.Path, "/v1/")
	if isLive(r) {
		d.serveLive(w, r, word)
		return
	}
	caller, answer, err := d.answer(w, r, word)
	if r.Context().Err() != nil && api.CodeOf(err) == api.Cancelled {
		d.log.Info("verb", "verb", word, "session", caller.Session, "owner", caller.Owner, "verdict", api.Cancelled, "ms", since(began))
		return // nobody is left to answer
	}
	verdict := api.Code("ok")
	lines, inLines := answer.(told)
	switch {
	case err != nil:
		verdict = d.refuse(w, caller, err)
	case inLines:
		verdict = lines.verdict
	default:
		d.write(w, http.StatusOK, answer)
	}
	d.log.Info("verb", "verb", word, "session", caller.Session, "owner", caller.Owner, "verdict", verdict, "ms", since(began))
}

// since is a duration in whole milliseconds.
func since(t time.Time) int64 { return time.Since(t).Milliseconds() }

// answer decides who asks for what, and does it.
func (d *Daemon) answer(w http.ResponseWriter, r *http.Request, word string) (api.Caller, any, error) {
	if err := fromHere(r); err != nil {
		return api.Caller{}, nil, err
	}
	rt, err := d.route(word)
	if err != nil {
		return api.Caller{}, nil, err
	}
	var caller api.Caller
	if !rt.open {
		if caller, err = d.caller(r, strings.HasPrefix(word, "person/")); err != nil {
			return caller, nil, err
		}
	}
	if rt.flow != nil {
		answer, err := d.inLines(w, r, word, rt, caller)
		return caller, answer, err
	}
	body, err := readBody(w, r)
	if err != nil {
		return caller, nil, err
	}
	j, err := rt.decode(body)
	if err != nil {
		return caller, nil, err
	}
	answer, err := d.do(r.Context(), word, caller, j, rt.last)
	return caller, answer, d.downFault(r.Context(), err)
}

// do runs a job in a slot of its own, or refuses when there is none.
func (d *Daemon) do(ctx context.Context, word string, c api.Caller, j job, last bool) (any, error) {
	if err := d.slot(); err != nil {
		return nil, err
	}
	return d.run(ctx, word, c, j, last)
}

// slot takes one of the slots for verbs.
func (d *Daemon) slot() error {
	select {
	case d.slots <- struct{}{}:
		return nil
	default:
		return api.Refuse(api.Busy, "%d verbs run already", maxVerbs).WithHint("try again when one has ended")
	}
}

// downFault says of a verb that the daemon's end cut that this is why.
func (d *Daemon) downFault(asked context.Context, err error) error {
	if err != nil && d.verbs.Err() != nil && asked.Err() == nil && api.AsError(err, api.Internal).Code == api.Cancelled {
		return api.Refuse(api.Internal, "the daemon is going down").WithHint("vibespace up")
	}
	return err
}

// fromHere refuses what a browser or a relay would send: this socket is for
// programs on this machine that mean it.
func fromHere(r *http.Request) error {
	switch {
	case r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "":
		return api.Refuse(api.BadRequest, "this socket does not serve web pages")
	case r.Host != api.Host && r.Host != "localhost":
		return api.Refuse(api.BadRequest, "this socket does not serve the host %s", api.Quote(r.Host, 80))
	case !strings.HasPrefix(r.URL.Path, "/v1/"):
		return api.Refuse(api.BadRequest, "there is nothing at %s", api.Quote(r.URL.Path, 80)).WithHint("POST /v1/<verb>")
	case r.Method != http.MethodPost:
		return api.Refuse(api.BadRequest, "every verb is a POST").WithHint("POST /v1/<verb> with a JSON object")
	}
	return nil
}

// route finds a verb by its word.
func (d *Daemon) route(word string) (route, error) {
	if rt, ok := d.routes[word]; ok {
		return rt, nil
	}
	if first, _, _ := strings.Cut(word, "/"); later[word] || later[first] {
		return route{}, api.Refuse(api.NotYet, "%s is not built yet", word)
	}
	return route{}, api.Refuse(api.BadRequest, "there is no verb %s", api.Quote(word, 80)).
		WithHint("vibespace-window --help lists the verbs")
}

// run does a job in its time. A job that does not stop in time is answered for
// and keeps its slot until it does.
func (d *Daemon) run(ctx context.Context, word string, c api.Caller, j job, last bool) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, j.limit)
	stop := func() bool { return true }
	if !last {
		stop = context.AfterFunc(d.verbs, cancel)
	}
	type outcome struct {
		answer any
		err    error
	}
	done := make(chan outcome, 1)
	d.running.Go(func() {
		defer func() { <-d.slots }()
		defer func() {
			if p := recover(); p != nil {
				d.log.Error("a verb panicked", "verb", word, "panic", p, "stack", string(debug.Stack()))
				done <- outcome{err: api.Refuse(api.Internal, "the daemon failed at %s", word).WithHint("vibespace logs says where")}
			}
		}()
		answer, err := d.recorded(ctx, c, word, j)
		done <- outcome{answer, err}
	})
	defer cancel()
	defer stop()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(overtime)
	defer late.Stop()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-late.C:
		d.log.Warn("a verb does not stop", "verb", word, "session", c.Session)
		return nil, api.AsError(ctx.Err(), api.Timeout)
	}
}

// refuse writes a refusal and gives its code.
func (d *Daemon) refuse(w http.ResponseWriter, c api.Caller, err error) api.Code {
	e := api.AsError(err, api.Internal)
	if e.Code == api.Internal {
		d.log.Error("a fault without a code", "err", err)
	}
	d.write(w, api.FateOf(e.Code).HTTP, refusalFor(c, e))
	return e.Code
}

// refusalFor is a refusal as it is sent. An engine may hand the same one to
// several callers: it is not changed.
func refusalFor(c api.Caller, e *api.Error) api.Refusal {
	said := *e
	if said.Details == nil {
		said.Details = map[string]any{}
	}
	return api.Refusal{Session: c.Session, Error: &said}
}

// write sends one JSON object.
func (d *Daemon) write(w http.ResponseWriter, status int, answer any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		d.log.Error("an answer cannot be written as JSON", "err", err)
		b.Reset()
		status = http.StatusInternalServerError
		b.WriteString(`{"ok":false,"code":"internal","message":"the answer cannot be written","hint":"","details":{}}` + "\n")
	}
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		d.log.Warn("no deadline for an answer", "err", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len())) // who reads makes room once
	w.WriteHeader(status)
	if _, err := w.Write(b.Bytes()); err != nil && !errors.Is(err, context.Canceled) {
		d.log.Debug("an answer was not taken", "err", err)
	}
}

// errorLog brings what the HTTP server has to say into the log.
func errorLog(log *slog.Logger) *slogWriter { return &slogWriter{log} }

// slogWriter is a writer whose lines are log lines.
type slogWriter struct{ log *slog.Logger }

// Write logs one line.
func (s *slogWriter) Write(p []byte) (int, error) {
	s.log.Warn("http", "said", strings.TrimSpace(string(p)))
	return len(p), nil
}
