package api

// Act is what every acting verb may carry.
type Act struct {
	Common
	Handle    Handle `json:"handle"`
	Expect    string `json:"expect,omitempty"`
	NoObserve bool   `json:"noObserve,omitempty"`
	Snapshot  bool   `json:"snapshot,omitempty"`
}

// ClickRequest clicks a node or a point: exactly one of Ref and At.
type ClickRequest struct {
	Act
	Ref    Ref    `json:"ref,omitempty"`
	Action string `json:"action,omitempty"`
	Point  bool   `json:"point,omitempty"`
	At     *Point `json:"at,omitempty"`
	Button string `json:"button,omitempty"` // left, right, middle
	Count  int    `json:"count,omitempty"`
	Mod    string `json:"mod,omitempty"` // ctrl+shift
}

// TypeRequest types text into a node or the focused one.
type TypeRequest struct {
	Act
	Ref     Ref    `json:"ref,omitempty"`
	Text    string `json:"text"`
	Replace bool   `json:"replace,omitempty"`
	Enter   bool   `json:"enter,omitempty"`
	Keys    bool   `json:"keys,omitempty"`
}

// SetRequest sets a node by its own interface: exactly one of the forms.
type SetRequest struct {
	Act
	Ref    Ref     `json:"ref"`
	Value  *string `json:"value,omitempty"`
	Select *string `json:"select,omitempty"`
	Check  *bool   `json:"check,omitempty"`
	Expand *bool   `json:"expand,omitempty"`
	Focus  bool    `json:"focus,omitempty"`
}

// SelectRequest selects text in a node, in characters.
type SelectRequest struct {
	Act
	Ref  Ref `json:"ref"`
	From int `json:"from"`
	To   int `json:"to"`
}

// KeyRequest presses chords in order.
type KeyRequest struct {
	Act
	Keys []string `json:"keys"`
}

// ScrollRequest turns the wheel, at a point or over a node.
type ScrollRequest struct {
	Act
	Direction string `json:"direction"` // up, down, left, right
	By        int    `json:"by,omitempty"`
	At        *Point `json:"at,omitempty"`
	Ref       Ref    `json:"ref,omitempty"`
}

// CloseRequest asks a window of the target to close.
type CloseRequest struct {
	Act
	Window *int `json:"window,omitempty"`
}

// Did says what an act did.
type Did struct {
	Verb   string `json:"verb"`
	By     string `json:"by,omitempty"` // tree, keys, point
	Ref    Ref    `json:"ref,omitempty"`
	Role   string `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
	Action string `json:"action,omitempty"`
	At     *Point `json:"at,omitempty"`
	// Partial counts what was done of an act that was cut.
	Partial *Partial `json:"partial,omitempty"`
	// In is the verb of a batch that was cut, with what it had done itself.
	In *Did `json:"in,omitempty"`
}

// Partial counts chars, keys, notches, points or verbs, by kind.
type Partial struct {
	Chars   *int `json:"chars,omitempty"`
	Keys    *int `json:"keys,omitempty"`
	Notches *int `json:"notches,omitempty"`
	Points  *int `json:"points,omitempty"`
	Verbs   *int `json:"verbs,omitempty"`
	Of      int  `json:"of"`
}

// Observed is what was seen after an act. Failed is set, and the rest empty,
// when the act worked and looking at it did not.
type Observed struct {
	SettledMs      int      `json:"settledMs"`
	Diff           []string `json:"diff"`
	PictureChanged *bool    `json:"pictureChanged,omitempty"`
	Failed         string   `json:"failed,omitempty"`
}

// Acted answers every act.
type Acted struct {
	Answer
	Handle   Handle    `json:"handle"`
	Did      Did       `json:"did"`
	Applied  string    `json:"applied"` // yes, unknown
	Observed *Observed `json:"observed,omitempty"`
	Verified *bool     `json:"verified"`
	// Differs says of a type that is not verified how much the field holds.
	Differs *Differs  `json:"differs,omitempty"`
	Tree    *Snapshot `json:"tree,omitempty"` // --snapshot
}

// Differs counts the characters a field holds after a type, and those it should
// hold. A field of a bounded length takes what fits.
type Differs struct {
	Wanted int `json:"wanted"`
	Has    int `json:"has"`
}

// SizeRequest pins a window, or lets it go with a nil Size.
type SizeRequest struct {
	Common
	Handle Handle `json:"handle"`
	Size   *Size  `json:"size"`
}

// RungRequest moves the display of a window to another rung while it runs.
type RungRequest struct {
	Common
	Handle Handle `json:"handle"`
	Rung   string `json:"rung"` // xvfb, xpra
}

// ModeRequest changes the mode of a window.
type ModeRequest struct {
	Common
	Handle Handle `json:"handle"`
	Mode   string `json:"mode"`
}

// DragRequest drags from one point to another with the left button.
type DragRequest struct {
	Act
	From *Point `json:"from"`
	To   *Point `json:"to"`
}

// HoverRequest brings the pointer to a point and leaves it there.
type HoverRequest struct {
	Act
	At *Point `json:"at"`
}

// MenuRequest walks a menu by the names of its entries, "File>Save As".
type MenuRequest struct {
	Act
	Path string `json:"path"`
}

// ClipboardRequest reads or sets the clipboard of the window's own display.
type ClipboardRequest struct {
	Act
	Do   string `json:"do"` // get, set
	Text string `json:"text,omitempty"`
}

// ClipboardAnswer is the clipboard's text. Empty is true when nobody offers
// one.
type ClipboardAnswer struct {
	Answer
	Handle   Handle `json:"handle"`
	Did      Did    `json:"did"`
	Applied  string `json:"applied"`
	Verified *bool  `json:"verified"`
	Text     string `json:"text"`
	Empty    bool   `json:"empty,omitempty"`
}

// LogsRequest asks for the last lines an application wrote.
type LogsRequest struct {
	Common
	Handle Handle `json:"handle"`
	Tail   int    `json:"tail,omitempty"`
}

// LogsAnswer is those lines, oldest first.
type LogsAnswer struct {
	Answer
	Handle Handle   `json:"handle"`
	Lines  []string `json:"lines"`
}
