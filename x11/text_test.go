package x11

import (
	"context"
	"errors"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"vibespace/internal/need"
)

// asciiText is every printable ASCII character.
var asciiText = func() string {
	var b strings.Builder
	for r := rune(' '); r <= '~'; r++ {
		b.WriteRune(r)
	}
	return b.String()
}()

// foreignText is forty characters that a US keyboard has not, of one to four
// bytes, among them letters with a case and ones without.
const foreignText = "éüßČΩЖÉÜẞčωж你好😀€œŒ†«»¿¡ñÑøØåÅłŁşŞğĞ—…“”é한あ🙂"

// typed waits until a file has the wanted length, and what follows has had its
// chance, and gives its content.
func typed(t testing.TB, path string, want int) string {
	t.Helper()
	deadline := time.Now().Add(patience)
	var b []byte
	for time.Now().Before(deadline) {
		b, _ = os.ReadFile(path)
		if len(b) >= want {
			time.Sleep(30 * time.Millisecond) // for what should not be there
			b, _ = os.ReadFile(path)
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return string(b)
}

// TestTextIsExact types every ASCII character and forty others into a terminal
// under layouts, groups and locks that make them other keys.
func TestTextIsExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		layout []string
		group  int
		locks  modmask
	}{
		{"us", []string{"us"}, 0, 0},
		{"fr", []string{"fr"}, 0, 0},
		{"de", []string{"de"}, 0, 0},
		{"dvorak", []string{"us", "-variant", "dvorak"}, 0, 0},
		{"us intl", []string{"us", "-variant", "intl"}, 0, 0},
		{"second group", []string{"us,ru", "-option", "grp:alt_shift_toggle"}, 1, 0},
		{"russian only", []string{"ru"}, 0, 0},
		{"caps lock", []string{"us"}, 0, modLock},
		{"num lock", []string{"de"}, 0, 1 << 4},
		{"all locked", []string{"us,ru,fr"}, 2, modLock | 1<<4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			_, path := r.catcher()
			i := r.injector()
			r.tool(need.Tool(t, "setxkbmap"), tc.layout...)
			if _, err := i.lockState(soon(t), 0xff, tc.locks, tc.group); err != nil {
				t.Fatal(err)
			}
			before, keys := r.state(), r.coreKeys()
			text := asciiText + "\n" + foreignText + "\t" + foreignText + asciiText
			done, err := i.Text(soon(t), text, TextOpts{})
			if n := len([]rune(text)); err != nil || done != n {
				t.Fatalf("typed %d of %d: %v", done, n, err)
			}
			want := strings.ReplaceAll(text, "\n", "\r") // Return in a raw terminal
			if got := typed(t, path, len(want)); got != want {
				t.Errorf("typed %q\n but asked %q", got, want)
			}
			if after := r.state(); after != before {
				t.Errorf("the keyboard's state was %+v and is %+v", before, after)
			}
			if down := r.keysDown(); len(down) > 0 {
				t.Errorf("keys are down: %v", down)
			}
			after := r.coreKeys()
			maps.DeleteFunc(after, func(code Keycode, _ string) bool { _, was := keys[code]; return !was })
			if !maps.Equal(keys, after) {
				t.Errorf("keys of the layout changed:\n%v\n%v", keys, after)
			}
			if err := i.Close(soon(t)); err != nil {
				t.Error(err)
			}
			if left := r.coreKeys(); !maps.Equal(keys, left) {
				t.Errorf("borrowed keys stay:\n%v\n%v", keys, left)
			}
		})
	}
}

func TestTextRefusesBeforeTheFirstKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	for text, want := range map[string]error{
		"abc\x1b": ErrControlChar, "a\rb": ErrControlChar, "\x00": ErrControlChar, "a\u0085": ErrControlChar,
		"\x7f": ErrControlChar, "ab\xff": ErrNotUTF8, "\xed\xa0\x80": ErrNotUTF8,
	} {
		if done, err := i.Text(soon(t), text, TextOpts{}); done != 0 || !errors.Is(err, want) {
			t.Errorf("%q: typed %d, %v; want %v", text, done, err, want)
		}
	}
	no := errors.New("not here")
	done, err := i.Text(soon(t), "abc", TextOpts{Guard: func(context.Context) error { return no }})
	if done != 0 || !errors.Is(err, no) {
		t.Errorf("a guard that refuses: typed %d, %v", done, err)
	}
	if _, err := i.Text(soon(t), "!", TextOpts{}); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, path, 1); got != "!" {
		t.Errorf("the terminal got %q", got)
	}
}

