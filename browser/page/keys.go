package page

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"vibespace/internal/api"
)

// modifierKey is a key that is held while others are pressed.
type modifierKey struct {
	words []string
	bit   int64
	key   string
	code  string
	vk    int64
}

// modifierKeys are all of them.
var modifierKeys = []modifierKey{
	{[]string{"alt", "option"}, 1, "Alt", "AltLeft", 18},
	{[]string{"ctrl", "control"}, 2, "Control", "ControlLeft", 17},
	{[]string{"meta", "super", "cmd", "win"}, 4, "Meta", "MetaLeft", 91},
	{[]string{"shift"}, 8, "Shift", "ShiftLeft", 16},
}

// stroke is one key as the protocol presses it.
type stroke struct {
	key  string
	code string
	vk   int64
	text string
	bits int64
}

// namedKeys are keys with names, in lower case, and what people call them.
var namedKeys = map[string]stroke{
	"enter": {"Enter", "Enter", 13, "\r", 0}, "return": {"Enter", "Enter", 13, "\r", 0},
	"tab": {"Tab", "Tab", 9, "", 0}, "escape": {"Escape", "Escape", 27, "", 0}, "esc": {"Escape", "Escape", 27, "", 0},
	"backspace": {"Backspace", "Backspace", 8, "", 0}, "delete": {"Delete", "Delete", 46, "", 0}, "del": {"Delete", "Delete", 46, "", 0},
	"space": {" ", "Space", 32, " ", 0}, "insert": {"Insert", "Insert", 45, "", 0},
	"home": {"Home", "Home", 36, "", 0}, "end": {"End", "End", 35, "", 0},
	"pageup": {"PageUp", "PageUp", 33, "", 0}, "page_up": {"PageUp", "PageUp", 33, "", 0}, "prior": {"PageUp", "PageUp", 33, "", 0},
	"pagedown": {"PageDown", "PageDown", 34, "", 0}, "page_down": {"PageDown", "PageDown", 34, "", 0}, "next": {"PageDown", "PageDown", 34, "", 0},
	"arrowup": {"ArrowUp", "ArrowUp", 38, "", 0}, "up": {"ArrowUp", "ArrowUp", 38, "", 0},
	"arrowdown": {"ArrowDown", "ArrowDown", 40, "", 0}, "down": {"ArrowDown", "ArrowDown", 40, "", 0},
	"arrowleft": {"ArrowLeft", "ArrowLeft", 37, "", 0}, "left": {"ArrowLeft", "ArrowLeft", 37, "", 0},
	"arrowright": {"ArrowRight", "ArrowRight", 39, "", 0}, "right": {"ArrowRight", "ArrowRight", 39, "", 0},
	"contextmenu": {"ContextMenu", "ContextMenu", 93, "", 0}, "menu": {"ContextMenu", "ContextMenu", 93, "", 0},
}

// punctuation are the keys of an American keyboard, without and with shift.
var punctuation = map[rune]struct {
	code string
	vk   int64
}{
	'`': {"Backquote", 192}, '~': {"Backquote", 192}, '-': {"Minus", 189}, '_': {"Minus", 189}, '=': {"Equal", 187}, '+': {"Equal", 187},
	'[': {"BracketLeft", 219}, '{': {"BracketLeft", 219}, ']': {"BracketRight", 221}, '}': {"BracketRight", 221},
	'\\': {"Backslash", 220}, '|': {"Backslash", 220}, ';': {"Semicolon", 186}, ':': {"Semicolon", 186}, '\'': {"Quote", 222}, '"': {"Quote", 222},
	',': {"Comma", 188}, '<': {"Comma", 188}, '.': {"Period", 190}, '>': {"Period", 190}, '/': {"Slash", 191}, '?': {"Slash", 191},
	' ': {"Space", 32},
}

