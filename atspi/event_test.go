package atspi

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"
)

func TestParseEvent(t *testing.T) {
	const sender = ":1.7"
	path := dbus.ObjectPath("/n/1")
	here := Ref{sender, path}
	child := []any{":1.7", dbus.ObjectPath("/n/2")}
	body := func(detail string, a, b int32, more any) []any {
		return []any{detail, a, b, dbus.MakeVariant(more), map[string]dbus.Variant{}}
	}
	tests := []struct {
		name string
		sig  dbus.Signal
		want Event
		ours bool
	}{
		{"state", dbus.Signal{Name: eventPrefix + "Object.StateChanged", Body: body("focused", 1, 0, 0)}, Event{Kind: KindState, Detail: "focused", A: 1}, true},
		{"state with an underscore", dbus.Signal{Name: eventPrefix + "Object.StateChanged", Body: body("has_popup", 1, 0, 0)}, Event{Kind: KindState, Detail: "has-popup", A: 1}, true},
		{"child with a suffix", dbus.Signal{Name: eventPrefix + "Object.ChildrenChanged", Body: body("add:system", 3, 0, child)}, Event{Kind: KindChildren, Detail: "add", A: 3, Child: Ref{":1.7", "/n/2"}}, true},
		{"text never comes along", dbus.Signal{Name: eventPrefix + "Object.TextChanged", Body: body("insert", 2, 6, "secret")}, Event{Kind: KindText, Detail: "insert", A: 2, B: 6}, true},
		{"name never comes along", dbus.Signal{Name: eventPrefix + "Object.PropertyChange", Body: body("accessible-name", 0, 0, "x")}, Event{Kind: KindProperty, Detail: "accessible-name"}, true},
		{"bounds", dbus.Signal{Name: eventPrefix + "Object.BoundsChanged", Body: body("x", 0, 0, 0)}, Event{Kind: KindBounds}, true},
		{"rows", dbus.Signal{Name: eventPrefix + "Object.RowInserted", Body: body("", 4, 2, 0)}, Event{Kind: KindModel, Detail: "row-inserted", A: 4, B: 2}, true},
		{"window", dbus.Signal{Name: eventPrefix + "Window.Activate", Body: body("", 0, 0, 0)}, Event{Kind: KindWindow, Detail: "activate"}, true},
		{"document", dbus.Signal{Name: eventPrefix + "Document.LoadComplete", Body: body("", 0, 0, 0)}, Event{Kind: KindDocument, Detail: "load-complete"}, true},
		{"focus", dbus.Signal{Name: eventPrefix + "Focus.Focus", Body: body("", 0, 0, 0)}, Event{Kind: KindFocus}, true},
		{"one of tomorrow", dbus.Signal{Name: eventPrefix + "Object.Announcement", Body: body("", 1, 0, "hello")}, Event{Kind: KindOther, Detail: "announcement", A: 1}, true},
		{"no body at all", dbus.Signal{Name: eventPrefix + "Object.StateChanged"}, Event{Kind: KindState}, true},
		{"another body", dbus.Signal{Name: eventPrefix + "Object.ChildrenChanged", Body: []any{7, "x", nil, []any{1}}}, Event{Kind: KindChildren}, true},
		{"cache", dbus.Signal{Name: interfacePrefix + "Cache.RemoveAccessible", Body: []any{[]any{":1.9", path}}}, Event{Kind: KindCacheRemove}, true},
		{"cache without an object", dbus.Signal{Name: interfacePrefix + "Cache.AddAccessible", Body: []any{[]any{}}}, Event{}, false},
		{"a bus name changes hands", dbus.Signal{Name: busName + ".NameOwnerChanged", Body: []any{":1.7", ":1.7", ":1.8"}}, Event{}, false},
		{"somebody else's", dbus.Signal{Name: "org.example.Thing.Happened"}, Event{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.sig.Sender, tt.sig.Path = sender, path
			got, ours := parseEvent(&tt.sig)
			if ours != tt.ours {
				t.Fatalf("ours is %v", ours)
			}
			if !ours {
				return
			}
			tt.want.Source, tt.want.Count = here, 1
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
	left, ours := parseEvent(&dbus.Signal{Sender: busName, Name: busName + ".NameOwnerChanged", Body: []any{sender, sender, ""}})
	if !ours || left.Kind != KindLeft || left.Source.Bus != sender {
		t.Errorf("a name that left: %+v, %v", left, ours)
	}
	if _, ours := parseEvent(&dbus.Signal{Sender: sender, Name: busName + ".NameOwnerChanged", Body: []any{":1.1", ":1.1", ""}}); ours {
		t.Error("an application said that another left, and was believed")
	}
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := range kinds {
		if k.String() == "" || seen[k.String()] {
			t.Errorf("kind %d has the name %q", k, k)
		}
		seen[k.String()] = true
	}
	if Kind(200).String() != "other" {
		t.Error("a kind that is none has a name")
	}
}

// Whatever a stranger sends as an event, what is kept of it is short, valid
// and the sender's own.
func FuzzParseEvent(f *testing.F) {
	f.Add("Object.StateChanged", "focused", int32(1), "/n/1", "secret")
	f.Add("Window.\xff", "a:b", int32(-1), "", "")
	f.Add("Document.LoadComplete", "", int32(0), "/", "x")
	f.Fuzz(func(t *testing.T, name, detail string, a int32, path, text string) {
		for _, prefix := range []string{eventPrefix, interfacePrefix, ""} {
			sig := &dbus.Signal{
				Sender: ":1.7", Name: prefix + name, Path: dbus.ObjectPath(path),
				Body: []any{detail, a, a, dbus.MakeVariant(text), text},
			}
			e, ours := parseEvent(sig)
			if !ours {
				continue
			}
			if len(e.Detail) > 4*64 || !utf8.ValidString(e.Detail) || e.Count != 1 {
				t.Fatalf("%+v", e)
			}
			if e.Kind != KindLeft && e.Source.Bus != ":1.7" || e.Kind == KindLeft {
				t.Fatalf("it speaks for another: %+v", e)
			}
			if text != "" && len(text) > 4 && e.Kind.ownDetail() && e.Detail != detailOf(detail) && strings.Contains(e.Detail, text) {
				t.Fatalf("it carries the text: %+v", e)
			}
		}
	})
}
