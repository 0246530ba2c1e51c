package state

import (
	"errors"

	"vibespace/internal/api"
)

// Fault is what went wrong, for a person: what it is, and the way out, which
// may be empty. Again says that trying again may do.
type Fault struct {
	What, Out string
	Again     bool
}

// FaultOf says what an error means. What the daemon says in a sentence of its
// own is kept where there is none of ours: it names what it is about.
func FaultOf(l Lang, err error) Fault {
	var r *api.Error
	if !errors.As(err, &r) {
		return Fault{What: Line(err.Error(), 300), Again: true}
	}
	f := Fault{What: Line(r.Message, 300), Out: Line(r.Hint, 200)}
	switch r.Code {
	case api.Unreachable:
		return Fault{What: l.Say(NoDaemon), Out: "vibespace doctor", Again: true}
	case api.DisplayCap, api.DesktopAppCap:
		return Fault{What: l.Say(FaultCap), Out: l.Say(FaultCapOut)}
	case api.TakeoverHeld:
		return Fault{What: l.Say(FaultElsewhere), Out: l.Say(FaultElsewhereOut)}
	case api.NotExposed, api.NotLive:
		return Fault{What: l.Say(FaultGone)}
	case api.OwnerOnly:
		return Fault{What: l.Say(FaultOwner), Out: l.Say(FaultOwnerOut)}
	case api.Timeout:
		return Fault{What: l.Say(FaultTimeout), Again: true}
	case api.SizeNotHonoured, api.SizeOutOfBounds:
		f.What = l.Say(FaultSize) + " " + f.What
	}
	return f
}

// String is the fault in one line.
func (f Fault) String() string {
	if f.Out == "" {
		return f.What
	}
	return f.What + " — " + f.Out
}
