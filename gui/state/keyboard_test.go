package state

import "testing"

func TestLayoutOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rules:      evdev\nmodel:      pc105\nlayout:     fr\n":                     "fr",
		"layout:     us,ru\nvariant:    dvorak,\noptions:    grp:alt_shift_toggle\n": "us(dvorak)",
		"layout:     de,us\nvariant:    ,dvorak\n":                                   "de",
		"layout:     $(rm)\n": "", "": "", "layout\n": "",
	} {
		if got := layoutOf(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
