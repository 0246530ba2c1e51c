package gui

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2/canvas"
)

// newThumb makes the small picture of an entry. It keeps the last one it was
// given, so that a window that ended is still recognised.
func newThumb(e *entry) *canvas.Raster {
	var drawn *image.RGBA
	return canvas.NewRaster(func(int, int) image.Image {
		if e.live != nil {
			if img := e.live.Draw(drawn); img != nil {
				drawn = img
			}
		}
		if drawn == nil {
			return image.NewUniform(color.Transparent)
		}
		return drawn
	})
}
