package page

import (
	"context"
	"strings"
	"time"

	"vibespace/internal/api"
)

// expectLimit is how long an act waits for what the caller expects of it.
const expectLimit = 2 * time.Second

// expectation is a condition after an act.
type expectation struct {
	kind, want string // text, url, title, gone, or a ref with want its state
	ref        api.Ref
}

// String is the condition as it was given.
func (e *expectation) String() string {
	if e.ref != "" && e.kind == "state" {
		return string(e.ref) + ".state=" + e.want
	}
	return e.kind + "=" + e.want
}

// parseExpect reads text=…, url=…, title=…, gone=@e7 or @e7.state=checked; nil
// for none.
func parseExpect(s string) (*expectation, error) {
	if s == "" {
		return nil, nil
	}
	key, want, ok := strings.Cut(s, "=")
	wrong := api.Refuse(api.BadRequest, "%q is no condition", s).WithHint("text=…, url=…, title=…, gone=@e7 or @e7.state=checked")
	if !ok || want == "" {
		return nil, wrong
	}
	switch key {
	case "text", "url", "title":
		return &expectation{kind: key, want: want}, nil
	case "gone":
		return &expectation{kind: key, want: want, ref: api.Ref(want)}, nil
	}
	if ref, isState := strings.CutSuffix(key, ".state"); isState && strings.HasPrefix(ref, "@e") {
		return &expectation{kind: "state", want: want, ref: api.Ref(ref)}, nil
	}
	return nil, wrong
}

// expects is parseExpect, and refuses an element of which nothing is known.
func (p *Page) expects(s string) (*expectation, error) {
	e, err := parseExpect(s)
	if e != nil && e.ref != "" {
		err = p.b.ofBefore(e.ref)
	}
	return e, err
}

// expected waits a while for a condition.
func (p *Page) expected(ctx context.Context, e *expectation) (bool, error) {
	soon, cancel := context.WithTimeout(ctx, expectLimit)
	defer cancel()
	for {
		met, err := p.meets(soon, e)
		if met || soon.Err() != nil {
			return met, err
		}
		if p.soon(soon) != nil {
			return false, nil
		}
	}
}

// meets asks a condition once.
func (p *Page) meets(ctx context.Context, e *expectation) (bool, error) {
	switch e.kind {
	case "text":
		return p.says(ctx, e.want)
	case "url":
		match, err := matcher(e.want)
		if err != nil {
			return false, err
		}
		return match(p.address()), nil
	case "title":
		return strings.Contains(p.Answer().Title, e.want), nil
	case "gone":
		shows, err := p.shows(ctx, e.ref)
		return !shows, err
	}
	a, err := p.take(ctx, e.ref)
	if err != nil {
		return false, err
	}
	is := map[string]*bool{"checked": a.state.Checked, "pressed": a.state.Pressed, "expanded": a.state.Expanded, "disabled": &a.state.Disabled, "focused": &a.state.Focused}
	want, negative := strings.CutPrefix(e.want, "-")
	if negative && want != "" {
		return is[want] != nil && !*is[want], nil
	}
	return is[e.want] != nil && *is[e.want], nil
}
