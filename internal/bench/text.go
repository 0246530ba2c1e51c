package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibespace/internal/api"
)

// wideText is every printable ASCII character and forty that no one layout has,
// of one to four bytes, in lines as a person writes them.
var wideText = func() string {
	var ascii strings.Builder
	for r := rune(' '); r <= '~'; r++ {
		ascii.WriteRune(r)
	}
	const foreign = "éüßČΩЖÉÜẞčωж你好😀€œŒ†«»¿¡ñÑøØåÅłŁşŞğĞ—…“”é한あ🙂"
	return strings.Repeat(ascii.String()+"\n"+foreign+" of the lazy dog\n", 6)
}()

// plainText has no character that a US keyboard lacks: nobody has to map a key
// for it, and what is left is how fast the program itself takes keys.
var plainText = strings.Repeat(plainLine+"\n", plainLines)

const (
	plainLine  = "The quick brown fox jumps over the lazy dog; 0123456789 times!"
	plainLines = 12
)

// plainArgs is how xdotool is told to type it, without a pause. What it sends for
// a newline by itself is a key that GTK does not know.
var plainArgs = slices.Repeat([]string{"type", "--delay", "0", "--args", "1", plainLine, "key", "--delay", "0", "Return"}, plainLines)

// boards are the keyboards a text is typed under: a layout, and the keys that
// lock what would spoil it.
var boards = []struct {
	name   string
	layout []string
	locks  []string
	loaded bool // beside as many busy processes as the machine has cores
}{
	{name: "us", layout: []string{"us"}},
	{name: "fr", layout: []string{"fr"}},
	{name: "de", layout: []string{"de"}},
	{name: "us,ru group 2, Caps and Num Lock", layout: []string{"us,ru", "-option", "grp:toggle"}, locks: []string{"Caps_Lock", "Num_Lock", "ISO_Next_Group"}},
	{name: "us, both cores loaded", layout: []string{"us"}, loaded: true},
}

// texts measures typing by keys into each toolkit under several layouts. A text
// of which one character came out differently has no speed: it is an error.
func texts(ctx context.Context, r *rig) error {
	for _, app := range []string{"xterm", "gtk3.py", "gtk4.py", "qt5.py"} {
		if err := textsInto(ctx, r, app); err != nil {
			return fmt.Errorf("%s: %w", app, err)
		}
	}
	return nil
}

// sink is where a text goes: an application with the focus on a text of many
// lines, and what it holds.
type sink struct {
	opened
	clear func() error
	holds func() (string, error)
}

func textsInto(ctx context.Context, r *rig, app string) error {
	s, err := r.sink(ctx, app)
	if err != nil {
		return err
	}
	defer r.stop(s.opened)
	if err := r.plainInto(ctx, s, app); err != nil {
		return err
	}
	for _, board := range boards {
		if _, _, err := s.peer(ctx, "setxkbmap", board.layout...); err != nil {
			return err
		}
		if len(board.locks) > 0 {
			_, err := r.agent.Key(ctx, api.KeyRequest{Act: api.Act{Handle: s.Handle, NoObserve: true}, Keys: board.locks})
			if err != nil {
				return err
			}
		}
		rates, err := r.typedInto(ctx, s, board.loaded)
		if err != nil {
			return fmt.Errorf("%s: %w", board.name, err)
		}
		if err := r.tell(alone("type.text", app+", "+board.name, "chars/s", rates)); err != nil {
			return err
		}
		if _, _, err := s.peer(ctx, "setxkbmap", "us", "-option", ""); err != nil {
			return err
		}
	}
	return nil
}

// plainInto types a plain text until the program has all of it, in turns with
// xdotool without a pause, which sends all keys at once: faster than that a
// program does not take them.
func (r *rig) plainInto(ctx context.Context, s sink, app string) error {
	if _, _, err := s.peer(ctx, "setxkbmap", "us"); err != nil {
		return err
	}
	var ours, theirs series
	for range r.rounds {
		for _, side := range []struct {
			rates *series
			types func() error
		}{
			{&ours, func() error { return r.typesKeys(ctx, s, plainText) }},
			{&theirs, func() error { _, _, err := s.peer(ctx, "xdotool", plainArgs...); return err }},
		} {
			if err := s.clear(); err != nil {
				return err
			}
			took, err := clocked(func() error { return errors.Join(side.types(), s.exact(plainText)) })
			if err != nil {
				return fmt.Errorf("plain text: %w", err)
			}
			*side.rates = append(*side.rates, float64(len(plainText))/took*1000)
		}
	}
	return r.tell(compare("type.plain", app, "chars/s", ours, "xdotool type --delay 0", theirs))
}

