package xpra

import (
	"maps"
	"slices"
	"strings"
)

// desk is what is known of a viewer's desktop and of the windows it shows. It
// decides what of the conversation between a viewer and a server goes through,
// what goes through in another form, and what is an act of the person. What is
// not named here does not go through.
//
// The viewer decides nothing about the windows of the display: neither where
// they are nor how large, which of them is in front, nor what its keys mean.
type desk struct {
	id      string // by which the server tells viewers apart
	greeted bool
	focus   int // the window that has the keyboard there
	windows map[int]*shown
	keys    map[int]uint32 // the keys that are down there, by keycode
}

// shown is a window that the viewer was told of.
type shown struct {
	xid    uint32
	menu   bool
	parent int
	size   size   // on the display
	told   []size // what the viewer was told and has not answered yet
	wished []size // what the viewer wished and the display has not answered yet
	there  Rect   // on the viewer's desktop, once it was shown
	is     bool   // there is known
	wheel  int    // what of a notch was turned, in thousandths
}

// size is that of a window.
type size struct{ w, h int }

// maxSizes bounds the sizes that wait for an answer. A window manager that gives
// a window another size than it was told answers none of them.
const maxSizes = 8

// answered says whether a size is among those that wait for an answer, and what
// waits then: nothing that was before it.
func answered(waiting []size, s size) ([]size, bool) {
	if i := slices.Index(waiting, s); i >= 0 {
		return waiting[i+1:], true
	}
	return waiting, false
}

// waits puts a size behind those that wait for an answer.
func waits(waiting []size, s size) []size {
	return append(waiting[max(0, len(waiting)-maxSizes+1):len(waiting):len(waiting)], s)
}

// maxShown bounds the windows that a viewer is told of.
const maxShown = 1000

// maxKeys bounds the keys that are down at once: more than a keyboard has.
const maxKeys = 256

// verdict is what becomes of a packet.
type verdict struct {
	pass           bool // it goes through as it is
	server, viewer []packet
	acts           []Act
}

func newDesk(id string) *desk {
	return &desk{id: id, windows: map[int]*shown{}, keys: map[int]uint32{}}
}

// fromViewer decides about a packet of the viewer.
func (d *desk) fromViewer(p packet) verdict {
	if !d.greeted {
		if p.kind() != "hello" {
			return verdict{}
		}
		d.greeted = true
		return verdict{server: []packet{{"hello", viewerHello(p.dict(1), d.id)}}}
	}
	switch p.kind() {
	case "ping", "ping_echo", "damage-sequence":
		return verdict{pass: true}
	case "suspend", "resume": // its screen is locked, or it sleeps
		return verdict{server: []packet{{p.kind(), true, d.known(p.list(2))}}}
	case "key-action":
		return d.key(p)
	case "focus":
		d.focus = p.number(1)
		if d.windows[d.focus] == nil {
			d.focus = 0
			clear(d.keys) // who lost the keyboard is not told of keys that come up
		}
		return verdict{acts: []Act{{Kind: ActFocus, Window: d.xid(d.focus), Menu: d.isMenu(d.focus)}}}
	}
	w := d.windows[p.number(1)]
	if w == nil {
		return verdict{}
	}
	return d.inWindow(w, p)
}

// inWindow decides about a packet of the viewer that is about a window.
func (d *desk) inWindow(w *shown, p packet) verdict {
	n := p.number(1)
	switch p.kind() {
	case "map-window":
		props := pixelProperties(p.dict(6))
		props["event"] = "map"
		v := d.placed(w, p)
		v.server = []packet{{"resume", false, []any{n}}, refresh(n, props)}
		return v
	case "unmap-window":
		return verdict{server: []packet{{"suspend", false, []any{n}}}}
	case "configure-window":
		if p.flag(9) { // about something else than its place
			return verdict{}
		}
		return d.placed(w, p)
	case "buffer-refresh":
		return verdict{server: []packet{refresh(n, pixelProperties(p.dict(5)))}}
	case "close-window":
		return verdict{acts: []Act{{Kind: ActClose, Window: w.xid}}}
	case "pointer-position":
		x, y := w.point(p.list(2))
		return verdict{acts: []Act{{Kind: ActMove, Window: w.xid, Menu: w.menu, X: x, Y: y}}}
	case "button-action":
		return w.button(p)
	case "wheel-motion":
		w.wheel += min(max(p.number(3), -maxTurn), maxTurn)
		by := w.wheel / notch
		w.wheel -= by * notch
		return w.turn(p.number(2), by, p.list(4))
	}
	return verdict{}
}

// known gives those of some windows that there are.
func (d *desk) known(some packet) []any {
	list := []any{}
	for i := range some {
		if n := some.number(i); d.windows[n] != nil && len(list) < maxShown {
			list = append(list, n)
		}
	}
	return list
}

