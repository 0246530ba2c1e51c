package atspi

import (
	"math/bits"
	"slices"
)

// States is a set of AT-SPI states, one bit a state.
type States uint64

// The states, in AT-SPI's order: the constant is the bit.
const (
	StateInvalid States = 1 << iota
	StateActive
	StateArmed
	StateBusy
	StateChecked
	StateCollapsed
	StateDefunct
	StateEditable
	StateEnabled
	StateExpandable
	StateExpanded
	StateFocusable
	StateFocused
	StateHasTooltip
	StateHorizontal
	StateIconified
	StateModal
	StateMultiLine
	StateMultiselectable
	StateOpaque
	StatePressed
	StateResizable
	StateSelectable
	StateSelected
	StateSensitive
	StateShowing
	StateSingleLine
	StateStale
	StateTransient
	StateVertical
	StateVisible
	StateManagesDescendants
	StateIndeterminate
	StateRequired
	StateTruncated
	StateAnimated
	StateInvalidEntry
	StateSupportsAutocompletion
	StateSelectableText
	StateIsDefault
	StateVisited
	StateCheckable
	StateHasPopup
	StateReadOnly
)

// stateNames are libatspi's names; the index is the bit's number.
var stateNames = [...]string{
	"invalid", "active", "armed", "busy", "checked", "collapsed", "defunct",
	"editable", "enabled", "expandable", "expanded", "focusable", "focused",
	"has-tooltip", "horizontal", "iconified", "modal", "multi-line",
	"multiselectable", "opaque", "pressed", "resizable", "selectable",
	"selected", "sensitive", "showing", "single-line", "stale", "transient",
	"vertical", "visible", "manages-descendants", "indeterminate", "required",
	"truncated", "animated", "invalid-entry", "supports-autocompletion",
	"selectable-text", "is-default", "visited", "checkable", "has-popup",
	"read-only",
}

// knownStates masks the bits that have a name.
const knownStates = States(1)<<len(stateNames) - 1

// Has reports whether every state of want is in s.
func (s States) Has(want States) bool { return s&want == want }

// Names returns the AT-SPI names of the states in s, sorted; never nil.
func (s States) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(s)))
	for i, name := range stateNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// StateNamed returns the state of that AT-SPI name.
func StateNamed(name string) (States, bool) {
	i := slices.Index(stateNames[:], name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// statesOf reads the two 32-bit words the protocol carries. Missing words are
// empty and further ones are ignored.
func statesOf(words []uint32) States {
	var s States
	for i, w := range words {
		if i > 1 {
			break
		}
		s |= States(w) << (32 * i)
	}
	return s & knownStates
}
