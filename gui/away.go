package gui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
)

// tellAway says that no daemon runs, with the button that starts one: whoever
// ended it meant it, so that nothing but the button does.
func (u *ui) tellAway() {
	away, ended, startable := u.desk.Away()
	if !away {
		if len(u.gone.Objects) > 0 {
			u.gone.RemoveAll()
		}
		return
	}
	if len(u.gone.Objects) > 0 {
		return
	}
	what := state.NoDaemon
	if ended {
		what = state.DaemonEnded
	}
	var start *widget.Button
	start = widget.NewButton(u.say(state.DaemonStart), func() {
		start.Disable()
		u.beside(func(ctx context.Context) error {
			defer u.do(start.Enable)
			return u.desk.Start(ctx)
		})
	})
	start.Importance = widget.HighImportance
	visible(start, startable)
	u.gone.Objects = []fyne.CanvasObject{
		newStrip(u.say(what), u.say(state.DaemonEndedHint), theme.WarningIcon(), tint(theme.ColorNameWarning), start),
	}
	u.gone.Refresh()
}