// TestTextStops cuts a long text by its context, its guard and a panic, and
// compares the count with what arrived.
func TestTextStops(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	text := strings.Repeat("Stop! é ", 500)
	stop := errors.New("stop")
	want := ""
	check := func(name string, done int, err, cause error) {
		t.Helper()
		if !errors.Is(err, cause) || done == 0 || done == len([]rune(text)) {
			t.Fatalf("%s: typed %d, %v", name, done, err)
		}
		want += string([]rune(text)[:done])
		if got := typed(t, path, len(want)); got != want {
			t.Errorf("%s: %d counted and %d bytes of %d arrived", name, done, len(got), len(want))
		}
		if down := r.keysDown(); len(down) > 0 {
			t.Errorf("%s: keys are down: %v", name, down)
		}
		if keys, buttons := i.Held(); len(keys)+len(buttons) > 0 {
			t.Errorf("%s: the book holds %v %v", name, keys, buttons)
		}
	}
	for n := range 3 {
		ctx, cancel := context.WithCancel(soon(t))
		done, err := i.Text(ctx, text, TextOpts{Progress: func(chars int) {
			if chars >= 100+n {
				cancel()
			}
		}})
		check("cancelled", done, err, context.Canceled)
		if done >= 100+n+batchChars {
			t.Errorf("%d characters typed after the cancellation", done-100-n)
		}
	}
	calls := 0
	done, err := i.Text(soon(t), text, TextOpts{Guard: func(context.Context) error {
		if calls++; calls > 3 {
			return stop
		}
		return nil
	}})
	check("guarded", done, err, stop)
	if done > 3*guardEvery {
		t.Errorf("the guard was asked %d times in %d characters", calls, done)
	}
	done = 0
	func() {
		defer func() { _ = recover() }()
		_, _ = i.Text(soon(t), text, TextOpts{Progress: func(chars int) {
			if done = chars; chars >= 55 {
				panic("x")
			}
		}})
	}()
	check("panicked", done, stop, stop)
}

// TestTextIsExactInManyLayouts goes through layouts with more levels, other
// modifiers and other scripts in one terminal.
func TestTextIsExactInManyLayouts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	want := ""
	for _, layout := range []string{
		"us", "de(neo)", "fr(bepo)", "ch(fr)", "ca(multix)", "cz(qwerty)", "pl", "tr(f)", "jp", "kr", "gr,us", "il",
		"ara", "in", "ru(phonetic)", "ua,us,ru,il", "us(colemak)", "es", "us(altgr-intl)", "cn",
	} {
		r.tool(need.Tool(t, "setxkbmap"), layoutArgs(layout)...)
		text := asciiText + "éßЖ你€\n" + asciiText
		if done, err := i.Text(soon(t), text, TextOpts{}); err != nil {
			t.Fatalf("%s: typed %d: %v", layout, done, err)
		}
		want += strings.ReplaceAll(text, "\n", "\r")
		if got := typed(t, path, len(want)); got != want {
			t.Fatalf("%s: typed %q", layout, strings.TrimPrefix(got, want[:len(want)-len(text)]))
		}
	}
}

func layoutArgs(layout string) []string {
	if name, variant, ok := strings.Cut(strings.TrimSuffix(layout, ")"), "("); ok {
		return []string{"-layout", name, "-variant", variant}
	}
	return []string{"-layout", layout, "-variant", ""}
}

