package target

import (
	"strings"
	"testing"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// TestRoleThatIsNone: a role no element can have is refused with those that are
// near it. It once found nothing, as a role does of which there is no element.
func TestRoleThatIsNone(t *testing.T) {
	t.Parallel()
	for role, near := range map[string]string{
		"foo": "footer", "pushbutton": "push button", "buton": "push button", "checkbox": "check box", "menu-item": "menu item",
		"Push Button": "push button", "textbox": "text",
	} {
		_, err := matcher(role, "", "")
		if e := api.AsError(err, ""); err == nil || e.Code != api.BadRequest || !strings.Contains(e.Hint, near) {
			t.Errorf("%s: %v", role, err)
		}
	}
	for _, role := range []string{"push button", "button"} {
		is, err := matcher(role, "", "")
		if err != nil || !is(&item{role: atspi.RolePushButton}) || is(&item{role: atspi.RoleLabel}) {
			t.Errorf("%s: %v", role, err)
		}
	}
}
