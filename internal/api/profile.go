package api

import "time"

// PageAsk gives what every verb on a page carries; embedded, so that every
// request has it.
func (r PageRequest) PageAsk() PageRequest { return r }

// PageHead gives the head of an answer about a page, to be filled in;
// embedded, so that every answer has it.
func (a *PageAnswer) PageHead() *PageAnswer { return a }

// PageDid gives what an act did, for its record.
func (a *PageActed) PageDid() Did { return a.Did }

// BrowserProfile is a profile as lists show it.
type BrowserProfile struct {
	Handle  Handle `json:"handle"`
	Label   string `json:"label"`
	Backend string `json:"backend"`
	// Owner is who may attach: session:<label> or group:<name>.
	Owner string `json:"owner"`
	// Mine says whether the caller may attach.
	Mine bool `json:"mine"`
	// Ephemeral: it ends with its session and keeps nothing.
	Ephemeral bool `json:"ephemeral"`
	Headless  bool `json:"headless"`
	// State is stopped, starting, running.
	State string `json:"state"`
	// Attached lists the caller and counts the others: they are not named.
	Attached bool `json:"attached"`
	Others   int  `json:"others"`
	// Dir is the directory, told to its owner alone.
	Dir string `json:"dir,omitempty"`
	// Major is the version of the browser that wrote it last, nil for none.
	Major *int `json:"major"`
}

// ProfilesRequest asks for the profiles.
type ProfilesRequest struct {
	Common
	Profile Handle `json:"profile,omitempty"`
}

// ProfilesAnswer lists the caller's own and counts those of others.
type ProfilesAnswer struct {
	Answer
	Profile  Profile          `json:"profile"`
	Profiles []BrowserProfile `json:"profiles"`
	Others   int              `json:"others"`
}

// BrowserAttachment is a profile that the session is attached to.
type BrowserAttachment struct {
	Profile
	Alias   string    `json:"alias,omitempty"`
	Default bool      `json:"default"`
	State   string    `json:"state"`
	Tabs    int       `json:"tabs"` // the session's own
	Since   time.Time `json:"since"`
}

// AttachmentsRequest asks what the session is attached to.
type AttachmentsRequest struct {
	Common
	Profile Handle `json:"profile,omitempty"`
}

// AttachmentsAnswer lists it.
type AttachmentsAnswer struct {
	Answer
	Profile     Profile             `json:"profile"`
	Attachments []BrowserAttachment `json:"attachments"`
}

// UseRequest attaches the session to a profile, by its handle or label.
type UseRequest struct {
	Common
	Use   string `json:"use"`
	Alias string `json:"alias,omitempty"`
	// Pin makes it the default, None leaves the session without one (pin).
	Pin  bool `json:"pin,omitempty"`
	None bool `json:"none,omitempty"`
	// Dir is the caller's working directory: a path given as a profile is named
	// whole in the refusal.
	Dir     string `json:"dir,omitempty"`
	Profile Handle `json:"profile,omitempty"`
}

// LeaveRequest lets a profile go: detach, and close, which keeps the
// attachment.
type LeaveRequest struct {
	Common
	Profile Handle `json:"profile,omitempty"`
}

// LeaveAnswer answers detach and close.
type LeaveAnswer struct {
	Answer
	Profile Profile `json:"profile"`
	// Closed counts the session's tabs that were closed; Others are the tabs of
	// other sessions, which stay.
	Closed int `json:"closed"`
	Others int `json:"others"`
	// Stopped says that the browser ended with it.
	Stopped bool `json:"stopped"`
}

// ProfileDeleteRequest deletes a kept profile, by its handle or label.
type ProfileDeleteRequest struct {
	Common
	Profile Handle `json:"profile"`
}

// ProfileDeleteAnswer says what was deleted.
type ProfileDeleteAnswer struct {
	Answer
	Profile Profile `json:"profile"`
	// Dir is the directory, "" for a profile without one, and Bytes what its
	// files took. Stays says that it was adopted and is left where it is.
	Dir   string `json:"dir,omitempty"`
	Bytes int64  `json:"bytes"`
	Stays bool   `json:"stays"`
}

// ChildRequest asks for a browser of a helper of the session's.
type ChildRequest struct {
	Common
	Label   string `json:"label,omitempty"`
	Profile Handle `json:"profile,omitempty"`
}

// ChildAnswer gives its handle, and the line that makes a shell mean it.
type ChildAnswer struct {
	Answer
	Profile Profile `json:"profile"`
	Env     string  `json:"env"`
}

// BrowserStatusRequest asks how the session's browser stands: status, resume,
// watch and cdp-url share it.
type BrowserStatusRequest struct {
	Common
	Profile Handle `json:"profile,omitempty"`
}

// BrowserStatusAnswer says it. It starts nothing.
type BrowserStatusAnswer struct {
	Answer
	Profile     Profile             `json:"profile"`
	State       string              `json:"state"` // stopped, starting, running
	Tabs        []Tab               `json:"tabs"`
	Others      int                 `json:"others"`
	Paused      *BrowserPause       `json:"paused"`
	Attachments []BrowserAttachment `json:"attachments"`
	// Watch is the person's command that shows it.
	Watch string `json:"watch,omitempty"`
}

// BrowserPause says that the person drives, and since when.
type BrowserPause struct {
	By    string    `json:"by"`
	Since time.Time `json:"since"`
}
