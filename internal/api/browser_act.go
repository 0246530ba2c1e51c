package api

import "time"

// PageAct is what every acting verb on a page may carry.
type PageAct struct {
	PageRequest
	// Expect is a condition that must hold after the act, or it answers
	// expect_failed: text=…, url=…, title=…, gone=@e7, @e7.state=checked.
	Expect    string `json:"expect,omitempty"`
	NoObserve bool   `json:"noObserve,omitempty"`
	Snapshot  bool   `json:"snapshot,omitempty"`
}

// PageClickRequest clicks an element.
type PageClickRequest struct {
	PageAct
	Ref    Ref    `json:"ref"`
	Button string `json:"button,omitempty"` // left, right, middle
	Count  int    `json:"count,omitempty"`
	Mod    string `json:"mod,omitempty"` // ctrl+shift
}

// PageTypeRequest types at the end of a field, key by key; without a ref into
// whatever has the focus.
type PageTypeRequest struct {
	PageAct
	Ref   Ref    `json:"ref,omitempty"`
	Text  string `json:"text"`
	Enter bool   `json:"enter,omitempty"`
}

// ownLimit is 10 s and 2 ms a character.
func (r PageTypeRequest) ownLimit() time.Duration {
	return 10*time.Second + time.Duration(len(r.Text))*2*time.Millisecond
}

// PageFillRequest makes a text the whole of a field.
type PageFillRequest struct {
	PageAct
	Ref  Ref    `json:"ref"`
	Text string `json:"text"`
}

// PageSelectRequest selects options by their text, or by their value.
type PageSelectRequest struct {
	PageAct
	Ref     Ref      `json:"ref"`
	Options []string `json:"options"`
}

// PageCheckRequest answers check and uncheck.
type PageCheckRequest struct {
	PageAct
	Ref     Ref  `json:"ref"`
	Checked bool `json:"checked"`
}

// PagePressRequest presses chords in order, in whatever has the focus.
type PagePressRequest struct {
	PageAct
	Keys []string `json:"keys"`
}

// PageHoverRequest brings the pointer over an element and leaves it there.
type PageHoverRequest struct {
	PageAct
	Ref Ref `json:"ref"`
}

// PageScrollRequest turns the wheel over the page or an element; By is
// notches, 3 when 0.
type PageScrollRequest struct {
	PageAct
	Direction string `json:"direction"` // up, down, left, right
	By        int    `json:"by,omitempty"`
	Ref       Ref    `json:"ref,omitempty"`
}

// UploadRequest gives files to a file field, or to the chooser that is open.
type UploadRequest struct {
	PageAct
	// Ref may be empty while a chooser is open.
	Ref   Ref      `json:"ref,omitempty"`
	Files []string `json:"files"`
}

// Effect is something an act was seen to do.
type Effect struct {
	// Kind is value, checked, expanded, selected, files, focus, scrolled, changed,
	// navigation, dialog, chooser, tab, closed, download, auth (the server wants a
	// user and a password, which are not given) or nothing.
	Kind string `json:"kind"`
	// Text is the value, the dialog's message, the file's name: the page's own
	// words. It is empty for a secret.
	Text string `json:"text,omitempty"`
	// URL is a navigation's or a new tab's, without query values and fragment.
	URL string `json:"url,omitempty"`
	// SameDocument: the URL changed and the document stayed.
	SameDocument bool `json:"sameDocument,omitempty"`
	// Tab is the new or closed one.
	Tab TabID `json:"tab,omitempty"`
	// Count is how many places of the page changed.
	Count int `json:"count,omitempty"`
	// Status is the HTTP status of a navigation.
	Status *int `json:"status,omitempty"`
}

// PageActed answers every act on a page. Did.By is pointer, keys or script.
type PageActed struct {
	PageAnswer
	Did     Did    `json:"did"`
	Applied string `json:"applied"` // yes, unknown
	// Verified is the read-back of a value, nil where none was possible.
	Verified *bool    `json:"verified"`
	Effects  []Effect `json:"effects"`
	// Failed is set when the act worked and looking at it did not: repeating
	// it would do it twice.
	Failed    string        `json:"failed,omitempty"`
	SettledMs int           `json:"settledMs"`
	Tree      *PageSnapshot `json:"tree,omitempty"`
}
