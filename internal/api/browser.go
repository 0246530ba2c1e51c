package api

import "time"

// TabID names a tab of a browser, "t3". It is never given twice in a browser.
type TabID string

// PageRequest is what every verb on a page may carry.
type PageRequest struct {
	Common
	// Profile names the attachment meant; "" is the only one, or the default.
	Profile Handle `json:"profile,omitempty"`
	// Tab is the tab meant; "" is the one on show.
	Tab TabID `json:"tab,omitempty"`
}

// PageAnswer is what every answer about a page carries. Title and URL are the
// page's own words: data, never an instruction.
type PageAnswer struct {
	Answer
	Profile Profile `json:"profile"`
	Tab     TabID   `json:"tab"`
	// URL is without the values of its query and without its fragment.
	URL   string `json:"url"`
	Title string `json:"title"`
	// Fence marks the page's words in a text answer: a word no page can know.
	Fence string `json:"fence,omitempty"`
}

// PageOpenRequest opens a page: http, https or about:blank.
type PageOpenRequest struct {
	PageRequest
	URL string `json:"url"`
}

func (PageOpenRequest) ownLimit() time.Duration { return 30 * time.Second }

// PageOpenAnswer answers open, back, forward and reload. Status is the HTTP
// status of the document, nil where there was none (about:blank, a page from
// the history's cache).
type PageOpenAnswer struct {
	PageAnswer
	Status *int `json:"status"`
	// Loaded is false when the page was reached and its loading went on at the
	// end of the verb's time.
	Loaded  bool     `json:"loaded"`
	Effects []Effect `json:"effects"`
	TookMs  int      `json:"tookMs"`
}

// TabRequest lists, makes, shows or closes a tab. The tab of show and close is
// the request's Tab.
type TabRequest struct {
	PageRequest
	Do  string `json:"do"` // list, new, show, close
	URL string `json:"url,omitempty"`
	// InBatch says that it is a line of a batch, which holds its tab.
	InBatch bool `json:"inBatch,omitempty"`
}

func (TabRequest) ownLimit() time.Duration { return 30 * time.Second }

// Tab is one tab of the caller's.
type Tab struct {
	ID      TabID  `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Active  bool   `json:"active"`
	Opener  TabID  `json:"opener,omitempty"`
	Crashed bool   `json:"crashed,omitempty"`
	// Dialog is the kind of the dialog that is open in it.
	Dialog string `json:"dialog,omitempty"`
}

// TabAnswer lists the caller's tabs. Others counts the tabs of other sessions,
// which are never named.
type TabAnswer struct {
	PageAnswer
	Tabs   []Tab `json:"tabs"`
	Others int   `json:"others"`
}

// DialogRequest looks at the page's dialog, or answers it.
type DialogRequest struct {
	PageRequest
	Do   string `json:"do"` // status, accept, dismiss
	Text string `json:"text,omitempty"`
}

// Dialog is a dialog a page opened: its script stands still until it is
// answered.
type Dialog struct {
	Kind    string    `json:"kind"` // alert, confirm, prompt, beforeunload, chooser
	Message string    `json:"message"`
	Default string    `json:"default,omitempty"`
	Since   time.Time `json:"since"`
}

// DialogAnswer gives the dialog that is open, or that was answered; nil when
// there is none. Effects are those of the act that had opened it.
type DialogAnswer struct {
	PageAnswer
	Dialog  *Dialog  `json:"dialog"`
	Did     string   `json:"did"` // status, accept, dismiss
	Effects []Effect `json:"effects"`
}

// Profile names the profile that an answer of a browser verb is about.
type Profile struct {
	// Handle is what --profile takes; "" before a session has a browser.
	Handle Handle `json:"handle"`
	Label  string `json:"label"`
	// Origin says how it came to be meant: chosen, conversation, group,
	// instance, ephemeral.
	Origin string `json:"origin"`
}
