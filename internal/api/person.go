package api

import "time"

// SessionRequest makes, lists or ends sessions.
type SessionRequest struct {
	Common
	Label SessionID `json:"label,omitempty"`
	Group string    `json:"group,omitempty"`
}

// SessionAnswer is a new session: its token is shown this once and kept
// nowhere but as a hash.
type SessionAnswer struct {
	OK    bool              `json:"ok"`
	Label SessionID         `json:"label"`
	Token string            `json:"token"`
	Env   map[string]string `json:"env"`
}

// SessionInfo is a session without its token.
type SessionInfo struct {
	Label   SessionID `json:"label"`
	Created time.Time `json:"created"`
	Groups  []string  `json:"groups"`
	Holds   []Handle  `json:"holds"`
}

// Ending is a session that has ended and whose windows have not: they do at
// Due. Waits is 1 when that was put off, because the person drove or
// watched one of them.
type Ending struct {
	Label   SessionID `json:"label"`
	Windows []Handle  `json:"windows"`
	Due     time.Time `json:"due"`
	Waits   int       `json:"waits"`
}

// SessionsAnswer lists sessions, and those whose windows are about to end.
type SessionsAnswer struct {
	OK       bool          `json:"ok"`
	Sessions []SessionInfo `json:"sessions"`
	Ending   []Ending      `json:"ending"`
}

// GroupRequest makes, changes or lists groups: named sets of sessions.
type GroupRequest struct {
	Common
	Group string `json:"group,omitempty"`
	// Label is the session that is put in or taken out; a remove without it
	// ends the group.
	Label SessionID `json:"label,omitempty"`
}

// GroupInfo is a group; its members are in order of label.
type GroupInfo struct {
	Group   string      `json:"group"`
	Created time.Time   `json:"created"`
	Members []SessionID `json:"members"`
}

// GroupsAnswer lists groups, in order of name.
type GroupsAnswer struct {
	OK     bool        `json:"ok"`
	Groups []GroupInfo `json:"groups"`
}

// ShareRequest gives or takes a window to or from sessions. With is
// "session:<label>" or "group:<name>"; a share with "remembered" is what is
// remembered for the window's application, and an unshare without it takes all.
type ShareRequest struct {
	Common
	Handle Handle `json:"handle"`
	With   string `json:"with,omitempty"`
	Mode   string `json:"mode,omitempty"`
	// Remember keeps the share for the application's later windows (share). It is
	// shown where they are launched and applied by the person alone.
	Remember bool `json:"remember,omitempty"`
}

// RememberedRequest asks for remembered shares of an application, all of them
// with "", or forgets them: those with one grantee, or all.
type RememberedRequest struct {
	Common
	App  string `json:"app,omitempty"`
	With string `json:"with,omitempty"`
}

// Remembered is a share that an application's windows may get again.
type Remembered struct {
	App   string    `json:"app"`
	With  string    `json:"with"`
	Mode  string    `json:"mode"`
	Since time.Time `json:"since"`
}

// RememberedAnswer lists them.
type RememberedAnswer struct {
	OK         bool         `json:"ok"`
	Remembered []Remembered `json:"remembered"`
}

// Share is one grant.
type Share struct {
	Handle Handle    `json:"handle"`
	With   string    `json:"with"`
	Mode   string    `json:"mode"`
	Since  time.Time `json:"since"`
}

// SharesAnswer lists grants, and what is remembered for the application.
type SharesAnswer struct {
	OK bool `json:"ok"`
	// Opener is the session that opened the window, "" for the person; Holder
	// the one that drives it now, "" for none.
	Opener     SessionID    `json:"opener,omitempty"`
	Holder     SessionID    `json:"holder,omitempty"`
	Shares     []Share      `json:"shares"`
	Remembered []Remembered `json:"remembered"`
}

// AuditRequest reads the audit.
type AuditRequest struct {
	Common
	Handle Handle    `json:"handle,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Limit  int       `json:"limit,omitempty"`
}

// AuditRow is one verb as it was decided. Typed text is never in it.
type AuditRow struct {
	ID      int64     `json:"id"`
	At      time.Time `json:"at"`
	Session SessionID `json:"session"`
	Handle  Handle    `json:"handle"`
	Verb    string    `json:"verb"`
	By      string    `json:"by"`
	Ref     Ref       `json:"ref"`
	Role    string    `json:"role"`
	Name    string    `json:"name"`
	Verdict string    `json:"verdict"` // ok, or the refusal's code
	TookMs  int       `json:"tookMs"`
}

// AuditAnswer lists rows, oldest first.
type AuditAnswer struct {
	OK   bool       `json:"ok"`
	Rows []AuditRow `json:"rows"`
}

// TraceRequest asks for what was done to a window, with pictures, or deletes
// the pictures.
type TraceRequest struct {
	Common
	Handle Handle `json:"handle"`
	Limit  int    `json:"limit,omitempty"`
}

// TraceRow is one act: its row of the audit, and the picture of the window
// before and after it with the place marked. Typed text is in neither.
type TraceRow struct {
	AuditRow
	// Box is the place in window coordinates: the element's, or a point of size
	// zero; null when it is not known.
	Box *Rect `json:"box"`
	// Before and After are paths of JPEG files, "" where there is none.
	Before string `json:"before"`
	After  string `json:"after"`
	// Note says why a picture is missing or filled in.
	Note string `json:"note,omitempty"`
	// Pending is true while the pictures are still being written.
	Pending bool `json:"pending,omitempty"`
}

// TraceAnswer lists acts, oldest first, and says what was deleted.
type TraceAnswer struct {
	OK      bool          `json:"ok"`
	Handle  Handle        `json:"handle"`
	Rows    []TraceRow    `json:"rows"`
	Deleted *TraceDeleted `json:"deleted,omitempty"`
	// Page is a page of them that was made (--open).
	Page string `json:"page,omitempty"`
	// Unshown says why nothing shows the page, "" when something does.
	Unshown string `json:"unshown,omitempty"`
}

// TraceDeleted counts what was deleted: acts that have no pictures any more, and
// files with their bytes.
type TraceDeleted struct {
	Acts  int   `json:"acts"`
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Finding is one thing doctor saw.
type Finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Why  string `json:"why"`
	Mend string `json:"mend,omitempty"` // the command that mends it
}

// DoctorAnswer lists them.
type DoctorAnswer struct {
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
}

// PsRow is one process of a display.
type PsRow struct {
	Handle  Handle `json:"handle"`
	Display string `json:"display"`
	PID     int    `json:"pid"`
	Name    string `json:"name"`
	What    string `json:"what"` // server, session bus, accessibility bus, app …
}

// PsAnswer lists what runs.
type PsAnswer struct {
	OK        bool    `json:"ok"`
	Daemon    int     `json:"daemon"`
	Version   string  `json:"version"`
	Processes []PsRow `json:"processes"`
}
