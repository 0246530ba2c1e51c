package gui

import (
	"context"
	"image/color"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// freshEvery is after how many seconds who there is is asked for again, while it
// is shown: no stream tells of it.
const freshEvery = 3

// settingsKey is where the app's preferences keep state.Settings.
const settingsKey = "settings"

// Config is what the app is made of.
type Config struct {
	App  fyne.App
	Desk *state.Desk
	// Lang is the language of the person's environment.
	Lang state.Lang
	// Program is the absolute path of vibespace-window, for an agent's MCP
	// configuration.
	Program string
	// Window is shown at first, instead of the applications. Optional.
	Window api.Handle

	// Tray says that the desktop has a tray.
	Tray bool
	// Rest lets the app wait while nothing happens. Optional.
	Rest Rest
	// Plane lays a picture over a part of the window that the window system names
	// so. Optional.
	Plane func(window uintptr) (Plane, error)
	// Overdue is called when the toolkit does not end after its loop has. Optional.
	Overdue func()

	// async and stream run what speaks to the daemon beside Fyne's goroutine: an
	// answer, and what lasts. Tests have answers at once and no streams, since
	// their driver runs fyne.Do wherever it is called.
	async, stream func(func())
}

// ui is the app's one window.
type ui struct {
	cfg      Config
	desk     *state.Desk
	window   fyne.Window
	settings state.Settings
	life     context.Context
	end      context.CancelFunc

	panes    state.Panes
	open     map[api.Handle]*pane
	showing  string // "", people or settings instead of panes; home is the launcher
	apps     []api.AppInfo
	sessions []api.SessionInfo
	groups   []api.GroupInfo
	met      string // what the page of agents and groups said last, in short
	// freshening: who there is was asked for, and the answer is on its way.
	freshening bool
	with       string              // who a launched application is shared with
	told       map[api.Handle]bool // of whose end or lapse the person was told
	first      bool                // the windows were heard once
	// forgotten are ended windows that the person wants to see no more.
	forgotten map[api.Handle]bool
	// ages is when something on the screen that says how long ago it was has to
	// say it anew, in nanoseconds; 0 while nothing does.
	ages    atomic.Int64
	meeting atomic.Bool // who there is is shown
	rest    *rester
	tray    *tray

	rail    *rail
	main    *fyne.Container
	side    fyne.CanvasObject // the rail and the line beside it
	filled  api.Handle        // the window that has the whole screen; "" is none
	notices *fyne.Container
	gone    *fyne.Container // what is said while no daemon runs
	asked   *questions
	home    *launcher
	asks    []*asking // the dialogs on the screen, the last one on top

	revealed fyne.Focusable // what had the keyboard when it was looked last
}

// Run shows the window and returns when the person closed it. The daemon and
// every window it holds stay, unless the person chose otherwise.
func Run(cfg Config) {
	u := newUI(cfg)
	go u.desk.Run(u.life, func() { u.do(u.changed) })
	go u.tick()
	u.rest.start()
	u.window.ShowAndRun()
	u.end()
}

// newUI makes the window; nothing is asked of the daemon yet.
func newUI(cfg Config) *ui {
	beside := func(f func()) { go f() }
	if cfg.async == nil {
		cfg.async, cfg.stream = beside, beside
	}
	u := &ui{
		rest: newRester(cfg.Rest),
		cfg:  cfg, desk: cfg.Desk, open: map[api.Handle]*pane{}, told: map[api.Handle]bool{}, showing: pageHome, forgotten: map[api.Handle]bool{},
		settings: state.ReadSettings(cfg.App.Preferences().String(settingsKey), cfg.Lang),
	}
	u.life, u.end = context.WithCancel(context.Background())
	u.panes.Divider = u.settings.Divider
	if cfg.Window != "" {
		u.panes.Shown, u.showing = []api.Handle{cfg.Window}, ""
	}
	cfg.App.Settings().SetTheme(newSkin(u.settings.Look))
	u.window = cfg.App.NewWindow(u.say(state.AppName))
	u.window.Resize(fyne.NewSize(1280, 800))
	u.window.SetPadded(false)
	u.window.SetMaster() // a tray's window keeps no app open that was closed
	u.window.SetIcon(iconRest)
	u.tray = newTray(u)
	u.rest.turning = func() {
		u.reveal()
		for _, p := range u.open {
			p.view.plane.look(p.view)
		}
	}
	u.rest.still = func() bool {
		focused := u.window.Canvas().Focused()
		_, live := focused.(*liveView)
		return live || focused == nil
	}
	u.window.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) {
		if !u.answer(e) {
			u.fillKey(e)
		}
	})
	u.rebuild()
	return u
}

// The pages that are no window.
const (
	pageHome     = "home"
	pagePeople   = "people"
	pageSettings = "settings"
)

// say gives a text in the person's language.
func (u *ui) say(w state.Word, with ...any) string { return u.settings.Lang.Say(w, with...) }

// async runs what waits for the daemon.
func (u *ui) async(f func()) { u.cfg.async(f) }

