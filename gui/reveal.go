package gui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// revealRoom is what is left around something that was scrolled into sight.
const revealRoom = 12

// reveal scrolls to what has the keyboard when that has just come to it: the
// toolkit's Tab goes on beyond the edge of what is seen. It is asked on each
// turn of the loop, since the toolkit tells nobody.
func (u *ui) reveal() {
	c := u.window.Canvas()
	f := c.Focused()
	if f == u.revealed {
		return
	}
	u.revealed = f
	o, ok := f.(fyne.CanvasObject)
	if !ok {
		return
	}
	top := c.Content()
	if over := c.Overlays().Top(); over != nil {
		top = over
	}
	around, _ := scrolls(top, o)
	for i := len(around) - 1; i >= 0; i-- { // from the inside out
		scrollTo(around[i], o)
	}
}

// scrolls lists what scrolls an object below root, from the outside in, and
// whether the object is there at all. A part of a widget of the toolkit's, which
// keeps its parts to itself, is where that widget is.
func scrolls(root, o fyne.CanvasObject) (around []*container.Scroll, found bool) {
	if root == o {
		return nil, true
	}
	var inside []fyne.CanvasObject
	switch r := root.(type) {
	case *fyne.Container:
		inside = r.Objects
	case *container.Scroll:
		around, inside = []*container.Scroll{r}, []fyne.CanvasObject{r.Content}
	case *widget.PopUp:
		inside = []fyne.CanvasObject{r.Content}
	case *divided:
		inside = []fyne.CanvasObject{r.left, r.right, r.bar}
	case fyne.Widget:
		return nil, holds(r, o)
	}
	for _, child := range inside {
		if child == nil || !child.Visible() {
			continue
		}
		if more, ok := scrolls(child, o); ok {
			return append(around, more...), true
		}
	}
	return nil, false
}

// holds says whether an object lies in another one's box.
func holds(box, o fyne.CanvasObject) bool {
	d := fyne.CurrentApp().Driver()
	at, from := d.AbsolutePositionForObject(o), d.AbsolutePositionForObject(box)
	return at.X >= from.X && at.Y >= from.Y &&
		at.X+o.Size().Width <= from.X+box.Size().Width+1 && at.Y+o.Size().Height <= from.Y+box.Size().Height+1
}

// scrollTo moves what a scroller shows as little as brings an object into it,
// its beginning before its end.
func scrollTo(s *container.Scroll, o fyne.CanvasObject) {
	d := fyne.CurrentApp().Driver()
	at := d.AbsolutePositionForObject(o).Subtract(d.AbsolutePositionForObject(s))
	move := fyne.NewPos(
		within(at.X, o.Size().Width, s.Size().Width),
		within(at.Y, o.Size().Height, s.Size().Height),
	)
	if !move.IsZero() {
		s.ScrollToOffset(s.Offset.Add(move))
	}
}

// within is by how much a stretch must be moved to be seen in a room.
func within(at, length, room float32) float32 {
	switch {
	case length >= room && at <= 0 && at+length >= room:
		return 0 // there is nothing of it to be seen but what is seen
	case length >= room:
		return at
	case at < 0:
		return at - revealRoom
	case at+length > room:
		return at + length - room + revealRoom
	}
	return 0
}
