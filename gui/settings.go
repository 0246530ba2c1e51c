package gui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
)

// newSettings is the page of settings.
func newSettings(u *ui) fyne.CanvasObject {
	var looks, langs []string
	look, lang := "", ""
	for _, k := range state.Looks {
		looks = append(looks, u.say(k.Word))
		if k.Look == u.settings.Look {
			look = u.say(k.Word)
		}
	}
	for _, k := range state.Langs {
		langs = append(langs, k.Name)
		if k.Lang == u.settings.Lang {
			lang = k.Name
		}
	}
	looking := widget.NewRadioGroup(looks, nil)
	looking.Horizontal, looking.Required, looking.Selected = true, true, look
	looking.OnChanged = func(name string) {
		for i, l := range looks {
			if l == name {
				u.settings.Look = state.Looks[i].Look
			}
		}
		u.cfg.App.Settings().SetTheme(newSkin(u.settings.Look))
		u.renew()
	}
	speaking := widget.NewRadioGroup(langs, nil)
	speaking.Horizontal, speaking.Required, speaking.Selected = true, true, lang
	speaking.OnChanged = func(name string) {
		for i, l := range langs {
			if l == name {
				u.settings.Lang = state.Langs[i].Lang
			}
		}
		u.renew()
	}
	follow := widget.NewCheck(u.say(state.FollowOpen), func(on bool) {
		u.settings.Follow = on
		u.save()
	})
	follow.Checked = u.settings.Follow
	part := func(word state.Word, inside ...fyne.CanvasObject) fyne.CanvasObject {
		return card(column(2, append([]fyne.CanvasObject{heading(u.say(word), theme.SizeNameSubHeadingText)}, inside...)...))
	}
	return page(title(u.say(state.SettingsTitle)),
		part(state.ThemeTitle, looking),
		part(state.Language, speaking),
		part(state.Windows, follow, quiet(u.say(state.FollowMeans))),
		part(state.WayOutTitle, quiet(u.say(state.WayOutMeans, state.WayOut))),
		part(state.ConfigTitle, u.configuration()),
		part(state.DaemonTitle, u.daemonFacts()))
}

// renew makes the window anew in another look or language, on the same page.
func (u *ui) renew() {
	u.save()
	u.rebuild()
}

// daemonFacts says which daemon this is, where it is configured, and ends it.
func (u *ui) daemonFacts() fyne.CanvasObject {
	facts := quiet(u.say(state.Connecting))
	u.async(func() {
		a, err := u.desk.Daemon(u.life)
		u.do(func() {
			if err != nil {
				say(facts, state.FaultOf(u.settings.Lang, err).String())
				return
			}
			say(facts, u.say(state.DaemonVersion, a.Version, a.PID)+"\n"+u.say(state.DaemonSocket, a.Socket))
		})
	})
	quit := widget.NewButton(u.say(state.QuitAll)+"…", u.askQuit)
	quit.Importance = widget.DangerImportance
	return column(4, facts, container.NewHBox(gap(4, 1), quit, layout.NewSpacer()))
}

// askQuit says what will end, and ends it.
func (u *ui) askQuit() {
	windows, _, _ := u.desk.Windows()
	list := container.NewVBox()
	for _, w := range windows {
		if w.Ended == nil {
			list.Add(container.New(overlapped{10}, heading(state.Title(w), theme.SizeNameText), caption(state.Facts(u.settings.Lang, w))))
		}
	}
	// What stays is told only where there is something.
	first, stays := u.say(state.QuitAllNothing), quiet("")
	stays.Hide()
	if len(list.Objects) > 0 {
		first, stays = u.say(state.QuitAllEnds), quiet(u.say(state.QuitStays))
	}
	ends := widget.NewLabel(first)
	ends.Wrapping = fyne.TextWrapWord
	u.ask(u.say(state.QuitAllTitle), u.say(state.QuitAll), widget.DangerImportance,
		container.NewVBox(ends, list, stays), func() {
			u.beside(func(ctx context.Context) error {
				if err := u.desk.QuitAll(ctx); err != nil {
					return err
				}
				u.do(u.cfg.App.Quit)
				return nil
			})
		})
}