// TestTextWithoutSpareKeys has a keymap whose every keycode means something.
func TestTextWithoutSpareKeys(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	var full []*loan
	for _, code := range i.board.spareCodes() {
		full = append(full, &loan{code: code, syms: symbols{0xffbe}}) // F1
	}
	if err := i.mapKeys(soon(t), full); err != nil {
		t.Fatal(err)
	}
	if done, err := i.Text(soon(t), "plain, then é", TextOpts{}); done != 0 || !errors.Is(err, ErrNoKey) {
		t.Errorf("typed %d, %v", done, err)
	}
	if _, err := i.Text(soon(t), "plain", TextOpts{}); err != nil {
		t.Error(err)
	}
	if got := typed(t, path, 5); got != "plain" {
		t.Errorf("typed %q", got)
	}
}

// cutTexts types a text after the other and cuts each at another moment, and
// compares what was counted with what arrived behind before.
func (r *rig) cutTexts(i *Injector, path, before string, rounds, least int, of func(n int) (text []rune, after time.Duration)) {
	r.t.Helper()
	var want strings.Builder
	want.WriteString(before)
	cuts := 0
	for n := range rounds {
		text, after := of(n)
		ctx, cancel := context.WithTimeout(soon(r.t), after)
		done, err := i.Text(ctx, string(text), TextOpts{})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			r.t.Fatal(err)
		}
		if err != nil {
			cuts++
		}
		want.WriteString(string(text[:done]))
	}
	if cuts < least {
		r.t.Errorf("only %d of %d texts were cut", cuts, rounds)
	}
	if got := typed(r.t, path, want.Len()); got != want.String() {
		r.t.Errorf("%d bytes were counted and %d arrived", want.Len(), len(got))
	}
	if down := r.keysDown(); len(down) > 0 {
		r.t.Errorf("keys are down: %v", down)
	}
}

// TestTextInterrupted cuts two hundred texts at any moment: what is counted is
// what arrived, no key is down, and the layout's keys are what they were.
func TestTextInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	if _, err := i.Text(soon(t), foreignText, TextOpts{}); err != nil {
		t.Fatal(err)
	}
	state, keys := r.state(), r.coreKeys()
	text := []rune(strings.Repeat("Cut! é 你 ll ", 40))
	r.cutTexts(i, path, foreignText, 200, 20, func(n int) ([]rune, time.Duration) {
		// From at once to most of the text, each moment about as often.
		return text, time.Duration(n*397%2003) * 20 * time.Microsecond
	})
	if after := r.state(); after != state {
		t.Errorf("the keyboard's state was %+v and is %+v", state, after)
	}
	if after := r.coreKeys(); !maps.Equal(keys, after) {
		t.Errorf("keys of the layout changed:\n%v\n%v", keys, after)
	}
}

// TestTextAfterALayoutIsLost types when the locked group went with its layout:
// the server goes on saying that it is in effect.
func TestTextAfterALayoutIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	want := ""
	for n, layout := range []string{"us,ru,de", "us", "us,ru", "fr"} {
		r.tool(need.Tool(t, "setxkbmap"), layout)
		text := asciiText + "é Ж"
		if n%2 == 1 {
			text = "after " + text
		}
		if _, err := i.Text(soon(t), text, TextOpts{}); err != nil {
			t.Fatalf("%s: %v", layout, err)
		}
		want += text
		if got := typed(t, path, len(want)); got != want {
			t.Fatalf("%s: typed %q", layout, got)
		}
		if n%2 == 0 {
			if _, err := i.lockState(soon(t), modLock|1<<4, modLock|1<<4, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	chord, err := ParseChord("x")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Chord(soon(t), chord, nil); err != nil {
		t.Error(err)
	}
}

// TestTwoTextsDoNotMix: a text that begins while another is on its way comes
// after it.
func TestTwoTextsDoNotMix(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, path := r.catcher()
	i := r.injector()
	first, second := strings.Repeat("abcdefgh", 40), strings.Repeat("ABCDEFGH", 40)
	var begun sync.Once
	done := make(chan error, 1)
	_, err := i.Text(soon(t), first, TextOpts{Progress: func(int) {
		begun.Do(func() {
			go func() { _, err := i.Text(soon(t), second, TextOpts{}); done <- err }()
		})
	}})
	if err = errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, path, len(first+second)); got != first+second {
		t.Errorf("typed %q", got)
	}
}
