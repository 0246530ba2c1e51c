package atspi

import (
	"testing"

	"vibespace/fixtures"
)

// controls are the tests that run one after the other on one fixture of each
// toolkit, because a display of its own for each would be most of the time.
// What leaves the program changed comes late.
var controls = []struct {
	name string
	test func(t *testing.T, r *rig)
}{
	{"text is set exactly", setTextIsExact},
	{"text is inserted exactly", insertTextIsExact},
	{"text is selected in characters", selectTextInCharacters},
	{"a password is never read", passwordIsNeverRead},
	{"what has no text says so", textRefusals},
	{"a value is set", setValue},
	{"a child is selected", selectChild},
	{"what selects nothing says so", selectionRefusals},
	{"focus is taken", grabFocus},
	{"scroll bars scroll", scrollByValue},
	{"reading is no change", readingIsNoChange},
	{"changes are told of", eventsOfToolkits},
	{"an act settles", settleAfterAct},
	{"what is disabled is seen to be", disabledIsSeen},
	{"a click is seen by the program", clickIsSeenByTheProgram},
	{"a dialog beside the window", actionOpensDialog},
	{"a dialog in a nested loop", actionOpensModalDialog},
	{"a control that was removed", actionOnRemovedControl},
}

func TestControls(t *testing.T) {
	t.Parallel()
	for _, kind := range toolkits {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, kind)
			for _, c := range controls {
				t.Run(c.name, func(t *testing.T) { c.test(t, r.in(t)) })
			}
		})
	}
}

// in is the rig for a test that shares it: what fails, fails that test, and
// what the journal has before is behind.
func (r *rig) in(t *testing.T) *rig {
	d, own := *r.desk, *r
	d.t, own.desk = t, &d
	own.journal = fixtures.Log(t, r.log)
	own.journal.Mark()
	own.look()
	return &own
}