func (d *desk) xid(n int) uint32 {
	if w := d.windows[n]; w != nil {
		return w.xid
	}
	return 0
}

func (d *desk) isMenu(n int) bool { return d.windows[n] != nil && d.windows[n].menu }

// refresh asks for all of a window's pixels, with what the viewer says about how
// it wants them.
func refresh(n int, props map[string]any) packet {
	return packet{"buffer-refresh", n, 0, 100, map[string]any{"refresh-now": true}, props}
}

// pixelProperties are those of a viewer's wishes for a window that are about its
// pixels.
func pixelProperties(props map[string]any) map[string]any {
	kept := maps.Clone(props)
	maps.DeleteFunc(kept, func(k string, _ any) bool { return !strings.HasPrefix(k, "encoding") })
	if kept == nil {
		kept = map[string]any{}
	}
	return kept
}

// placed takes where a window is on the viewer's desktop. Where it is there is
// nobody's business; a size that it was not told is a wish.
func (d *desk) placed(w *shown, p packet) verdict {
	before, had := w.there, w.is
	w.there, w.is = Rect{p.number(2), p.number(3), p.number(4), p.number(5)}, true
	now := size{w.there.W, w.there.H}
	var echo bool
	w.told, echo = answered(w.told, now)
	if w.menu || echo || now == w.size || had && now == (size{before.W, before.H}) {
		return verdict{}
	}
	w.wished = waits(w.wished, now)
	return verdict{acts: []Act{{Kind: ActSize, Window: w.xid, W: now.w, H: now.h}}}
}

// resized tells the viewer of a window's size, unless it was the viewer that
// wished for it: it may be further by now.
func (w *shown) resized(n int, now size, count int) verdict {
	w.size = now
	var echo bool
	if w.wished, echo = answered(w.wished, now); echo {
		return verdict{}
	}
	w.told = waits(w.told, now)
	return verdict{viewer: []packet{{"window-resized", n, now.w, now.h, count}}}
}

// point gives the place in a window that a pointer is at: the viewer tells it,
// after the place on its desktop.
func (w *shown) point(at packet) (x, y int) {
	if len(at) >= 4 {
		return at.number(2), at.number(3)
	}
	return at.number(0) - w.there.X, at.number(1) - w.there.Y
}

const (
	// notch is a notch of the wheel, as a viewer with a fine one counts.
	notch = 1000
	// maxTurn bounds how far the wheel turns at once.
	maxTurn = 20 * notch
)

// wheels are the wheel's directions by its buttons.
var wheels = map[int]string{4: "up", 5: "down", 6: "left", 7: "right"}

// button reads a button, or a notch of the wheel, which is a button too.
func (w *shown) button(p packet) verdict {
	button, down := p.number(2), p.flag(3)
	switch {
	case button >= 1 && button <= 3:
		x, y := w.point(p.list(4))
		return verdict{acts: []Act{{Kind: ActButton, Window: w.xid, Menu: w.menu, X: x, Y: y, Button: button, Down: down}}}
	case down:
		return w.turn(button, 1, p.list(4))
	}
	return verdict{}
}

// turn reads a turn of the wheel.
func (w *shown) turn(button, by int, at packet) verdict {
	by = max(by, -by)
	if wheels[button] == "" || by == 0 {
		return verdict{}
	}
	x, y := w.point(at)
	return verdict{acts: []Act{{Kind: ActWheel, Window: w.xid, Menu: w.menu, X: x, Y: y, Direction: wheels[button], By: by}}}
}

// key reads a key. What a key means is told with it, by the person's own
// keyboard: what chooses among meanings, and the locks, are done with that. A
// release is of what was pressed, whatever the key would mean by now.
func (d *desk) key(p packet) verdict {
	code, sym, down := p.number(7), uint32(p.number(5)), p.flag(3)
	if chooses(sym) {
		return verdict{}
	}
	n := p.number(1)
	a := Act{Kind: ActKey, Window: d.xid(n), Menu: d.isMenu(n), Key: sym, Down: down}
	was, held := d.keys[code]
	switch {
	case held:
		a.Key, a.Again = was, down
	case !down || sym == 0 || a.Window == 0 || len(d.keys) >= maxKeys:
		return verdict{}
	}
	if down {
		d.keys[code] = a.Key
	} else {
		delete(d.keys, code)
	}
	return verdict{acts: []Act{a}}
}

// chooses says of a keysym that it chooses what other keys mean, and does nothing
// else: the locks, and what shifts to another level or layout.
func chooses(sym uint32) bool {
	const capsLock, shiftLock, numLock, modeSwitch = 0xffe5, 0xffe6, 0xff7f, 0xff7e
	return sym >= 0xfe01 && sym <= 0xfe13 || sym == capsLock || sym == shiftLock || sym == numLock || sym == modeSwitch
}

