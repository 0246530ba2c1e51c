package gui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"vibespace/gui/state"
)

// The names of our own colours, beside Fyne's.
const (
	colorCard    fyne.ThemeColorName = "vibespaceCard"    // what lies on the background
	colorLine    fyne.ThemeColorName = "vibespaceLine"    // around it
	colorQuiet   fyne.ThemeColorName = "vibespaceQuiet"   // text of less weight
	colorControl fyne.ThemeColorName = "vibespaceControl" // the person is in control
	colorWatch   fyne.ThemeColorName = "vibespaceWatch"   // the person looks on
	colorStage   fyne.ThemeColorName = "vibespaceStage"   // behind a live view
)

// palette is the colours of one look. ColorNameFocus is laid over whatever has
// the keyboard, and must be seen on ColorNameButton and on ColorNamePrimary.
type palette map[fyne.ThemeColorName]color.Color

func rgb(v uint32) color.Color {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func rgba(v uint32, a uint8) color.Color {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: a}
}

var (
	light = palette{
		theme.ColorNameBackground: rgb(0xf4f5f7), colorCard: rgb(0xffffff), colorLine: rgb(0xdcdfe5),
		theme.ColorNameForeground: rgb(0x1b2028), colorQuiet: rgb(0x5c6572),
		theme.ColorNamePrimary: rgb(0x2457d6), theme.ColorNameForegroundOnPrimary: rgb(0xffffff),
		colorControl: rgb(0xc2410c), colorWatch: rgb(0xe6ebf7), colorStage: rgb(0xe3e6eb),
		theme.ColorNameButton: rgb(0xe6e8ed), theme.ColorNameHover: rgba(0x1b2028, 0x12), theme.ColorNamePressed: rgba(0x1b2028, 0x22),
		theme.ColorNameFocus: rgba(0x0b1f4d, 0x66), theme.ColorNameSelection: rgba(0x2457d6, 0x1e),
		theme.ColorNameInputBackground: rgb(0xffffff), theme.ColorNameInputBorder: rgb(0xb9bfca),
		theme.ColorNamePlaceHolder: rgb(0x717a87), theme.ColorNameSeparator: rgb(0xdcdfe5),
		theme.ColorNameOverlayBackground: rgb(0xf4f5f7), theme.ColorNameMenuBackground: rgb(0xffffff), // a field in a dialog is seen
		theme.ColorNameScrollBar: rgba(0x1b2028, 0x55), theme.ColorNameShadow: rgba(0x000000, 0x22),
		theme.ColorNameError: rgb(0xb91c1c), theme.ColorNameSuccess: rgb(0x15803d), theme.ColorNameWarning: rgb(0xb45309),
		theme.ColorNameDisabled: rgb(0x9aa2ae), theme.ColorNameDisabledButton: rgb(0xeceef2),
	}
	dark = palette{
		theme.ColorNameBackground: rgb(0x14171c), colorCard: rgb(0x1e232b), colorLine: rgb(0x323944),
		theme.ColorNameForeground: rgb(0xe9ecf1), colorQuiet: rgb(0xa3adbb),
		theme.ColorNamePrimary: rgb(0x3f74ee), theme.ColorNameForegroundOnPrimary: rgb(0xffffff),
		colorControl: rgb(0xd9560f), colorWatch: rgb(0x232c3f), colorStage: rgb(0x0d0f13),
		theme.ColorNameButton: rgb(0x2c333e), theme.ColorNameHover: rgba(0xffffff, 0x14), theme.ColorNamePressed: rgba(0xffffff, 0x26),
		theme.ColorNameFocus: rgba(0xc7d6ff, 0x66), theme.ColorNameSelection: rgba(0x3f74ee, 0x3c),
		theme.ColorNameInputBackground: rgb(0x171b21), theme.ColorNameInputBorder: rgb(0x4a5361),
		theme.ColorNamePlaceHolder: rgb(0x8d97a6), theme.ColorNameSeparator: rgb(0x323944),
		theme.ColorNameOverlayBackground: rgb(0x1e232b), theme.ColorNameMenuBackground: rgb(0x262c36),
		theme.ColorNameScrollBar: rgba(0xffffff, 0x55), theme.ColorNameShadow: rgba(0x000000, 0x66),
		theme.ColorNameError: rgb(0xf87171), theme.ColorNameSuccess: rgb(0x4ade80), theme.ColorNameWarning: rgb(0xfbbf24),
		theme.ColorNameDisabled: rgb(0x6b7482), theme.ColorNameDisabledButton: rgb(0x232932),
	}
	contrast = palette{
		theme.ColorNameBackground: rgb(0x000000), colorCard: rgb(0x000000), colorLine: rgb(0xffffff),
		theme.ColorNameForeground: rgb(0xffffff), colorQuiet: rgb(0xffffff),
		theme.ColorNamePrimary: rgb(0xffe600), theme.ColorNameForegroundOnPrimary: rgb(0x000000),
		colorControl: rgb(0xffe600), colorWatch: rgb(0x000000), colorStage: rgb(0x000000),
		theme.ColorNameButton: rgb(0x1f1f1f), theme.ColorNameHover: rgba(0xffffff, 0x44), theme.ColorNamePressed: rgba(0xffffff, 0x66),
		theme.ColorNameFocus: rgba(0x0050c0, 0xaa), theme.ColorNameSelection: rgba(0xffe600, 0x2c),
		theme.ColorNameInputBackground: rgb(0x1f1f1f), theme.ColorNameInputBorder: rgb(0xffffff),
		theme.ColorNamePlaceHolder: rgb(0xd0d0d0), theme.ColorNameSeparator: rgb(0xffffff),
		theme.ColorNameOverlayBackground: rgb(0x000000), theme.ColorNameMenuBackground: rgb(0x1f1f1f),
		theme.ColorNameScrollBar: rgb(0xffffff), theme.ColorNameShadow: rgba(0xffffff, 0x33),
		theme.ColorNameError: rgb(0xff8080), theme.ColorNameSuccess: rgb(0x80ff80), theme.ColorNameWarning: rgb(0xffe600),
		theme.ColorNameDisabled: rgb(0xb0b0b0), theme.ColorNameDisabledButton: rgb(0x101010),
	}
)

// onControl is text on colorControl.
func onControl(look state.Look) color.Color {
	if look == state.LookContrast {
		return color.Black
	}
	return color.White
}

// skin is the app's theme: one of our palettes, or the one that goes with the
// desktop's.
type skin struct {
	fyne.Theme
	look state.Look
}

func newSkin(look state.Look) skin { return skin{theme.DefaultTheme(), look} }

// Color gives a colour of the look; the desktop's variant counts only where the
// person wants it to.
func (s skin) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	p := light
	switch {
	case s.look == state.LookContrast:
		p = contrast
	case s.look == state.LookDark, s.look == state.LookSystem && variant == theme.VariantDark:
		p = dark
	}
	if c, ok := p[name]; ok {
		return c
	}
	v := theme.VariantLight
	if s.look == state.LookContrast || s.look == state.LookDark || s.look == state.LookSystem && variant == theme.VariantDark {
		v = theme.VariantDark
	}
	return s.Theme.Color(name, v)
}

// Size makes corners a little rounder and the text of captions readable.
func (s skin) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNameCaptionText:
		return 12
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 7
	case theme.SizeNameSubHeadingText:
		return 17
	}
	return s.Theme.Size(name)
}

// tint gives a colour of the theme in use.
func tint(name fyne.ThemeColorName) color.Color {
	s := fyne.CurrentApp().Settings()
	return s.Theme().Color(name, s.ThemeVariant())
}
