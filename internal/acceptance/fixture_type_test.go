package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibespace/fixtures"
)

// wide is text of every width: one, two, three and four bytes a character.
const wide = "aé ß 你 😀!"

// TestFixtureType: what is typed is what the program has, to the character, in
// a field and in a text of many lines, in every way of typing.
func TestFixtureType(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			snap := p.Snapshot(p.handle)
			name, notes := named(t, snap, "Name"), named(t, snap, "Notes")

			p.types("Name", wide, "tree", name.Ref, wide)
			p.types("Name", "new", "tree", name.Ref, "new", "--replace")
			p.types("Name", "new"+wide, "tree", name.Ref, wide)
			p.types("Notes", "one\ntwo "+wide, "tree", notes.Ref, "one\ntwo "+wide)
			p.focus(name)
			p.types("Name", "by keys é你", "keys", name.Ref, "by keys é你", "--replace", "--keys")

			p.log.Mark()
			r := p.Refused("single_line", "type", p.handle, name.Ref, "two\nlines")
			if r.Hint == "" {
				t.Errorf("no way out: %v", r)
			}
			p.Refused("control_char", "type", p.handle, notes.Ref, "bell\a")
			p.Refused("text_too_long", "type", p.handle, notes.Ref, strings.Repeat("x", 100_001))
			p.Refused("not_editable", "type", p.handle, p.ref("Fixed"), "no")
			p.Refused("not_editable", "type", p.handle, p.ref("Alpha"), "no")
			p.unseen("the text was refused")

			// Without a ref it goes to what has the focus.
			p.focus(notes)
			p.types("Notes", "focused", "tree", "focused", "--replace")
			p.log.Mark()
			p.Act("type", p.handle, name.Ref, "entered", "--replace", "--enter")
			p.log.Wait(t, fixtures.Typed("Name", "entered"), seen)
			if kit == "qt5.py" { // the others have an action of their own for it
				p.log.Wait(t, func(e fixtures.Event) bool { return e.Kind == "key" && e.Key == "Return" }, seen)
			}
			p.Stop(p.handle)
		})
	}
}

// focus gives a field the focus. GTK 4.8 has no call for it: there the refusal
// says what to do, and that is done.
func (p program) focus(n Node) {
	p.t.Helper()
	r := p.Run("set", p.handle, n.Ref, "--focus")
	if !r.OK && p.kit == "gtk4.py" {
		if want := "click " + p.handle + " " + n.Ref + " --point"; !strings.Contains(r.Hint, want) {
			p.t.Errorf("the way out is %q: %v", want, r)
		}
		p.Act("click", p.handle, n.Ref, "--point")
	} else if !r.OK {
		p.t.Errorf("%v", r)
	}
}

// types types and asks the program what its field holds.
func (p program) types(field, whole, by string, args ...string) {
	p.t.Helper()
	p.log.Mark()
	a := p.Act(append([]string{"type", p.handle}, args...)...)
	if a.Did.By != by || !True(a.Verified) {
		p.t.Errorf("%s: type %q: by %q, not %q, or not verified: %+v", p.kit, args, a.Did.By, by, a)
	}
	p.log.Wait(p.t, fixtures.Typed(field, whole), seen)
	if now := p.Get(p.handle, p.ref(field)).Says(); now != whole {
		p.t.Errorf("%s: %s holds %q, and %q is read", p.kit, field, whole, now)
	}
}

