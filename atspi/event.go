package atspi

import (
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// Kind is what sort of change an event tells of.
type Kind uint8

// The kinds. Detail of an [Event] says more.
const (
	KindOther            Kind = iota // Detail is the protocol's own member name
	KindState                        // Detail is the state's name, A is 1 or 0
	KindChildren                     // Detail is add or remove, A the index, Child the child
	KindProperty                     // Detail is accessible-name, accessible-value, …
	KindBounds                       // the node's extents are no longer known
	KindText                         // Detail is insert or delete, A the offset, B the length
	KindCaret                        // A is the offset
	KindTextSelection                // the selected piece of a text
	KindSelection                    // the selected children
	KindActiveDescendant             // Child is the child that is now active
	KindVisibleData                  // what is drawn changed
	KindModel                        // rows or columns of a table
	KindAttributes                   // attributes of the node or of its text
	KindWindow                       // Detail is create, destroy, activate, deactivate, …
	KindFocus                        // the older way to say focused
	KindDocument                     // Detail is load-complete, reload, load-stopped, …
	KindCacheAdd                     // Source is new in the toolkit's cache
	KindCacheRemove                  // Source is no longer in the toolkit's cache
	KindLeft                         // the application with bus name Source.Bus has left the bus
	kinds                            // how many there are
)

var kindNames = [kinds]string{
	"other", "state-changed", "children-changed", "property-change", "bounds-changed", "text-changed",
	"text-caret-moved", "text-selection-changed", "selection-changed", "active-descendant-changed",
	"visible-data-changed", "model-changed", "attributes-changed", "window", "focus", "document", "cache-add",
	"cache-remove", "left",
}

// String is the kind's name, after AT-SPI's where it has one.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "other"
}

// Event is one change that an application told of. It carries no text of the
// application: what changed is read again from the node, where a password is
// refused.
//
// No toolkit tells everything. Qt 5 tells nothing of an object that goes and
// does not say where a new one came; GTK 4.8 tells of a new child only where
// the children were read before, of a check box nothing, and of a slider that
// its name changed. So an event says where to read again; its absence says
// nothing.
type Event struct {
	Kind   Kind
	Detail string // see the kinds; lower case, at most 64 bytes
	Source Ref    // the node; only the bus name in KindLeft
	A, B   int    // see the kinds
	Child  Ref    // see the kinds; null when there is none
	Count  int    // how many events this one stands for, 1 or more
	Seq    uint64 // position in the subscription's stream, of the latest one it stands for
	At     time.Time
}

// Relevant reports whether an event tells of a change that a person could have
// caused, as against animation, and against the echo of reading: toolkits
// announce the objects that a reader made them create. It is what decides
// whether a window has settled.
func (e Event) Relevant() bool {
	switch e.Kind {
	case KindBounds, KindVisibleData, KindAttributes, KindCacheAdd, KindCacheRemove, KindOther:
		return false
	case KindProperty:
		return e.Detail != "accessible-value" && e.Detail != "accessible-parent" && e.Detail != "widget"
	case KindState:
		return e.Detail != "defunct" && e.Detail != "animated" && e.Detail != "indeterminate"
	default:
		return true
	}
}

// coalesces reports whether a newer event of the same node, kind and detail
// replaces one that nobody took yet. Bounds come with each frame of each
// animation, carets and texts with each character.
func (e Event) coalesces() bool {
	switch e.Kind {
	case KindBounds, KindVisibleData, KindCaret, KindText, KindTextSelection, KindAttributes:
		return true
	case KindProperty:
		return e.Detail == "accessible-value"
	default:
		return false
	}
}

// eventPrefix begins the interfaces that carry events.
const eventPrefix = interfacePrefix + "Event."

