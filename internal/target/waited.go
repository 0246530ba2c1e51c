package target

import (
	"fmt"
	"strings"
	"time"

	"vibespace/internal/api"
)

// nearestShown bounds what an expired wait tells of what was there instead.
const nearestShown = 5

// expired refuses a wait whose time ran out: what it was for, and what was seen
// of that last.
func expired(r api.WaitRequest, seen string, took time.Duration) error {
	what := awaited(r)
	verb := "did not come"
	switch {
	case r.Gone:
		verb = "did not go"
	case r.Exit || r.IdleMs > 0:
		verb = "did not come true"
	}
	return api.Refuse(api.Timeout, "%s %s in %d ms", what, verb, took.Milliseconds()).
		WithHint("look at what is there (vibespace-window snapshot %s), or give it longer with --timeout", r.Handle).
		With("waitedFor", what).With("seen", seen)
}

// awaited is what a wait is for, in words.
func awaited(r api.WaitRequest) string {
	switch {
	case r.Text != "":
		return "text " + api.Quote(r.Text, 80)
	case r.Title != "":
		return "title " + api.Quote(r.Title, 80)
	case r.IdleMs > 0:
		return fmt.Sprintf("idle for %d ms", r.IdleMs)
	case r.Window && r.Gone:
		return "a window"
	case r.Window:
		return "another window"
	case r.Exit:
		return "the application's end"
	}
	return node(r)
}

// node is the element a wait is for, in words.
func node(r api.WaitRequest) string {
	words := []string{r.Role}
	if r.Role == "" {
		words[0] = "element"
	}
	if r.Name != "" {
		words = append(words, api.Quote(r.Name, 80))
	}
	if r.State != "" {
		words = append(words, "["+r.State+"]")
	}
	return strings.Join(words, " ")
}

// titled says whether the main window's title holds some words.
func (s scene) titled(words string) bool {
	return s.main != nil && strings.Contains(s.main.Title, words)
}

// told is the windows of a scene in words.
func (s scene) told() string {
	if len(s.parts) == 0 {
		return "no window"
	}
	var words []string
	for _, p := range s.parts[:min(len(s.parts), nearestShown)] {
		words = append(words, p.called())
	}
	if more := len(s.parts) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

// nearest is what a reading has in place of the element a wait is for: those of
// that role and name in another state, else the names of that role.
func nearest(read *reading, r api.WaitRequest) string {
	named, err := nameMatcher(r.Name)
	if err != nil {
		return ""
	}
	var same, others []string
	for _, it := range read.items {
		if !it.seen || r.Role != "" && it.role.String() != r.Role {
			continue
		}
		words := it.role.String() + " " + api.Quote(it.name, 60)
		if named(it.name) {
			n := it.node()
			same = append(same, words+" ["+strings.Join(n.States, " ")+"]")
		} else if it.name != "" && r.Role != "" {
			others = append(others, words)
		}
	}
	switch {
	case len(same) > 0:
		return some(same)
	case len(others) > 0:
		return some(others)
	}
	return fmt.Sprintf("nothing like it among %d elements", len(read.items))
}

// some is the first few of a list.
func some(list []string) string {
	more := len(list) - nearestShown
	if more <= 0 {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:nearestShown], ", ") + fmt.Sprintf(", %d more", more)
}
