package api

import "time"

// Backend is a row of the ladder: what drives a browser, and what it can do.
type Backend struct {
	Name  string `json:"name"`
	Tier  int    `json:"tier"` // 1 over CDP, 2 with another fingerprint, 3 without CDP
	About string `json:"about"`
	// Starts: we start the browser. Headed: it shows a window. CDP: page verbs
	// go to it.
	Starts bool `json:"starts"`
	Headed bool `json:"headed"`
	CDP    bool `json:"cdp"`
	// AllowedDomains: a profile on it can be kept to a list of domains.
	AllowedDomains bool `json:"allowedDomains"`
	// PinTab: each session attached has a tab of its own.
	PinTab bool `json:"pinTab"`
	// OwnsDir: the profile's directory is ours.
	OwnsDir  bool   `json:"ownsDir"`
	SwitchTo string `json:"switchTo"` // in-place, export-only, no
	KeyScope string `json:"keyScope"` // none, local-only
	Lease    string `json:"lease"`    // tab, window-target
	// Consent is what the person has to agree to, "" for nothing.
	Consent string `json:"consent"`
	// Available says whether it can be used here and now; Why says it in a
	// sentence, Code and Hint are its refusal.
	Available bool   `json:"available"`
	Why       string `json:"why"`
	Code      Code   `json:"code,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

// SiteClaim is what somebody said of a site: a claim, never a finding.
type SiteClaim struct {
	Host string `json:"host"`
	// Tier is said only while Backend is "".
	Tier    int       `json:"tier,omitempty"`
	Backend string    `json:"backend,omitempty"`
	By      SessionID `json:"by"`
	At      time.Time `json:"at"`
	Why     string    `json:"why,omitempty"`
	// Suggestion words it.
	Suggestion string `json:"suggestion"`
}

// BackendRequest asks for the ladder, or for one row of it.
type BackendRequest struct {
	Common
	Backend string `json:"backend,omitempty"`
	Profile Handle `json:"profile,omitempty"`
}

// BackendAnswer gives the rows asked for, and what was claimed of sites.
type BackendAnswer struct {
	Answer
	Profile  Profile     `json:"profile"`
	Backends []Backend   `json:"backends"`
	Claims   []SiteClaim `json:"claims"`
}

// BlockedRequest claims that a page keeps automation out.
type BlockedRequest struct {
	Common
	URL     string `json:"url"`
	Why     string `json:"why,omitempty"`
	Tier    int    `json:"tier,omitempty"`
	Backend string `json:"backend,omitempty"`
	Profile Handle `json:"profile,omitempty"`
}

// BlockedAnswer gives the claim as it was kept.
type BlockedAnswer struct {
	Answer
	Profile Profile   `json:"profile"`
	Claim   SiteClaim `json:"claim"`
}

// BrowserNewRequest makes a profile, or opens a browser on the desktop-app
// rung.
type BrowserNewRequest struct {
	Common
	Label   string `json:"label"`
	Backend string `json:"backend,omitempty"`
	// Adopt is a directory to make the profile's own.
	Adopt string `json:"adopt,omitempty"`
	// Headless makes a profile whose browser has no window.
	Headless bool `json:"headless,omitempty"`
	// Group makes a group the owner, of which the session is one.
	Group string `json:"group,omitempty"`
	// Address is where somebody else's browser answers (cdp).
	Address string `json:"address,omitempty"`
	// AllowedDomains and Sharing are refused with the reason.
	AllowedDomains string `json:"allowedDomains,omitempty"`
	Sharing        string `json:"sharing,omitempty"`
	// URL, Mode, Size, AutoSize, Browser and Keep are the desktop-app rung's.
	URL  string `json:"url,omitempty"`
	Mode string `json:"mode,omitempty"`
	Size *Size  `json:"size,omitempty"`
	// AutoSize is --size auto: no pin, whatever the mode.
	AutoSize bool   `json:"autoSize,omitempty"`
	Browser  string `json:"browser,omitempty"`
	Keep     bool   `json:"keepProfile,omitempty"`
	// Dir is the caller's working directory: a relative path names a file there.
	Dir string `json:"dir,omitempty"`
}

func (BrowserNewRequest) ownLimit() time.Duration { return 30 * time.Second }

// BrowserNewAnswer answers new: like open where a window was opened.
type BrowserNewAnswer struct {
	Answer
	Profile Profile `json:"profile"`
	// Window is the browser's, on the desktop-app rung; NotReady, TookMs and
	// DisplayMs are what open says of one.
	Window    *Window  `json:"window,omitempty"`
	NotReady  []string `json:"notReady,omitempty"`
	TookMs    int      `json:"tookMs,omitempty"`
	DisplayMs int      `json:"displayMs,omitempty"`
	// Kept is the directory of a profile that is kept, "" for one that ends.
	Kept string `json:"kept,omitempty"`
}