// fromServer decides about a packet of the server. beside is where the window of
// d.beside is on the display, nil when that is not known.
func (d *desk) fromServer(p packet, beside *Rect) verdict {
	w := d.windows[p.number(1)]
	switch p.kind() {
	case "hello", "startup-complete", "disconnect", "ping", "ping_echo":
		return verdict{pass: true}
	case "new-window", "new-override-redirect":
		return d.enter(p, beside)
	case "draw", "eos", "window-icon", "window-metadata":
		if w != nil && p.kind() == "window-metadata" {
			if parent := meta(p.dict(2)).Parent; parent != 0 {
				w.parent = parent
			}
		}
		return verdict{pass: w != nil}
	case "lost-window":
		delete(d.windows, p.number(1))
		return verdict{pass: w != nil}
	}
	if w == nil {
		return verdict{}
	}
	switch p.kind() {
	case "window-resized":
		return w.resized(p.number(1), size{p.number(2), p.number(3)}, p.number(4))
	case "configure-override-redirect", "window-move-resize":
		now := size{p.number(4), p.number(5)}
		if !w.menu { // where it is on the viewer's desktop is the person's
			return w.resized(p.number(1), now, p.number(6))
		}
		w.size = now
		x, y := d.menuPlace(w, p.number(2), p.number(3), beside)
		return verdict{viewer: []packet{{"configure-override-redirect", p.number(1), x, y, now.w, now.h}}}
	}
	return verdict{}
}

// enter tells the viewer of a window. What belongs to another window is shown
// beside that one, wherever the person has it.
func (d *desk) enter(p packet, beside *Rect) verdict {
	n, m := p.number(1), meta(p.dict(6))
	if len(d.windows) >= maxShown || d.windows[n] != nil || m.XID == 0 {
		return verdict{}
	}
	w := &shown{xid: m.XID, menu: p.kind() != "new-window", parent: m.Parent, size: size{p.number(4), p.number(5)}}
	d.windows[n] = w
	over := d.windows[w.parent]
	x, y := p.number(2), p.number(3)
	switch {
	case w.menu:
		x, y = d.menuPlace(w, x, y, beside)
	case over != nil && over.is:
		x, y = over.there.X+(over.there.W-w.size.w)/2, max(0, over.there.Y+(over.there.H-w.size.h)/2)
	default:
		return verdict{pass: true}
	}
	told := append(packet{p.kind(), n, x, y}, p[4:]...)
	return verdict{viewer: []packet{told}}
}

// beside gives the window that a packet's menu is shown beside, 0 for none.
func (d *desk) beside(p packet) uint32 {
	var over *shown
	switch p.kind() {
	case "new-override-redirect":
		over = d.under(meta(p.dict(6)).Parent)
	case "configure-override-redirect", "window-move-resize":
		if w := d.windows[p.number(1)]; w != nil && w.menu {
			over = d.under(w.parent)
		}
	}
	if over == nil {
		return 0
	}
	return over.xid
}

// under is the window that what belongs to a window is shown beside: that one if
// it is no menu itself, else the one that has the keyboard, else the first.
func (d *desk) under(parent int) *shown {
	over := d.windows[parent]
	for range maxKin {
		if over == nil || !over.menu {
			break
		}
		over = d.windows[over.parent]
	}
	if over == nil || over.menu || !over.is {
		over = d.windows[d.focus]
	}
	if over == nil || over.menu || !over.is {
		over = d.first()
	}
	return over
}

// maxKin bounds the walk from a menu to its window: parents may be stated in a
// circle.
const maxKin = 8

// menuPlace gives the place on the viewer's desktop of a menu that is at a place
// of the display: as far from the window it belongs to as there.
func (d *desk) menuPlace(w *shown, x, y int, beside *Rect) (int, int) {
	over := d.under(w.parent)
	if over == nil || beside == nil {
		return x, y
	}
	return x - beside.X + over.there.X, y - beside.Y + over.there.Y
}

// first is the window that was there first of those that are shown.
func (d *desk) first() *shown {
	var first *shown
	least := 0
	for n, w := range d.windows {
		if !w.menu && w.is && (first == nil || n < least) {
			first, least = w, n
		}
	}
	return first
}

// sizeBack tells the viewer of a window's own size, and has its pixels sent
// anew: they were lost when it got another one.
func (d *desk) sizeBack(xid uint32) verdict {
	for n, w := range d.windows {
		if w.xid == xid && !w.menu {
			w.wished = nil
			v := w.resized(n, w.size, 0)
			v.server = []packet{refresh(n, map[string]any{})}
			return v
		}
	}
	return verdict{}
}