// TestFixtureSecrets: what goes into a password field reaches the program and
// nothing else: no answer, no row, no log, no file. What is typed elsewhere is
// recorded nowhere either.
func TestFixtureSecrets(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			const secret, keyed, typed = "Zq7secretZq7", "Zq8keyedZq8", "Zq9typedZq9"
			w := NewWorld(t)
			p := w.Default().fixture(kit)
			field := p.node("Password")
			if field.Role != "password text" {
				t.Fatalf("the field is %+v", field)
			}
			p.focus(field)
			var said []string
			say := func(r Reply) { said = append(said, string(r.JSON), r.Stderr) }
			for _, args := range [][]string{
				{"type", p.handle, field.Ref, secret, "--replace", "--snapshot"},
				{"snapshot", p.handle, "--all"},
				{"get", p.handle, field.Ref, "all"},
				{"get", p.handle, field.Ref, "text"},
				{"find", p.handle, "--role", "password text"},
				{"type", p.handle, p.ref("Name"), typed, "--no-observe"},
				{"type", p.handle, field.Ref, keyed, "--keys", "--replace"},
				{"snapshot", p.handle, "--diff"},
				{"snapshot", p.handle, "--find", secret},
				{"wait", p.handle, "--text", keyed, "--timeout", "500ms"},
			} {
				r := p.Run(args...)
				if args[0] == "type" && !r.OK {
					t.Errorf("%v", r)
				}
				switch {
				case args[0] == "wait": // says what the caller waited for, in the caller's own words
					said = append(said, fmt.Sprint(r.Details["seen"]))
				case args[0] != "snapshot" || args[2] != "--find":
					say(r)
				}
			}
			p.log.Wait(t, fixtures.Typed("Password", secret), seen)
			p.log.Wait(t, fixtures.Typed("Password", keyed), seen)
			p.log.Wait(t, fixtures.Typed("Name", typed), seen)
			said = append(said, p.Words("snapshot", p.handle, "--all"))
			owner := w.Owner()
			say(owner.OK(nil, "audit"))
			say(owner.OK(nil, "ps"))
			for _, text := range said {
				for _, hidden := range []string{secret, keyed} {
					if strings.Contains(text, hidden) && !strings.Contains(text, "--text") {
						t.Errorf("%q is told: %.1500s", hidden, text)
					}
				}
			}
			if rows := said[len(said)-4]; strings.Contains(rows, typed) {
				t.Errorf("the audit holds what was typed: %s", rows)
			}
			nowhere(t, w, secret, keyed, typed)
			p.Stop(p.handle)
			nowhere(t, w, secret, keyed, typed)
		})
	}
}

// nowhere fails the test when a file of the daemon's holds one of the words.
func nowhere(t *testing.T, w *World, words ...string) {
	t.Helper()
	for _, dir := range []string{w.State, w.Runtime} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // what vanishes meanwhile holds nothing
			}
			raw, err := os.ReadFile(path)
			for _, word := range words {
				if err == nil && strings.Contains(string(raw), word) {
					t.Errorf("%s holds %q", path, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestFixtureSet: values are set through the control's own interface, read
// back, and the program has them.
func TestFixtureSet(t *testing.T) {
	t.Parallel()
	for _, kit := range kits {
		t.Run(kit, func(t *testing.T) {
			t.Parallel()
			p := NewWorld(t).Default().fixture(kit)
			for _, set := range []struct {
				control, value string
				now            float64
			}{{"Count", "42", 42}, {"Level", "70", 70}, {"Count", "0", 0}} {
				p.log.Mark()
				n := p.node(set.control)
				a := p.Act("set", p.handle, n.Ref, "--value="+set.value)
				if !True(a.Verified) {
					t.Errorf("set %s: %+v", set.control, a)
				}
				p.log.Wait(t, fixtures.Became(set.control, set.now), seen)
				if v := p.Get(p.handle, n.Ref).Value; v == nil || v.Now != set.now {
					t.Errorf("%s is read as %+v", set.control, v)
				}
			}
			p.log.Mark()
			p.Refused("cannot_set", "set", p.handle, p.ref("Count"), "--value=words")
			p.Refused("cannot_set", "set", p.handle, p.ref("Alpha"), "--value=3")
			p.Refused("disabled", "set", p.handle, p.ref("Check Off"), "--check")
			if r := p.Run("set", p.handle, p.ref("Count"), "--value=-5"); r.OK {
				t.Errorf("a value below the least: %v", r)
			}
			p.unseen("none of these can be set")
			p.Stop(p.handle)
		})
	}
}
