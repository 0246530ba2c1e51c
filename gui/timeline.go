package gui

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

const (
	// timelineWidth is the column beside a live view.
	timelineWidth = 236
	// timelineRest is how long after an act its row and pictures are read: they
	// are written when it is over.
	timelineRest = 600 * time.Millisecond
	// timelineTries bounds asking for pictures that do not come.
	timelineTries = 3
)

// timeline is what was done to a window, the newest first, beside its live
// view.
type timeline struct {
	u       *ui
	handle  api.Handle
	content fyne.CanvasObject
	list    *fyne.Container
	said    *widget.RichText
	seen    string // what was shown last, in short
	asked   bool
	tries   int // how often pictures that are being written were asked for
}

func newTimeline(u *ui, h api.Handle) *timeline {
	t := &timeline{u: u, handle: h, list: container.NewVBox(), said: quiet(u.say(state.Connecting))}
	width := canvas.NewRectangle(tint(colorCard))
	width.SetMinSize(fyne.NewSize(timelineWidth, 1))
	rows := container.New(layout.NewCustomPaddedLayout(4, 8, 8, 10), container.NewVBox(t.said, t.list))
	t.content = container.NewStack(width, container.NewBorder(heading(u.say(state.History), theme.SizeNameText), nil, nil, nil, container.NewVScroll(rows)))
	t.read(0)
	return t
}

// read asks for the acts, after a rest; one question at a time.
func (t *timeline) read(rest time.Duration) {
	if t.asked {
		return
	}
	t.asked = true
	t.u.async(func() {
		select {
		case <-time.After(rest):
		case <-t.u.life.Done():
			return
		}
		rows, err := t.u.desk.Trace(t.u.life, t.handle)
		t.u.do(func() {
			t.asked = false
			switch {
			case err != nil:
				say(t.said, state.FaultOf(t.u.settings.Lang, err).String())
				t.said.Show()
			default:
				t.show(rows)
			}
		})
	})
}

// show lists the acts.
func (t *timeline) show(rows []api.TraceRow) {
	visible(t.said, len(rows) == 0)
	if len(rows) == 0 {
		say(t.said, t.u.say(state.NoAct))
		return
	}
	// A picture is written when no act is under way: the newest may come later.
	if newest := rows[0]; newest.After == "" && newest.Note == "" && t.tries < timelineTries {
		t.tries++
		defer t.read(2 * timelineRest)
	} else {
		t.tries = 0
	}
	seen := fmt.Sprint(rows[0].ID, rows[0].Before, rows[0].After)
	if seen == t.seen {
		return
	}
	t.seen = seen
	t.list.Objects = nil
	for _, r := range rows {
		t.list.Add(t.row(r))
	}
	t.list.Refresh()
}

// row is one act: who and what, and how the window looked after it.
func (t *timeline) row(r api.TraceRow) fyne.CanvasObject {
	hue := canvas.NewRectangle(state.Hue(r.Session))
	hue.SetMinSize(fyne.NewSize(4, 4))
	hue.CornerRadius = 2
	rows := container.NewVBox(quiet(state.TraceText(t.u.settings.Lang, r)))
	if path := state.TracePicture(r); path != "" {
		img := canvas.NewImageFromFile(path)
		img.FillMode, img.ScaleMode = canvas.ImageFillContain, canvas.ImageScaleFastest
		img.SetMinSize(fyne.NewSize(timelineWidth-50, 104))
		rows.Add(img)
	}
	p := newTappable(container.New(layout.NewCustomPaddedLayout(4, 6, 6, 4), container.NewBorder(nil, nil, hue, nil, rows)), func() { t.open(r) })
	p.disabled = state.TracePicture(r) == ""
	return p
}

// open shows the pictures before and after an act.
func (t *timeline) open(r api.TraceRow) {
	u := t.u
	pictures := container.NewGridWithColumns(2)
	for _, one := range []struct {
		word state.Word
		path string
	}{{state.Before, r.Before}, {state.After, r.After}} {
		var inside fyne.CanvasObject = quiet(r.Note)
		if one.path != "" {
			img := canvas.NewImageFromFile(one.path)
			img.FillMode = canvas.ImageFillContain
			img.SetMinSize(fyne.NewSize(420, 300))
			inside = img
		}
		pictures.Add(container.NewBorder(heading(u.say(one.word), theme.SizeNameText), nil, nil, nil, inside))
	}
	rows := container.NewVBox(pictures)
	if r.Note != "" {
		rows.Add(quiet(r.Note))
	}
	u.inform(state.Line(state.TraceText(u.settings.Lang, r), 60), rows)
}
