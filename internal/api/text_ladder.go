package api

import (
	"fmt"
	"strings"
	"time"
)

// Line is the profile in words: what every answer about a browser ends with.
func (p Profile) Line() string {
	line := "profile: "
	if p.Handle != "" {
		line += string(p.Handle) + " "
	}
	line += oneLine(p.Label)
	if p.Label != p.Origin {
		line += " (" + p.Origin + ")"
	}
	return line
}

// Line is the row on one line of the ladder.
func (r Backend) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s tier %d: %s", oneLine(r.Name), r.Tier, r.About)
	if !r.Available {
		fmt.Fprintf(&b, "; not here: %s (%s)", oneLine(r.Why), r.Code)
	}
	return b.String()
}

// cells tells every cell of a row.
func (r Backend) cells(b *strings.Builder) {
	no := func(is bool) string {
		if is {
			return "yes"
		}
		return "no"
	}
	fmt.Fprintf(b, "  starts %s, headed %s, cdp %s, allowed domains %s, pins a tab %s, owns its directory %s\n",
		no(r.Starts), no(r.Headed), no(r.CDP), no(r.AllowedDomains), no(r.PinTab), no(r.OwnsDir))
	fmt.Fprintf(b, "  may be switched to: %s; key: %s; lease: %s\n", r.SwitchTo, r.KeyScope, r.Lease)
	if r.Consent != "" {
		fmt.Fprintf(b, "  consent: %s\n", r.Consent)
	}
	if r.Hint != "" {
		fmt.Fprintf(b, "  instead: %s\n", oneLine(r.Hint))
	}
}

// text tells the ladder, one row a line, or one row whole.
func (a BackendAnswer) text(b *strings.Builder) {
	if len(a.Backends) != 1 {
		b.WriteString("the ladder, the first choice first; nothing changes rungs by itself\n")
	}
	for _, r := range a.Backends {
		b.WriteString(r.Line() + "\n")
		if len(a.Backends) == 1 {
			r.cells(b)
		}
	}
	for _, c := range a.Claims {
		c.text(b)
	}
	b.WriteString(a.Profile.Line() + "\n")
	a.notices(b)
}

// text tells a claim.
func (c SiteClaim) text(b *strings.Builder) {
	fmt.Fprintf(b, "claim: %s, at %s", oneLine(c.Suggestion), c.At.UTC().Format(time.RFC3339))
	if c.Why != "" {
		fmt.Fprintf(b, ": %s", Quote(c.Why, nameRunes))
	}
	b.WriteByte('\n')
}

// text tells a claim that was kept.
func (a BlockedAnswer) text(b *strings.Builder) {
	a.Claim.text(b)
	b.WriteString(a.Profile.Line() + "\n")
	a.notices(b)
}

// text tells a browser that was opened, or a profile that was made.
func (a BrowserNewAnswer) text(b *strings.Builder, verb string) {
	if a.Window == nil {
		fmt.Fprintf(b, "made %s\n", a.Profile.Line())
		a.notices(b)
		return
	}
	OpenAnswer{Answer: a.Answer, Window: *a.Window, NotReady: a.NotReady, TookMs: a.TookMs, DisplayMs: a.DisplayMs}.text(b, verb)
	if a.Kept != "" {
		fmt.Fprintf(b, "  kept: %s\n", oneLine(a.Kept))
	}
	look := "snapshot"
	if a.Window.Mode.Resolved == "pixels" {
		look = "screenshot"
	}
	fmt.Fprintf(b, "drive it with vibespace-window %s %s\n", look, a.Window.Handle)
}
