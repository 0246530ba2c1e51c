package browser

import (
	"context"
	"strings"
	"time"

	"vibespace/browser/provider"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// maxWhy bounds what a claim says, in characters: it is shown to the person.
const maxWhy = 300

// Backend gives the ladder, or one row of it, and what was claimed of sites.
func (e *Engine) Backend(ctx context.Context, c api.Caller, r api.BackendRequest) (api.BackendAnswer, error) {
	answer := api.BackendAnswer{Profile: e.profile(ctx, c), Claims: []api.SiteClaim{}}
	if r.Backend == "" {
		answer.Backends = e.ladder.All()
	} else {
		b, err := e.ladder.Row(r.Backend)
		if err != nil {
			return api.BackendAnswer{}, err
		}
		answer.Backends = []api.Backend{b}
	}
	claims, err := e.cfg.Store.Claims(ctx, "")
	if err != nil {
		return api.BackendAnswer{}, err
	}
	for _, claim := range claims {
		// What another session met is its own business; the person sees all.
		if !c.Owner && claim.Session != c.Session || r.Backend != "" && claim.Backend != r.Backend {
			continue
		}
		answer.Claims = append(answer.Claims, shown(claim))
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// Blocked keeps a session's claim that a site keeps automation out. Nothing is
// switched for it: a person acts on what it suggests.
func (e *Engine) Blocked(ctx context.Context, c api.Caller, r api.BlockedRequest) (api.BlockedAnswer, error) {
	u, err := provider.Address(r.URL)
	if err != nil {
		return api.BlockedAnswer{}, err
	}
	if _, err := provider.TierOf(r.Backend, r.Tier); err != nil {
		return api.BlockedAnswer{}, err
	}
	if len([]rune(r.Why)) > maxWhy {
		return api.BlockedAnswer{}, api.Refuse(api.TextTooLong, "a reason has %d characters at most", maxWhy).WithHint("say it shorter")
	}
	claim := store.Claim{
		Host: strings.ToLower(u.Hostname()), Session: c.Session, Tier: r.Tier, Backend: r.Backend, Why: r.Why, At: time.Now().UTC().Truncate(time.Millisecond),
	}
	if err := e.cfg.Store.PutClaim(ctx, claim); err != nil {
		return api.BlockedAnswer{}, err
	}
	return api.BlockedAnswer{Answer: e.answer(ctx, c), Profile: e.profile(ctx, c), Claim: shown(claim)}, nil
}

// shown is a claim as answers show it.
func shown(c store.Claim) api.SiteClaim {
	return api.SiteClaim{
		Host: c.Host, Tier: c.Tier, Backend: c.Backend, By: c.Session, At: c.At, Why: c.Why,
		Suggestion: provider.Suggestion(c.Host, c.Backend, c.Tier, c.Session),
	}
}
