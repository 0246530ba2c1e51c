package gui

import (
	_ "embed" // the mark
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/systray"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// markSVG is the app's mark, a window before another; the package's menu entry
// has it too.
//
//go:embed vibespace.svg
var markSVG string

// The app's mark, and the one with a dot that asks for the person.
var (
	iconRest   = fyne.NewStaticResource("vibespace.svg", []byte(markSVG))
	iconNeeded = fyne.NewStaticResource("vibespace-needed.svg", []byte(strings.Replace(markSVG, "</svg>",
		`<circle cx="50" cy="14" r="13" fill="#d9560f"/></svg>`, 1)))
)

// tray is the app's place in the desktop's tray: beside the window and never
// instead of it, since trays come and go.
type tray struct {
	u   *ui
	app desktop.App // nil: there is no tray
	// menu is one and the same for good: the toolkit shows the first it was
	// given once more when the tray has answered, however late that is.
	menu   *fyne.Menu
	shown  string // what the menu says
	needed bool
}

// newTray makes it, where the desktop has one.
func newTray(u *ui) *tray {
	t := &tray{u: u, menu: fyne.NewMenu("")}
	if app, ok := u.cfg.App.(desktop.App); ok && u.cfg.Tray {
		t.app = app
		u.rest.most = trayTime
		// The toolkit says the name from a goroutine beside the one that shows
		// the icon: what comes in between is lost, and the icon stays nameless.
		systray.SetTitle(u.window.Title())
		t.app.SetSystemTrayIcon(iconRest)
		t.update(nil)
		t.app.SetSystemTrayWindow(u.window)
		systray.SetOnTapped(func() { u.do(u.front) }) // the toolkit's own draws from the bus's goroutine
		u.window.SetCloseIntercept(nil)               // the toolkit would hide what is to be closed
	}
	return t
}

// update shows the windows as they are. The menu is made anew only when it says
// something else: the toolkit keeps what it made before.
func (t *tray) update(windows []api.Window) {
	if t.app == nil {
		return
	}
	u := t.u
	items, needed := state.Tray(u.settings.Lang, windows, u.desk.Viewer())
	if says := fmt.Sprint(u.settings.Lang, items); says != t.shown {
		t.shown = says
		t.menu.Items = t.lines(items)
		t.app.SetSystemTrayMenu(t.menu)
	}
	if needed != t.needed {
		t.needed = needed
		icon := iconRest
		if needed {
			icon = iconNeeded
		}
		t.app.SetSystemTrayIcon(icon)
	}
}

// lines are the ways back to the windows, and out.
func (t *tray) lines(items []state.TrayItem) []*fyne.MenuItem {
	u := t.u
	list := []*fyne.MenuItem{fyne.NewMenuItem(u.say(state.TrayShow), u.front), fyne.NewMenuItemSeparator()}
	for _, i := range items {
		list = append(list, fyne.NewMenuItem(i.Text, func() {
			u.look(i.Handle, false)
			u.front()
		}))
	}
	if len(items) > 0 {
		list = append(list, fyne.NewMenuItemSeparator())
	}
	list = append(list, fyne.NewMenuItem(u.say(state.QuitAll)+"…", func() {
		u.front()
		u.askQuit()
	}))
	leave := fyne.NewMenuItem(u.say(state.TrayClose), u.cfg.App.Quit)
	leave.IsQuit = true // else the toolkit adds one of its own, in its own words
	return append(list, leave)
}

// front brings the window before all others.
func (u *ui) front() {
	u.window.Show()
	u.window.RequestFocus()
}
