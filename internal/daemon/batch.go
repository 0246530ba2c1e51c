package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/target"
)

// lineTime is how long a batch waits for its next line: the time of a verb. It
// holds the window meanwhile.
const lineTime = 10 * time.Second

// noBatch are the words that make no sense as a line of a batch.
var noBatch = map[string]bool{"hello": true}

// batch does verbs as their lines come, one after the other and each answered
// as it ends, and stops at the first refusal. Nobody else acts on the window
// meanwhile; a takeover or a revoke ends the batch whatever it does.
func (d *Daemon) batch(ctx context.Context, c api.Caller, q api.BatchRequest, s *stream) error {
	var at stop
	err := d.engine.Batch(ctx, c, q.Handle, func(ctx context.Context, b *target.Batch) error {
		end, err := s.beating()
		defer end()
		done, line := 0, api.BatchLine{}
		for n := 1; err == nil; n++ {
			if line, err = d.batchNext(ctx, c, q, b, s, done); err != nil {
				at = stoppedAt(err, n, line.Verb, done, s.in.count()-1)
				b.Did(at.did)
				return atEnd(err)
			}
			if line.Verb != "" {
				done++
				line.OK, line.Line = true, n
				err = s.send(line)
			}
		}
		return err
	})
	return at.tell(err)
}

// atEnd is nil for the end of the lines.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// batchNext waits for the next line of a batch, and does its verb; an empty
// line has none. The end of the lines is io.EOF.
func (d *Daemon) batchNext(ctx context.Context, c api.Caller, q api.BatchRequest, b *target.Batch, s *stream, done int) (api.BatchLine, error) {
	raw, err := s.nextVerb(ctx, q, b)
	switch {
	case err != nil || len(bytes.TrimSpace(raw)) == 0:
		return api.BatchLine{}, err
	case done >= api.MaxBatchLines:
		return api.BatchLine{}, tooMany()
	}
	return d.batchLine(ctx, c, q.Handle, raw)
}

// tooMany refuses what is more than one batch or one stream of lines holds.
func tooMany() error {
	return api.Refuse(api.TooLarge, "a batch has %d lines at the most, and %d bytes together", api.MaxBatchLines, api.MaxBatchBytes).
		WithHint("split it")
}

// nextVerb waits for the next line of a batch, and gives it when it may still be
// done.
func (s *stream) nextVerb(ctx context.Context, q api.BatchRequest, b *target.Batch) ([]byte, error) {
	idle := lineTime
	if q.TimeoutMs > 0 {
		idle = 0 // the batch's own time bounds it
	}
	raw, err := s.in.next(ctx, idle, b.Changed())
	switch {
	case errors.Is(err, errIdle):
		return nil, api.Refuse(api.Timeout, "no line came in %v", lineTime).
			WithHint("end standard input after the last line, or give the whole batch a time with --timeout")
	case err == nil || errors.Is(err, errStopped):
		if refused := b.Stands(ctx); refused != nil {
			return nil, refused
		}
	}
	return raw, err
}

// batchLine does the verb of one line.
func (d *Daemon) batchLine(ctx context.Context, c api.Caller, h api.Handle, raw []byte) (api.BatchLine, error) {
	word, body, rt, err := d.batchVerb(h, raw)
	line := api.BatchLine{Verb: word}
	if err != nil {
		return line, err
	}
	j, err := rt.decode(body)
	if err != nil {
		return line, err
	}
	answer, err := d.do(ctx, word, c, j, false)
	if err != nil {
		return line, err
	}
	line.Answer, err = marshal(answer)
	return line, err
}

// batchVerb reads a line: the verb's word and route, and the body of its
// request.
func (d *Daemon) batchVerb(h api.Handle, raw []byte) (word string, body []byte, rt route, err error) {
	fields := map[string]json.RawMessage{}
	if err := decode(raw, &fields); err != nil {
		return "", nil, rt, err
	}
	if err := json.Unmarshal(fields["verb"], &word); err != nil || word == "" {
		return "", nil, rt, badBody(`it names no verb: {"verb":"click","ref":"@e7"}`)
	}
	rt, err = d.route(word)
	switch {
	case err != nil:
		return word, nil, rt, err
	case strings.Contains(word, "/") || noBatch[word] || rt.flow != nil:
		return word, nil, rt, api.Refuse(api.BadRequest, "%s is no verb of a batch", api.Quote(word, 80)).
			WithHint("vibespace-window --help lists the verbs")
	}
	delete(fields, "verb")
	if _, named := fields["handle"]; !named && rt.handles {
		fields["handle"], err = json.Marshal(h)
	}
	if err == nil {
		body, err = json.Marshal(fields)
	}
	return word, body, rt, err
}

// stop is where a batch stopped.
type stop struct {
	line int
	verb string
	did  api.Did
}

// stoppedAt says at which line a batch stopped, how many verbs were done, and
// what the one that was stopped had done itself.
func stoppedAt(err error, line int, verb string, done, of int) stop {
	did := api.Did{Verb: "batch", Partial: &api.Partial{Verbs: &done, Of: max(of, done)}}
	switch in := api.AsError(err, api.Internal).Details["did"].(type) {
	case api.Did:
		did.In = &in
	case *api.Did:
		did.In = in
	}
	return stop{line, verb, did}
}

// tell puts where a batch stopped into its refusal.
func (s stop) tell(err error) error {
	if err == nil || s.line == 0 {
		return err
	}
	e := *api.AsError(err, api.Internal)
	e.Details = maps.Clone(e.Details)
	if s.verb != "" {
		e.With("verb", s.verb)
	}
	return e.With("line", s.line).With("did", s.did)
}

// marshal writes an answer as it is sent.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