// members are the protocol's signals by interface and member, without the
// prefix.
var members = map[string]Kind{
	"Object.StateChanged":            KindState,
	"Object.ChildrenChanged":         KindChildren,
	"Object.PropertyChange":          KindProperty,
	"Object.BoundsChanged":           KindBounds,
	"Object.TextChanged":             KindText,
	"Object.TextCaretMoved":          KindCaret,
	"Object.TextSelectionChanged":    KindTextSelection,
	"Object.SelectionChanged":        KindSelection,
	"Object.ActiveDescendantChanged": KindActiveDescendant,
	"Object.VisibleDataChanged":      KindVisibleData,
	"Object.ModelChanged":            KindModel,
	"Object.RowInserted":             KindModel,
	"Object.RowDeleted":              KindModel,
	"Object.RowReordered":            KindModel,
	"Object.ColumnInserted":          KindModel,
	"Object.ColumnDeleted":           KindModel,
	"Object.ColumnReordered":         KindModel,
	"Object.AttributesChanged":       KindAttributes,
	"Object.TextAttributesChanged":   KindAttributes,
	"Object.TextBoundsChanged":       KindAttributes,
	"Focus.Focus":                    KindFocus,
}

// ownDetail are the kinds whose detail the signal's body gives; the others'
// is the member's name or nothing.
func (k Kind) ownDetail() bool {
	return k == KindState || k == KindChildren || k == KindProperty || k == KindText
}

// parseEvent reads a signal. false says that it is none of ours. Whatever a
// body holds is read if it has the right type and ignored if not.
func parseEvent(sig *dbus.Signal) (Event, bool) {
	name, ours := strings.CutPrefix(sig.Name, eventPrefix)
	if !ours {
		return parseBusEvent(sig)
	}
	e := Event{Source: Ref{Bus: sig.Sender, Path: sig.Path}, Count: 1}
	class, member, _ := strings.Cut(name, ".")
	kind, known := members[name]
	switch {
	case known:
		e.Kind = kind
	case class == "Window":
		e.Kind = KindWindow
	case class == "Document":
		e.Kind = KindDocument
	}
	e.A, e.B = integer(sig.Body, 1), integer(sig.Body, 2)
	e.Child = reference(sig.Body, 3)
	if e.Kind.ownDetail() {
		detail, _ := at[string](sig.Body, 0)
		e.Detail = detailOf(detail)
	} else if !known || e.Kind == KindModel {
		e.Detail = kebab(member)
	}
	return e, true
}

// parseBusEvent reads the signals of the toolkits' caches and of the bus.
func parseBusEvent(sig *dbus.Signal) (Event, bool) {
	e := Event{Count: 1}
	switch sig.Name {
	case interfacePrefix + "Cache.AddAccessible":
		e.Kind = KindCacheAdd
		item, _ := at[[]any](sig.Body, 0)
		e.Source = reference(item, 0)
	case interfacePrefix + "Cache.RemoveAccessible":
		e.Kind, e.Source = KindCacheRemove, reference(sig.Body, 0)
	case busName + ".NameOwnerChanged":
		left, _ := at[string](sig.Body, 0)
		owner, ok := at[string](sig.Body, 2)
		if sig.Sender != busName || !ok || owner != "" || !strings.HasPrefix(left, ":") {
			return e, false
		}
		e.Kind, e.Source = KindLeft, Ref{Bus: left}
		return e, true
	default:
		return e, false
	}
	// An application speaks for itself alone.
	e.Source.Bus = sig.Sender
	return e, e.Source.Path != ""
}

// at is the element i of a body if it is there and has that type.
func at[T any](body []any, i int) (T, bool) {
	var zero T
	if i >= len(body) {
		return zero, false
	}
	v, ok := body[i].(T)
	return v, ok
}

// integer is the whole number at i, 0 when there is none.
func integer(body []any, i int) int {
	n, _ := at[int32](body, i)
	return int(n)
}

// reference is the object at i, bare or in a variant.
func reference(body []any, i int) Ref {
	if v, ok := at[dbus.Variant](body, i); ok {
		return reference([]any{v.Value()}, 0)
	}
	pair, _ := at[[]any](body, i)
	bus, _ := at[string](pair, 0)
	path, _ := at[dbus.ObjectPath](pair, 1)
	return Ref{Bus: bus, Path: path}
}

// detailOf makes the details of the toolkits one: Firefox appends where a
// change came from ("add:system"), some write states with an underscore.
func detailOf(s string) string {
	if i := strings.IndexAny(s, ":/"); i >= 0 {
		s = s[:i]
	}
	s = strings.ToLower(strings.ReplaceAll(clean(s), "_", "-"))
	return short(s, 64)
}

// kebab turns a member's name into a detail: LoadComplete is load-complete.
func kebab(member string) string {
	var b strings.Builder
	for i, r := range short(clean(member), 60) {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
