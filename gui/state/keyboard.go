package state

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// layoutTime is how long asking for the keyboard may take: the person waits to
// take over.
const layoutTime = time.Second

// Layout is the keyboard the person presses, as XKB names it: the first layout
// of their X server, "" when it cannot be found. Then the window keeps its own.
func Layout(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, layoutTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, "setxkbmap", "-query").Output()
	if err != nil {
		return ""
	}
	return layoutOf(string(out))
}

// named is what a layout or a variant may be called.
var named = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// layoutOf reads what setxkbmap -query says.
func layoutOf(text string) string {
	first := func(of string) string {
		for l := range strings.Lines(text) {
			if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == of {
				value, _, _ = strings.Cut(strings.TrimSpace(value), ",")
				return value
			}
		}
		return ""
	}
	layout, variant := first("layout"), first("variant")
	switch {
	case !named.MatchString(layout):
		return ""
	case named.MatchString(variant):
		return layout + "(" + variant + ")"
	}
	return layout
}
