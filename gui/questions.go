package gui

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// questions are what agents asked and nobody answered yet. They stay above all
// pages until they are answered: an agent may be waiting.
type questions struct {
	u       *ui
	content *fyne.Container
	strips  map[api.QuestionID]fyne.CanvasObject
	count   int // how many the list of windows told of
}

func newQuestions(u *ui) *questions {
	return &questions{u: u, content: container.NewVBox(), strips: map[api.QuestionID]fyne.CanvasObject{}}
}

// update reads the questions again when the windows tell of other ones.
func (q *questions) update(windows []api.Window) {
	count := 0
	for _, w := range windows {
		count += w.Questions
	}
	if count == q.count {
		return
	}
	q.count = count
	q.u.beside(func(ctx context.Context) error {
		open, err := q.u.desk.Questions(ctx)
		if err == nil {
			q.u.do(func() { q.show(open) })
		}
		return err
	})
}

// show shows those that are open, the oldest first; one that is being answered
// keeps what was written.
func (q *questions) show(open []api.Question) {
	kept := map[api.QuestionID]fyne.CanvasObject{}
	q.content.Objects = nil
	for _, one := range open {
		strip := q.strips[one.ID]
		if strip == nil {
			strip = q.strip(one)
		}
		kept[one.ID] = strip
		q.content.Add(strip)
	}
	q.strips = kept
	q.content.Refresh()
}

// strip is one question with room for its answer.
func (q *questions) strip(one api.Question) fyne.CanvasObject {
	u := q.u
	name := string(one.Handle)
	if w, ok := u.desk.Window(one.Handle); ok {
		name = state.Title(w)
	}
	title := caption(u.say(state.QuestionFrom, one.Session, name))
	text := widget.NewLabel(state.Lines(one.Text, api.MaxQuestion))
	text.Wrapping = fyne.TextWrapWord
	answer := widget.NewEntry()
	answer.SetPlaceHolder(u.say(state.AnswerPlaceholder))
	send := func() {
		words := strings.TrimSpace(answer.Text)
		if words == "" {
			u.window.Canvas().Focus(answer)
			return
		}
		u.beside(func(ctx context.Context) error {
			err := u.desk.Answer(ctx, one.ID, words)
			if err == nil {
				u.do(func() {
					delete(q.strips, one.ID)
					q.count = -1 // whatever the list says next is news
				})
			}
			return err
		})
	}
	answer.OnSubmitted = func(string) { send() }
	button := widget.NewButton(u.say(state.Answer), send)
	button.Importance = widget.HighImportance
	look := widget.NewButton(u.say(state.ShowIt), func() { u.look(one.Handle, false) })
	hue := canvas.NewRectangle(state.Hue(one.Session))
	hue.SetMinSize(fyne.NewSize(5, 5))
	back := canvas.NewRectangle(tint(colorCard))
	row := container.NewBorder(nil, nil, nil, container.NewHBox(button, look), answer)
	return container.NewStack(back, container.NewBorder(nil, widget.NewSeparator(), hue, gap(10, 1),
		container.NewVBox(container.New(overlapped{10}, title, text), container.NewPadded(row))))
}
