package state

import "vibespace/internal/api"

// trayTitle is how much of a window's title a tray's menu has room for.
const trayTitle = 48

// TrayItem is a window in the tray's menu.
type TrayItem struct {
	Handle api.Handle
	Text   string
}

// Tray is what the desktop's tray shows of the windows that live: each with how
// it stands, and whether one of them needs the person.
func Tray(l Lang, windows []api.Window, viewer string) (items []TrayItem, needed bool) {
	for _, w := range windows {
		if w.Ended != nil {
			continue
		}
		control := ControlOf(w, viewer)
		text := Line(Title(w), trayTitle) + " – " + control.Badge(l)
		if control == Paused || w.Lapsed != nil || w.Questions > 0 {
			text, needed = "● "+text, true
		}
		items = append(items, TrayItem{w.Handle, text})
	}
	return items, needed
}
