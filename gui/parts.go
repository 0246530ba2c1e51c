package gui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// radius is the corners of what we draw ourselves.
const radius = 8

// pill is a short word on a colour.
func pill(text string, ground, ink color.Color) fyne.CanvasObject {
	word := canvas.NewText(text, ink)
	word.TextSize = theme.Size(theme.SizeNameText)
	word.TextStyle.Bold = true
	back := canvas.NewRectangle(ground)
	back.CornerRadius = 12
	return container.NewStack(back, container.New(layout.NewCustomPaddedLayout(3, 3, 12, 12), word))
}

// card is something on a surface with a line around it.
func card(inside fyne.CanvasObject) fyne.CanvasObject {
	back := canvas.NewRectangle(tint(colorCard))
	back.StrokeColor, back.StrokeWidth, back.CornerRadius = tint(colorLine), 1, radius
	return container.NewStack(back, container.New(layout.NewCustomPaddedLayout(6, 6, 14, 12), inside))
}

// heading is the title of a page or of a part of it.
func heading(text string, size fyne.ThemeSizeName) *widget.RichText {
	t := widget.NewRichText(&widget.TextSegment{Text: text, Style: widget.RichTextStyle{
		SizeName: size, TextStyle: fyne.TextStyle{Bold: true}, ColorName: theme.ColorNameForeground,
	}})
	t.Truncation = fyne.TextTruncateEllipsis
	return t
}

// quiet is text of less weight, in as many lines as it takes.
func quiet(text string) *widget.RichText {
	t := caption(text)
	t.Wrapping, t.Truncation = fyne.TextWrapWord, fyne.TextTruncateOff
	return t
}

// caption is text of less weight on one line, its end cut where there is no
// room.
func caption(text string) *widget.RichText {
	t := widget.NewRichText(&widget.TextSegment{Text: text, Style: widget.RichTextStyle{
		SizeName: theme.SizeNameCaptionText, ColorName: colorQuiet,
	}})
	t.Truncation = fyne.TextTruncateEllipsis
	return t
}

// say changes a text made by heading, quiet or caption.
func say(t *widget.RichText, text string) {
	s, ok := t.Segments[0].(*widget.TextSegment)
	if !ok || s.Text == text {
		return
	}
	s.Text = text
	t.Refresh()
}

// gap is room between things.
func gap(w, h float32) fyne.CanvasObject {
	r := canvas.NewRectangle(color.Transparent)
	r.SetMinSize(fyne.NewSize(w, h))
	return r
}

// tight is a column without the room that a box leaves between its rows.
type tight struct{ between float32 }

// Layout places the rows.
func (l tight) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		h := o.MinSize().Height
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(size.Width, h))
		y += h + l.between
	}
}

// MinSize is that of all rows.
func (l tight) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		size.Width = max(size.Width, m.Width)
		size.Height += m.Height + l.between
	}
	if size.Height > 0 {
		size.Height -= l.between
	}
	return size
}

// column stacks rows with little room between.
func column(between float32, rows ...fyne.CanvasObject) *fyne.Container {
	return container.New(tight{between}, rows...)
}

// limited keeps what it holds within a width, in the middle of the room: lines
// of a page are not to be as long as a screen is wide.
type limited struct{ width float32 }

// Layout places it.
func (l limited) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(size.Width, l.width)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-w)/2, 0))
		o.Resize(fyne.NewSize(w, size.Height))
	}
}

// MinSize is what it holds needs.
func (l limited) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size
}

// title is the heading of a page, flush with what lies below it.
func title(text string) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(0, 0, -theme.Size(theme.SizeNameInnerPadding), 0), heading(text, theme.SizeNameHeadingText))
}

// flush is a part's heading or sentence, flush with what lies below it.
func flush(o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(0, 0, -theme.Size(theme.SizeNameInnerPadding), 0), o)
}

// page is a scrolled page of limited width.
func page(rows ...fyne.CanvasObject) fyne.CanvasObject {
	inside := container.New(layout.NewCustomPaddedLayout(20, 24, 28, 28), container.NewVBox(rows...))
	return container.NewVScroll(container.New(limited{1100}, inside))
}