// signs are the names that signs have among the keys of windows.
var signs = map[string]string{
	"plus": "+", "minus": "-", "equal": "=", "underscore": "_", "comma": ",", "period": ".", "less": "<", "greater": ">", "slash": "/",
	"question": "?", "backslash": `\`, "bar": "|", "semicolon": ";", "colon": ":", "apostrophe": "'", "quotedbl": `"`, "grave": "`",
	"asciitilde": "~", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}", "exclam": "!", "at": "@",
	"numbersign": "#", "dollar": "$", "percent": "%", "asciicircum": "^", "ampersand": "&", "asterisk": "*", "parenleft": "(", "parenright": ")",
}

// shiftedDigits are what shift makes of the digits.
const shiftedDigits = ")!@#$%^&*("

// strokeOf is the key that types a character; false for one no key types.
func strokeOf(r rune) (stroke, bool) {
	s := stroke{key: string(r), text: string(r)}
	switch {
	case r >= 'a' && r <= 'z':
		s.code, s.vk = "Key"+strings.ToUpper(string(r)), int64(r-'a'+'A')
	case r >= 'A' && r <= 'Z':
		s.code, s.vk, s.bits = "Key"+string(r), int64(r), 8
	case r >= '0' && r <= '9':
		s.code, s.vk = "Digit"+string(r), int64(r)
	case r == '\n' || r == '\r':
		return namedKeys["enter"], true
	case r == '\t':
		return namedKeys["tab"], true
	default:
		if at := strings.IndexRune(shiftedDigits, r); at >= 0 {
			s.code, s.vk, s.bits = "Digit"+strconv.Itoa(at), int64('0'+at), 8
			return s, true
		}
		p, ok := punctuation[r]
		if !ok {
			return stroke{}, false
		}
		s.code, s.vk = p.code, p.vk
		if strings.ContainsRune(`~_+{}|:"<>?`, r) {
			s.bits = 8
		}
	}
	return s, true
}

// splitChord gives what a chord holds and the name of its key.
func splitChord(chord string) (bits int64, name string, ok bool) {
	mods := strings.Split(chord, "+")
	last := len(mods) - 1
	name, mods = mods[last], mods[:last]
	if name == "" && last > 0 && mods[last-1] == "" { // "ctrl++", "+"
		name, mods = "+", mods[:last-1]
	}
	bits, err := modifiers(strings.Join(mods, "+"))
	if sign, is := signs[strings.ToLower(name)]; is {
		name = sign
	}
	return bits, name, err == nil && name != "" && !slices.Contains(mods, "")
}

// parseChord reads "ctrl+shift+a" or "Enter".
func parseChord(chord string) (stroke, error) {
	wrong := api.Refuse(api.BadKey, "%q is no key", chord).WithHint("Enter, Tab, ArrowDown, a, ctrl+a, shift+F10 …")
	bits, name, ok := splitChord(chord)
	if !ok {
		return stroke{}, wrong
	}
	s, named := namedKeys[strings.ToLower(name)]
	switch {
	case named:
	case utf8.RuneCountInString(name) == 1:
		r, _ := utf8.DecodeRuneInString(name)
		if s, ok = strokeOf(r); !ok {
			return stroke{}, wrong
		}
	default:
		n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(name), "f"))
		if err != nil || n < 1 || n > 24 || strings.ToLower(name)[0] != 'f' {
			if at := slices.IndexFunc(modifierKeys, func(k modifierKey) bool { return slices.Contains(k.words, strings.ToLower(name)) }); at >= 0 {
				k := modifierKeys[at]
				return stroke{k.key, k.code, k.vk, "", bits | k.bit}, nil
			}
			return stroke{}, wrong
		}
		s = stroke{"F" + strconv.Itoa(n), "F" + strconv.Itoa(n), int64(111 + n), "", 0}
	}
	s.bits |= bits
	if bits&^8 != 0 { // what is held but shift makes a key no text
		s.text = ""
	}
	return s, nil
}

// editing are the commands that chords carry in a field, as they do on Linux.
var editing = map[string]string{
	"ctrl+a": "selectAll", "ctrl+c": "copy", "ctrl+v": "paste", "ctrl+x": "cut", "ctrl+z": "undo", "ctrl+y": "redo", "ctrl+shift+z": "redo",
}

// keyDown presses a key. Of a "rawKeyDown" that the page does not want, and of
// some that it never sees, the browser makes its own shortcuts: it opens and
// closes tabs and windows, zooms, prints. Of this kind it makes none, and the
// page cannot tell them apart.
const keyDown = input.DispatchKeyEventType("keyDown")