// save keeps the settings.
func (u *ui) save() { u.cfg.App.Preferences().SetString(settingsKey, u.settings.Write()) }

// rebuild makes all of the window anew: at first, and in another language or
// look.
func (u *ui) rebuild() {
	for h, p := range u.open {
		p.close()
		delete(u.open, h)
	}
	if u.rail != nil {
		u.rail.close()
	}
	u.rail, u.home = newRail(u), newLauncher(u)
	u.notices, u.gone, u.asked = container.NewVBox(), container.NewVBox(), newQuestions(u)
	u.main = container.NewStack()
	line := canvas.NewRectangle(tint(colorLine))
	line.SetMinSize(fyne.NewSize(1, 1))
	u.side = container.NewBorder(nil, nil, nil, line, u.rail.content)
	visible(u.side, u.filled == "")
	u.window.SetContent(container.NewBorder(nil, nil, u.side, nil,
		container.NewBorder(container.NewVBox(u.gone, u.asked.content, u.notices), nil, nil, nil, u.main)))
	u.changed()
	u.show()
	if u.showing == pageHome {
		u.window.Canvas().Focus(u.home.search)
	}
}

// tick redraws what tells how long ago something was; only while there is
// something on the screen that does.
func (u *ui) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for n := 1; ; n++ {
		select {
		case <-u.life.Done():
			return
		case <-t.C:
			if u.cfg.Overdue != nil && u.rest.overdue() {
				u.cfg.Overdue()
				return
			}
			if n%freshEvery == 0 && u.meeting.Load() {
				u.do(u.freshen)
			}
			due := u.ages.Load()
			if due == 0 || time.Now().UnixNano() < due || !u.ages.CompareAndSwap(due, 0) {
				continue
			}
			u.do(func() {
				for _, p := range u.open {
					p.age()
				}
			})
		}
	}
}

// agesAt says when something on the screen has to be said anew.
func (u *ui) agesAt(at time.Time) {
	if due := u.ages.Load(); due == 0 || at.UnixNano() < due {
		u.ages.Store(at.UnixNano())
	}
}

// changed takes the windows as they are now.
func (u *ui) changed() {
	windows, known, fault := u.desk.Windows()
	windows = slices.DeleteFunc(windows, func(w api.Window) bool { return u.forgotten[w.Handle] })
	if known {
		if u.panes.Follow(windows, u.settings.Follow) && len(u.panes.Shown) > 0 && u.showing == pageHome && u.first {
			u.showing = ""
		}
		u.first = true
		u.tell(windows)
		u.asked.update(windows)
		if u.apps == nil {
			u.load()
		}
	}
	u.tellAway()
	u.unfill()
	u.rail.update(windows, known, fault)
	u.tray.update(windows)
	for _, w := range windows {
		p := u.open[w.Handle]
		switch {
		case p == nil:
		case p.w.Display != w.Display && p.w.Display != "" && w.Display != "":
			p.close() // it was started again, and has another picture
			delete(u.open, w.Handle)
		default:
			p.update(w)
		}
	}
	u.arrange()
	u.freshen()
}

// load asks for the applications and for who there is.
func (u *ui) load() {
	u.apps = []api.AppInfo{}
	u.async(func() {
		apps, err := u.desk.Apps(u.life)
		sessions, groups, perr := u.desk.People(u.life)
		u.do(func() {
			u.apps, u.sessions, u.groups = apps, sessions, groups
			for _, e := range []error{err, perr} {
				if e != nil {
					u.apps = nil
					u.fault(e)
				}
			}
			u.home.update()
			if u.showing == pagePeople {
				u.show()
			}
		})
	})
}

// goTo shows a page.
func (u *ui) goTo(page string) {
	u.fill("")
	u.showing = page
	if page == pagePeople {
		u.apps = nil // who there is may have changed
		u.load()
	}
	u.show()
}

// look shows a window.
func (u *ui) look(h api.Handle, beside bool) {
	u.fill("")
	if beside {
		u.panes.Beside(h)
	} else {
		u.panes.Show(h)
	}
	u.showing = ""
	u.show()
}

// show puts the page or the panes into the main part.
func (u *ui) show() {
	u.meeting.Store(u.showing == pagePeople)
	switch {
	case u.showing == pagePeople:
		u.put(newPeople(u))
	case u.showing == pageSettings:
		u.put(newSettings(u))
	case u.showing == pageHome || len(u.panes.Shown) == 0:
		u.showing = pageHome
		u.put(u.home.content)
	}
	if u.showing != pageHome && u.window.Canvas().Focused() == fyne.Focusable(u.home.search) {
		u.window.Canvas().Unfocus() // what is typed now is no search
	}
	u.arrange()
	u.rail.mark()
}

func (u *ui) put(o fyne.CanvasObject) {
	u.main.Objects = []fyne.CanvasObject{o}
	u.main.Refresh()
}

