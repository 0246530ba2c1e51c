package target

import (
	"fmt"

	"vibespace/internal/api"
)

// diffLines bounds the lines of a diff: past that a new snapshot is cheaper to
// read than what changed.
const diffLines = 40

// told is what the holder was last told of a window, line by line, so that the
// next answer can say what differs.
type told struct {
	order []api.Ref
	gist  map[api.Ref]string
	up    map[api.Ref]api.Ref // what each lay in
}

// tellings remembers the nodes of an answer.
func tellings(nodes []api.Node) *told {
	t := &told{order: make([]api.Ref, 0, len(nodes)), gist: make(map[api.Ref]string, len(nodes)), up: map[api.Ref]api.Ref{}}
	for _, n := range nodes {
		t.order = append(t.order, n.Ref)
		t.gist[n.Ref] = n.Gist()
		if n.Parent != nil {
			t.up[n.Ref] = *n.Parent
		}
	}
	return t
}

// diff lists what the nodes add to, change in and take from what was told:
// "+ line", "~ line", "- line". Elements that only moved are not in it.
func (t *told) diff(nodes []api.Node) []string {
	lines, _ := t.changes(nodes)
	return lines
}

// changes is diff with the refs of the elements that its lines show.
func (t *told) changes(nodes []api.Node) (lines []string, shown []api.Ref) {
	lines = []string{}
	here := make(map[api.Ref]bool, len(nodes))
	for _, n := range nodes {
		here[n.Ref] = true
		switch was, ok := t.gist[n.Ref]; {
		case !ok:
			lines, shown = append(lines, "+ "+n.Line()), append(shown, n.Ref)
		case was != n.Gist():
			lines, shown = append(lines, "~ "+n.Gist()), append(shown, n.Ref)
		}
	}
	lines = append(lines, t.gone(here)...)
	if len(lines) > diffLines {
		rest := len(lines) - diffLines
		lines = append(lines[:diffLines], fmt.Sprintf("… %d more lines: take a snapshot", rest))
	}
	return lines, shown[:min(len(shown), diffLines)]
}

// gone lists what is not here any more; what lay in something that went with it
// is only counted.
func (t *told) gone(here map[api.Ref]bool) []string {
	with := map[api.Ref]int{} // what went in each, itself not counted
	top := map[api.Ref]api.Ref{}
	for _, ref := range t.order { // parents come first
		if here[ref] {
			continue
		}
		top[ref] = ref
		if up, ok := top[t.up[ref]]; ok {
			top[ref] = up
			with[up]++
		}
	}
	lines := []string{}
	for _, ref := range t.order {
		if top[ref] != ref {
			continue
		}
		line := "- " + t.gist[ref]
		if n := with[ref]; n > 0 {
			line += fmt.Sprintf(" and %d in it", n)
		}
		lines = append(lines, line)
	}
	return lines
}
