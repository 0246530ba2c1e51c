package target

import (
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestDifferences: what a kept tree says otherwise than a whole read is found,
// whether it says more, less or something else, and is bounded.
func TestDifferences(t *testing.T) {
	t.Parallel()
	row := func(role, name string) api.Node { return api.Node{Ref: "@e1", Role: role, Name: name} }
	many := make([]api.Node, 3*checkLines)
	for _, tc := range []struct {
		name        string
		kept, whole []api.Node
		lines       int
		says        string
	}{
		{"the same", []api.Node{row("label", "a")}, []api.Node{row("label", "a")}, 0, ""},
		{"another name", []api.Node{row("label", "a")}, []api.Node{row("label", "b")}, 1, `"b"`},
		{"one less", []api.Node{row("label", "a")}, nil, 1, `"a"`},
		{"one more", nil, []api.Node{row("label", "a")}, 1, `"a"`},
		{"many", nil, many, checkLines, ""},
	} {
		got := differences(tc.kept, tc.whole)
		if len(got) != tc.lines || !strings.Contains(strings.Join(got, "\n"), tc.says) {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}
