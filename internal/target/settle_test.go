package target

import (
	"testing"

	"vibespace/atspi"
)

// TestSmallTrees: a window that holds a single control has a tree; one with
// nothing but a panel may not have it yet.
func TestSmallTrees(t *testing.T) {
	t.Parallel()
	with := func(role atspi.Role, name string, ifaces atspi.Iface) *atspi.Tree {
		frame := atspi.Node{Parent: -1, Role: atspi.RoleFrame, Name: "Main", Interfaces: atspi.IfaceAction}
		return &atspi.Tree{Nodes: []atspi.Node{frame, {Parent: 0, Role: role, Name: name, Interfaces: ifaces}}}
	}
	tests := []struct {
		name string
		tree *atspi.Tree
		want bool
	}{
		{"nothing", &atspi.Tree{}, false},
		{"a window alone", &atspi.Tree{Nodes: with(atspi.RolePanel, "", 0).Nodes[:1]}, false},
		{"a panel", with(atspi.RolePanel, "", atspi.IfaceComponent), false},
		{"a panel of GTK 4", with(atspi.RolePanel, "", atspi.IfaceAction), false},
		{"a button", with(atspi.RolePushButton, "", atspi.IfaceAction), true},
		{"a text", with(atspi.RoleText, "", atspi.IfaceEditableText), true},
		{"a slider", with(atspi.RoleSlider, "", atspi.IfaceValue), true},
		{"a sentence", with(atspi.RoleLabel, "Done", atspi.IfaceText), true},
	}
	for _, tt := range tests {
		if got := holdsSomething(tt.tree); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
