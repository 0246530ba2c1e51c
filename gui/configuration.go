package gui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// valueWidth is the room of a setting's value.
const valueWidth = 190

// configuration is the part of the settings that are the daemon's: its keys as
// its file has them, each changed where it is shown.
func (u *ui) configuration() fyne.CanvasObject {
	rows := column(0, quiet(u.say(state.Connecting)))
	u.async(func() {
		file, list, err := u.desk.Configuration(u.life)
		u.do(func() {
			rows.Objects = nil
			if err != nil {
				rows.Add(quiet(state.FaultOf(u.settings.Lang, err).String()))
			} else {
				rows.Add(quiet(u.say(state.DaemonConfig, file)))
			}
			for _, s := range list {
				rows.Add(newSettingRow(u, s).content)
			}
			rows.Refresh()
		})
	})
	return rows
}

// settingRow is one key: what it does, its value, and what is to be known of it.
type settingRow struct {
	u       *ui
	s       api.Setting
	content fyne.CanvasObject
	value   *widget.Entry // of what is no switch
	on      *widget.Check // of what is one
	state   *widget.RichText
}

func newSettingRow(u *ui, s api.Setting) *settingRow {
	r := &settingRow{u: u, state: quiet("")}
	name := widget.NewLabel(state.SettingName(u.settings.Lang, s))
	name.Wrapping = fyne.TextWrapWord
	var field fyne.CanvasObject
	if on, is := state.Switch(s); is {
		r.on = widget.NewCheck("", nil)
		r.on.Checked = on
		r.on.OnChanged = func(on bool) {
			value := "false"
			if on {
				value = "true"
			}
			r.set(value)
		}
		field = r.on
	} else {
		r.value = widget.NewEntry()
		r.value.OnSubmitted = r.set
		r.value.SetPlaceHolder(s.Default)
		apply := widget.NewButton(u.say(state.Apply), func() { r.set(r.value.Text) })
		apply.Importance = widget.LowImportance
		r.value.ActionItem = apply
		field = r.value
	}
	room := container.NewGridWrap(fyne.NewSize(valueWidth, field.MinSize().Height), field)
	r.content = column(0, container.NewBorder(nil, nil, nil, room, name), r.state)
	r.show(s)
	return r
}

// show shows the setting as it is.
func (r *settingRow) show(s api.Setting) {
	r.s = s
	if r.on != nil {
		if on, _ := state.Switch(s); r.on.Checked != on {
			r.on.Checked = on // SetChecked would set it anew
			r.on.Refresh()
		}
	} else if r.value.Text != s.Value {
		r.value.SetText(s.Value)
	}
	if s.Fixed {
		r.field().Disable()
	}
	r.tell(state.SettingState(r.u.settings.Lang, s), colorQuiet)
}

// tell puts a sentence below the row, or takes it away.
func (r *settingRow) tell(text string, hue fyne.ThemeColorName) {
	segment := r.state.Segments[0].(*widget.TextSegment)
	segment.Text, segment.Style.ColorName = text, hue
	visible(r.state, text != "")
	r.state.Refresh()
}

// field is what the person changes.
func (r *settingRow) field() fyne.Disableable {
	if r.on != nil {
		return r.on
	}
	return r.value
}

// set changes the setting, which cannot be changed again before the answer. What
// is refused is said where it was typed, and the text stays to be mended.
func (r *settingRow) set(value string) {
	u, key, field := r.u, r.s.Key, r.field()
	if field.Disabled() {
		return // it is being changed
	}
	field.Disable()
	u.async(func() {
		s, err := u.desk.Configure(u.life, key, value)
		u.do(func() {
			field.Enable()
			if err == nil {
				r.show(s)
				return
			}
			if r.on != nil {
				r.show(r.s)
			}
			r.tell(state.FaultOf(u.settings.Lang, err).String(), theme.ColorNameError)
		})
	})
}