// strike presses and releases a key.
func (d *doing) strike(s stroke, commands ...string) error {
	down := input.DispatchKeyEventParams{
		Type: keyDown, Key: s.key, Code: s.code, WindowsVirtualKeyCode: s.vk, NativeVirtualKeyCode: s.vk, Modifiers: s.bits,
		Text: s.text, UnmodifiedText: s.text, Commands: commands,
	}
	if err := d.send(input.DispatchKeyEvent.Method, down); err != nil {
		return err
	}
	up := input.DispatchKeyEventParams{Type: "keyUp", Key: s.key, Code: s.code, WindowsVirtualKeyCode: s.vk, NativeVirtualKeyCode: s.vk, Modifiers: s.bits}
	// A key that was pressed is released, whatever ended meanwhile.
	c, err := d.p.main.s.Begin(input.DispatchKeyEvent.Method, up)
	if err == nil {
		d.sent = append(d.sent, c)
	}
	return err
}

// hold presses or releases the modifiers of a chord: pages listen for them.
func (d *doing) hold(bits int64, down bool) error {
	kind := input.DispatchKeyEventType("keyUp")
	if down {
		kind = keyDown
	}
	for _, k := range modifierKeys {
		if bits&k.bit == 0 {
			continue
		}
		c, err := d.p.main.s.Begin(input.DispatchKeyEvent.Method, input.DispatchKeyEventParams{
			Type: kind, Key: k.key, Code: k.code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk, Modifiers: bits,
		})
		if err != nil {
			return err
		}
		d.sent = append(d.sent, c)
	}
	return nil
}

// writes says whether a stroke puts something into a field: a character, or what
// was copied, by either chord that pastes.
func (s stroke) writes() bool {
	const v, insert, ctrl, shift = 86, 45, 2, 8
	switch {
	case s.text != "":
		return s.key != "Enter"
	case s.vk == v:
		return s.bits&ctrl != 0
	case s.vk == insert:
		return s.bits&shift != 0
	}
	return false
}

// maxChords bounds one press.
const maxChords = 50

// Press presses chords; bad_key.
func (p *Page) Press(ctx context.Context, r api.PagePressRequest) (*api.PageActed, error) {
	if len(r.Keys) == 0 || len(r.Keys) > maxChords {
		return nil, api.Refuse(api.BadKey, "%d keys at once", len(r.Keys)).WithHint("give 1 to %d", maxChords)
	}
	strokes := make([]stroke, len(r.Keys))
	for i, k := range r.Keys {
		s, err := parseChord(k)
		if err != nil {
			return nil, err
		}
		strokes[i] = s
	}
	return p.act(ctx, r.PageAct, "press", "", func(d *doing) error {
		d.did.By, d.did.Action = "keys", strings.Join(r.Keys, " ")
		if err := d.look(); err != nil {
			return err
		}
		var into *state
		for i, s := range strokes {
			n := i
			d.did.Partial = &api.Partial{Keys: &n, Of: len(strokes)}
			// A key that writes nothing may have moved the focus.
			if s.writes() && (i == 0 || !strokes[i-1].writes()) {
				var err error
				if into, err = d.notSecret(); err != nil {
					return err
				}
			}
			d.p.astray(into, s)
			if err := d.chord(r.Keys[i], s); err != nil {
				return err
			}
			if err := d.echo(); err != nil {
				return err
			}
		}
		d.did.Partial = nil
		if !d.r.NoObserve {
			d.arrived()
		}
		return nil
	})
}

// chord presses one chord; what it held is released in any case.
func (d *doing) chord(word string, s stroke) error {
	if err := d.o.ctx.Err(); err != nil {
		return context.Cause(d.o.ctx)
	}
	var commands []string
	if c, ok := editing[strings.ToLower(word)]; ok {
		commands = append(commands, c)
	}
	if err := d.hold(s.bits, true); err != nil {
		return err
	}
	err := d.strike(s, commands...)
	if up := d.hold(s.bits, false); err == nil {
		err = up
	}
	return err
}
