package xpra

// ActKind is a kind of what a person does in a viewer.
type ActKind uint8

// What a person does in a viewer.
const (
	ActKey    ActKind = iota + 1 // Key went down or up
	ActButton                    // Button went down or up, at X, Y
	ActWheel                     // the wheel turned by By, at X, Y
	ActMove                      // the pointer went to X, Y
	ActFocus                     // the window has the keyboard there; no window: none has
	ActClose                     // the window is asked to close
	ActSize                      // the window is W by H there
)

// Act is one thing a person does in a viewer.
type Act struct {
	Kind   ActKind
	Window uint32 // the X window it is done in, 0 for none
	Menu   bool   // which no window manager touches
	X, Y   int    // in that window
	Key    uint32 // the X keysym, by the person's own keyboard
	Button int    // as X numbers them: 1 left, 2 middle, 3 right
	Down   bool
	// Again marks a key that goes down while it is down: it repeats.
	Again     bool
	Direction string // up, down, left, right
	By        int
	W, H      int
}

// maxActs bounds the acts that wait to be taken.
const maxActs = 1000

// addAct puts an act behind those that wait; of two motions that follow each
// other the later one stays, and so of two sizes of one window. It is false when
// there is no room.
func addAct(waiting []Act, a Act) ([]Act, bool) {
	if n := len(waiting); n > 0 && (a.Kind == ActMove || a.Kind == ActSize) {
		if last := waiting[n-1]; last.Kind == a.Kind && (a.Kind == ActMove || last.Window == a.Window) {
			waiting[n-1] = a
			return waiting, true
		}
	}
	if len(waiting) >= maxActs {
		return waiting, false
	}
	return append(waiting, a), true
}