// arrange makes the panes that are shown, and ends those that are not.
func (u *ui) arrange() {
	var shown []api.Handle
	if u.showing == "" {
		shown = u.panes.Shown
		if u.filled != "" {
			shown = []api.Handle{u.filled}
		}
		if len(shown) == 0 {
			u.showing = pageHome
			u.show()
			return
		}
	}
	for h, p := range u.open {
		if !slices.Contains(shown, h) {
			p.close()
			delete(u.open, h)
		}
	}
	if len(shown) == 0 {
		return
	}
	var contents []fyne.CanvasObject
	for _, h := range shown {
		p := u.open[h]
		if p == nil {
			w, ok := u.desk.Window(h)
			if !ok {
				continue
			}
			p = newPane(u, w)
			p.fill(h == u.filled)
			u.open[h] = p
		}
		contents = append(contents, p.content)
	}
	u.putPanes(contents)
}

// putPanes lays one or two panes out, leaving alone what is as it should be: a
// split that is made anew would take the divider and the keyboard away.
func (u *ui) putPanes(contents []fyne.CanvasObject) {
	switch len(contents) {
	case 1:
		if len(u.main.Objects) != 1 || u.main.Objects[0] != contents[0] {
			u.put(contents[0])
		}
	case 2:
		if len(u.main.Objects) == 1 {
			if s, ok := u.main.Objects[0].(*divided); ok && s.left == contents[0] && s.right == contents[1] {
				return
			}
		}
		u.put(newDivided(contents[0], contents[1], u.panes.At(), func(at float64) {
			u.panes.Divider, u.settings.Divider = at, at
			u.save()
		}))
	}
	u.rail.mark()
}

// beside runs something that asks the daemon, and says what went wrong.
func (u *ui) beside(do func(context.Context) error) {
	u.async(func() {
		if err := do(u.life); err != nil && u.life.Err() == nil {
			u.do(func() { u.fault(err) })
		}
	})
}

// fault says what went wrong and the way out.
func (u *ui) fault(err error) {
	f := state.FaultOf(u.settings.Lang, err)
	u.notice(f.What, f.Out, theme.ErrorIcon(), tint(theme.ColorNameError))
}

// notice adds a sentence to what needs the person, until they dismiss it.
func (u *ui) notice(what, out string, icon fyne.Resource, hue color.Color) {
	var strip fyne.CanvasObject
	dismiss := widget.NewButton(u.say(state.Dismiss), func() {
		u.notices.Remove(strip)
	})
	strip = newStrip(what, out, icon, hue, dismiss)
	// What came last is on top, and a page of them helps nobody.
	u.notices.Objects = append([]fyne.CanvasObject{strip}, u.notices.Objects[:min(len(u.notices.Objects), 2)]...)
	u.notices.Refresh()
}

// newStrip is a sentence across the window with one thing to do about it.
func newStrip(what, out string, icon fyne.Resource, hue color.Color, do fyne.CanvasObject) fyne.CanvasObject {
	title := widget.NewLabel(what)
	title.Wrapping = fyne.TextWrapWord
	title.TextStyle.Bold = true
	rows := column(0, title)
	if out != "" {
		rows.Add(quiet(out))
	}
	stripe := canvas.NewRectangle(hue)
	stripe.SetMinSize(fyne.NewSize(4, 4))
	back := canvas.NewRectangle(tint(colorCard))
	return container.NewStack(back, container.NewBorder(nil, widget.NewSeparator(),
		container.NewHBox(stripe, container.NewPadded(widget.NewIcon(icon))), container.NewPadded(container.NewCenter(do)), rows))
}

// tell says of windows what happened while nobody looked: an application that
// ended with its last words, a takeover that lapsed.
func (u *ui) tell(windows []api.Window) {
	for _, w := range windows {
		key := w.Handle
		switch {
		case w.Ended != nil && !u.told[key]:
			u.told[key] = true
			if u.rail.lived[key] && w.Ended.Status != nil && *w.Ended.Status != 0 {
				u.tellEnd(w)
			}
		case w.Ended == nil && w.Lapsed != nil && !u.told[key+"/lapsed"]:
			u.told[key+"/lapsed"] = true
			u.notice(u.say(state.Lapsed, state.Title(w), state.LapseWhy(u.settings.Lang, w.Lapsed.Why)), "", theme.InfoIcon(), tint(theme.ColorNameWarning))
		case w.Input == "user":
			delete(u.told, key+"/lapsed")
		}
	}
}

// tellEnd says an application's end with its last words.
func (u *ui) tellEnd(w api.Window) {
	u.async(func() {
		lines, err := u.desk.LastWords(u.life, w.Handle, 3)
		u.do(func() {
			out := ""
			if err == nil && len(lines) > 0 {
				out = u.say(state.LastWords) + ": " + state.Line(lines[len(lines)-1], 200)
			}
			u.notice(u.say(state.EndedWhy, state.Title(w), w.Ended.Why), out, theme.WarningIcon(), tint(theme.ColorNameWarning))
		})
	})
}
