package state

import (
	"vibespace/internal/api"
)

// WayOut is the chord that gives the keyboard back to the app while every other
// key goes to a window. It is the one thing a window never gets.
const WayOut = "Ctrl+Alt+H"

// X keycodes that the way out is made of. They are those of the evdev rules,
// which every X server on Linux has; H is where the layout has it, so the app
// says it by name as well.
var (
	ctrlKeys = map[int]bool{37: true, 105: true}
	altKeys  = map[int]bool{64: true, 108: true}
)

// keyH is the key that has H in nearly every layout.
const keyH = 43

// Input turns what a person does over a live view into what the daemon takes.
// It knows what is held down, so that nothing stays down when a release is lost:
// a drag that ends elsewhere, a window manager that takes the focus. It is one
// goroutine's.
type Input struct {
	keys    []int
	buttons []string
	at      api.Point
}

// Press is a key going down. out is true for the way out: then what is held is
// let go, and nothing of the chord's last key reaches the window.
func (i *Input) Press(code int, named string) (events []api.InputEvent, out bool) {
	if code <= 0 {
		return nil, false
	}
	if (code == keyH || named == "H") && i.holds(ctrlKeys) && i.holds(altKeys) {
		return i.LetGo(), true
	}
	if !i.held(code) {
		i.keys = append(i.keys, code)
	}
	return []api.InputEvent{{Do: "press", Code: code}}, false
}

// Release is a key coming up. One that did not go down here is nobody's.
func (i *Input) Release(code int) []api.InputEvent {
	for n, k := range i.keys {
		if k == code {
			i.keys = append(i.keys[:n:n], i.keys[n+1:]...)
			return []api.InputEvent{{Do: "release", Code: code}}
		}
	}
	return nil
}

// Move is the pointer moving to a pixel of the window. Where nothing changes
// nothing is sent.
func (i *Input) Move(at api.Point) []api.InputEvent {
	if at == i.at {
		return nil
	}
	i.at = at
	return []api.InputEvent{{Do: "move", At: &at}}
}

// Down and Up are a button at a pixel.
func (i *Input) Down(button string, at api.Point) []api.InputEvent {
	i.at = at
	for _, b := range i.buttons {
		if b == button {
			return nil
		}
	}
	i.buttons = append(i.buttons, button)
	return []api.InputEvent{{Do: "down", Button: button, At: &at}}
}

// Up is a button coming up; one that did not go down here is nobody's.
func (i *Input) Up(button string, at api.Point) []api.InputEvent {
	i.at = at
	for n, b := range i.buttons {
		if b == button {
			i.buttons = append(i.buttons[:n:n], i.buttons[n+1:]...)
			return []api.InputEvent{{Do: "up", Button: button, At: &at}}
		}
	}
	return nil
}

// Dragging says whether a button is down.
func (i *Input) Dragging() bool { return len(i.buttons) > 0 }

// Scroll is the wheel, in notches: positive is down and right.
func (i *Input) Scroll(right, down int, at api.Point) []api.InputEvent {
	i.at = at
	var events []api.InputEvent
	for _, axis := range []struct {
		by         int
		plus, less string
	}{{down, "down", "up"}, {right, "right", "left"}} {
		switch {
		case axis.by > 0:
			events = append(events, api.InputEvent{Do: "scroll", Direction: axis.plus, By: axis.by, At: &at})
		case axis.by < 0:
			events = append(events, api.InputEvent{Do: "scroll", Direction: axis.less, By: -axis.by, At: &at})
		}
	}
	return events
}

// Paste is text from the person's clipboard.
func (i *Input) Paste(text string) []api.InputEvent {
	if text == "" {
		return nil
	}
	return append(i.LetGo(), api.InputEvent{Do: "text", Text: text})
}

// LetGo brings everything up: the focus went, the window is handed back.
func (i *Input) LetGo() []api.InputEvent {
	if len(i.keys) == 0 && len(i.buttons) == 0 {
		return nil
	}
	i.keys, i.buttons = nil, nil
	return []api.InputEvent{{Do: "letgo"}}
}

func (i *Input) held(code int) bool {
	for _, k := range i.keys {
		if k == code {
			return true
		}
	}
	return false
}

func (i *Input) holds(any map[int]bool) bool {
	for _, k := range i.keys {
		if any[k] {
			return true
		}
	}
	return false
}

// Merge puts events after others that were not sent yet: of moves that follow
// each other the last counts.
func Merge(waiting, more []api.InputEvent) []api.InputEvent {
	for _, e := range more {
		if n := len(waiting); e.Do == "move" && n > 0 && waiting[n-1].Do == "move" {
			waiting[n-1] = e
			continue
		}
		waiting = append(waiting, e)
	}
	return waiting
}
