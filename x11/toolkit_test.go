package x11

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// fixture starts one of the toolkit programs, gives its window the focus and
// walks to its text area with the Tab key.
func (r *rig) fixture(i *Injector, name string) *fixtures.Journal {
	r.t.Helper()
	journal := filepath.Join(r.dir, "journal")
	r.run([]string{fixtures.LogVariable + "=" + journal}, need.SystemPython, fixtures.Path(r.t, name))
	log := fixtures.Log(r.t, journal)
	log.Wait(r.t, fixtures.Is("ready"), patience)
	id := r.top("fixture")
	r.focusOn(id)
	here := func(e fixtures.Event) bool { return e.Kind == "focus" && e.Control == "Notes" }
	tab, err := ParseChord("Tab")
	if err != nil {
		r.t.Fatal(err)
	}
	for range 60 {
		if err := i.Chord(soon(r.t), tab, nil); err != nil {
			r.t.Fatal(err)
		}
		if err := i.drain(soon(r.t)); err != nil {
			r.t.Fatal(err)
		}
		for _, e := range log.Events() {
			if here(e) {
				return log
			}
		}
	}
	// It was tabbed to, and the program has yet to come to it.
	log.Wait(r.t, here, patience)
	return log
}

// textRounds is how often each text is typed: what goes wrong, goes wrong
// rarely.
const textRounds = 20

// TestTextIsExactInToolkits types into the text area of real toolkits under
// other layouts, and compares what the program itself has with what was asked.
func TestTextIsExactInToolkits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gtk3.py", "gtk4.py", "qt5.py"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			i := r.injector()
			log := r.fixture(i, name)
			all, err := ParseChord("ctrl+a")
			if err != nil {
				t.Fatal(err)
			}
			for _, tc := range []struct {
				layout []string
				group  int
				locks  modmask
			}{
				{[]string{"us"}, 0, 0},
				{[]string{"us,ru"}, 1, modLock},
				{[]string{"fr"}, 0, 1 << 4},
				{[]string{"de"}, 0, modLock},
			} {
				r.tool(need.Tool(t, "setxkbmap"), tc.layout...)
				if _, err := i.lockState(soon(t), 0xff, tc.locks, tc.group); err != nil {
					t.Fatal(err)
				}
				// What is typed first replaces what was there: a program is slower the
				// longer its text is.
				if err := i.Chord(soon(t), all, nil); err != nil {
					t.Fatal(err)
				}
				log.Mark()
				whole, began, chars := "", time.Now(), 0
				for round := range textRounds {
					text := fmt.Sprintf("%d %s\n%s ll OO\n", round, asciiText, foreignText)
					if _, err := i.Text(soon(t), text, TextOpts{}); err != nil {
						t.Fatal(err)
					}
					whole += text
					chars += len([]rune(text))
				}
				log.Wait(t, fixtures.Typed("Notes", whole), patience)
				t.Logf("%v: %d characters, %.0f a second until the program had them", tc.layout, chars, float64(chars)/time.Since(began).Seconds())
			}
		})
	}
}