// typesKeys types a text by keys into what has the focus.
func (r *rig) typesKeys(ctx context.Context, s sink, text string) error {
	act := api.Act{Handle: s.Handle, NoObserve: true, Common: api.Common{TimeoutMs: 60_000}} // also on a busy machine
	_, err := r.agent.Type(ctx, api.TypeRequest{Act: act, Text: text, Keys: true})
	return err
}

// typedInto types the text again and again.
func (r *rig) typedInto(ctx context.Context, s sink, loaded bool) (rates series, err error) {
	if loaded {
		defer busy(2)()
	}
	for range r.rounds {
		if err := s.clear(); err != nil {
			return nil, err
		}
		took, err := clocked(func() error { return r.typesKeys(ctx, s, wideText) })
		if err != nil {
			return nil, err
		}
		if err := s.exact(wideText); err != nil {
			return nil, err
		}
		rates = append(rates, float64(len([]rune(wideText)))/took*1000)
	}
	return rates, nil
}

// exact waits until everything has arrived, and is what was typed.
func (s sink) exact(text string) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		holds, err := s.holds()
		if err != nil {
			return err
		}
		if holds == text {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d characters arrived as %d, or other ones", len([]rune(text)), len([]rune(holds)))
		}
	}
}

// sink opens an application and puts the focus where text goes.
func (r *rig) sink(ctx context.Context, app string) (sink, error) {
	if app == "xterm" {
		return r.terminal(ctx)
	}
	program, err := filepath.Abs(filepath.Join("fixtures", app))
	if err != nil {
		return sink{}, err
	}
	w, err := r.open(ctx, api.OpenRequest{App: program, Env: []string{"FIXTURE_LOG=" + filepath.Join(r.dir, app+".log")}})
	if err != nil {
		return sink{}, err
	}
	found, err := r.agent.Find(ctx, api.FindRequest{Handle: w.Handle, Role: "text", Name: "Notes"})
	if err == nil && len(found.Nodes) == 0 {
		err = errors.New("there is no text field")
	}
	if err != nil {
		r.stop(w)
		return sink{}, err
	}
	field := found.Nodes[0].Ref
	act := api.Act{Handle: w.Handle, NoObserve: true}
	return sink{
		opened: w,
		clear: func() error {
			// Observed: a click by the place of what is being laid out anew, because
			// a long text went, would hit something else.
			if _, err := r.agent.Type(ctx, api.TypeRequest{Act: api.Act{Handle: w.Handle}, Ref: field, Replace: true}); err != nil {
				return err
			}
			// GTK 4 has no other way to the focus.
			_, err := r.agent.Click(ctx, api.ClickRequest{Act: act, Ref: field, Point: true})
			return err
		},
		holds: func() (string, error) {
			answer, err := r.agent.Get(ctx, api.GetRequest{Handle: w.Handle, Ref: field, What: "text"})
			if err != nil || answer.Node.Text == nil {
				return "", err
			}
			return *answer.Node.Text, nil
		},
	}, nil
}

// terminal opens xterm with a program that keeps what it reads.
func (r *rig) terminal(ctx context.Context) (sink, error) {
	path := filepath.Join(r.dir, "caught")
	w, err := r.open(ctx, api.OpenRequest{App: "xterm", Args: []string{"-u8", "-e", "sh", "-c", "stty raw -echo; exec cat >> " + path}})
	return sink{
		opened: w,
		clear:  func() error { return os.Truncate(path, 0) },
		holds: func() (string, error) {
			caught, err := os.ReadFile(path)
			return strings.ReplaceAll(string(caught), "\r", "\n"), err // Return in a raw terminal
		},
	}, err
}

// busy keeps cores occupied until the returned function is called.
func busy(cores int) (stop func()) {
	var started []*exec.Cmd
	for range cores {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if cmd.Start() == nil {
			started = append(started, cmd)
		}
	}
	return func() {
		for _, cmd := range started {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}
