package gui

import (
	"testing"

	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"vibespace/gui/state"
	"vibespace/internal/api"
)

// TestSettingRow: a switch and a value are shown as they are, what is refused
// puts the switch back, keeps the text to be mended and is said below, and what
// stands elsewhere cannot be changed here.
func TestSettingRow(t *testing.T) {
	u := newTestUI(t, state.English) // of a daemon that is not there: each change is refused
	said := func(r *settingRow) (string, bool) {
		s := r.state.Segments[0].(*widget.TextSegment)
		return s.Text, s.Style.ColorName == theme.ColorNameError
	}
	number := newSettingRow(u, api.Setting{Key: "displays.max", Value: "8", Running: "8", Default: "8"})
	if number.value == nil || number.value.Text != "8" || number.state.Visible() {
		t.Fatalf("a value is shown as %+v", number)
	}
	number.value.SetText("many")
	number.value.OnSubmitted("many")
	if text, bad := said(number); text == "" || !bad || !number.state.Visible() || number.value.Text != "many" {
		t.Errorf("refused, it says %q and shows %q", text, number.value.Text)
	}
	if number.value.Disabled() {
		t.Error("refused, it cannot be mended")
	}
	asked := 0
	now := u.cfg.async
	u.cfg.async = func(f func()) {
		asked++
		if !number.value.Disabled() {
			t.Error("before the answer it can be changed again")
		}
		number.value.OnSubmitted("none")
		now(f)
	}
	number.value.OnSubmitted("many")
	u.cfg.async = now
	if asked != 1 || number.value.Disabled() {
		t.Errorf("twice submitted, it was asked %d times, and is disabled: %v", asked, number.value.Disabled())
	}
	number.show(api.Setting{Key: "displays.max", Value: "4", Running: "8", Default: "8"})
	if text, bad := said(number); text != u.say(state.SettingLater, "8") || bad || number.value.Text != "4" {
		t.Errorf("changed, it says %q and shows %q", text, number.value.Text)
	}
	on := newSettingRow(u, api.Setting{Key: "injection", Value: "yes", Running: "yes", Default: "true"})
	if on.on == nil || !on.on.Checked {
		t.Fatalf("a switch is shown as %+v", on)
	}
	on.on.SetChecked(false)
	if text, bad := said(on); text == "" || !bad || !on.on.Checked {
		t.Errorf("refused, it says %q and shows %v", text, on.on.Checked)
	}
	fixed := newSettingRow(u, api.Setting{Key: "lease.lapse", Value: "1m", Running: "1m", Default: "15m", Fixed: true, From: "VIBESPACE_LEASE_LAPSE"})
	if text, _ := said(fixed); !fixed.value.Disabled() || text != u.say(state.SettingFixed, "VIBESPACE_LEASE_LAPSE") {
		t.Errorf("what stands elsewhere says %q, disabled %v", text, fixed.value.Disabled())
	}
}
