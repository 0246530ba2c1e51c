package api

import "net/http"

// Code is the stable name of a refusal. The set is closed: docs/api.md and
// every client rely on it to the letter.
type Code string

// The refusal codes, grouped as the contract groups them.
const (
	// Identity.
	NoSession  Code = "no_session"  // no token was given and this daemon wants one
	BadSession Code = "bad_session" // the token is wrong, or its session ended
	OwnerOnly  Code = "owner_only"  // a person's command, without the owner credential

	// Reach and lease.
	NotExposed      Code = "not_exposed"      // no such window, or not shared with this session: the same words for both
	NotAttached     Code = "not_attached"     // this session does not hold the window: attach first
	Held            Code = "held"             // another session holds the window; it is named
	WindowPaused    Code = "window_paused"    // the person drives the window
	TakeoverHeld    Code = "takeover_held"    // another viewer drives the window
	ReachUnreadable Code = "reach_unreadable" // the shares could not be read: try again, the lease is kept
	ModePixels      Code = "mode_pixels"      // a tree verb on a window shared for pixels

	// Where a point would land.
	WindowNotVisible Code = "window_not_visible" // the window is not drawn
	OutsideWindow    Code = "outside_window"     // the point is not in the window
	Occluded         Code = "occluded"           // another window is on top of the point; it is named

	// Refs and nodes.
	StaleRef        Code = "stale_ref"        // the element is gone or has become another one: was and is are told
	UnknownRef      Code = "unknown_ref"      // no snapshot ever named this ref
	NoAction        Code = "no_action"        // the element has no action that a click may use; its own are listed
	NotEditable     Code = "not_editable"     // the element takes no text
	CannotSet       Code = "cannot_set"       // the element cannot be set that way
	Disabled        Code = "disabled"         // the element is disabled
	AmbiguousAction Code = "ambiguous_action" // more than one action fits: name one
	SingleLine      Code = "single_line"      // a line break for a field of one line

	// Roads.
	NoInjection Code = "no_injection" // keys and pointer cannot be injected here; the probe says why
	NoTree      Code = "no_tree"      // the window has no readable tree; the probe says why

	// Lifecycle.
	AppNotFound   Code = "app_not_found"   // no such application or program
	AppExited     Code = "app_exited"      // the application ended before its window was ready; its last words are told
	StartFailed   Code = "start_failed"    // the display or the program could not be started
	NotResponding Code = "not_responding"  // the application does not answer
	DisplayCap    Code = "display_cap"     // as many displays as are allowed are open; the caller's own are listed
	DesktopAppCap Code = "desktop_app_cap" // as many desktop-app browsers as are allowed are open
	NotLive       Code = "not_live"        // the window has ended

	// Arguments.
	BadSize         Code = "bad_size"           // not a size
	SizeOutOfBounds Code = "size_out_of_bounds" // a size outside 320–7680 × 240–4320, or larger than the display
	BadMode         Code = "bad_mode"           // not a mode
	BadKey          Code = "bad_key"            // not a chord of X key names
	BadPoint        Code = "bad_point"          // not a point
	TextTooLong     Code = "text_too_long"      // more than 100,000 characters
	ControlChar     Code = "control_char"       // a control character in the text: send it with key
	SizeNotHonoured Code = "size_not_honoured"  // the application keeps another size; it and its limits are told
	BadRequest      Code = "bad_request"        // the request cannot be read: unknown field, wrong type, missing argument

	// The desktop-app rung.
	NotYourWindow         Code = "not_your_window"           // only for a window this session opened
	NotYourBrowser        Code = "not_your_browser"          // only for a browser this session opened
	BrowserIsHuman        Code = "browser_is_human"          // a browser is opened through vibespace-browser, or by the person
	NoCDPOnThisBackend    Code = "no_cdp_on_this_backend"    // the verb needs CDP and this backend has none
	DesktopAppOnly        Code = "desktop_app_only"          // the verb is for a browser on the desktop-app rung alone
	DesktopAppLacks       Code = "desktop_app_lacks"         // the desktop-app rung cannot do this
	DesktopAppNotAProfile Code = "desktop_app_not_a_profile" // a desktop-app browser is a window, no profile

	// The CDP rung.
	ProfileRequired    Code = "profile_required"    // more than one profile is attached: name one
	ProfileChanged     Code = "profile_changed"     // the attached profiles changed since the last command: look, then repeat
	ProfileInUse       Code = "profile_in_use"      // the profile is open elsewhere
	TabGone            Code = "tab_gone"            // the tab was closed
	NotYourTab         Code = "not_your_tab"        // the tab belongs to another session
	TabInBatch         Code = "tab_in_batch"        // a batch holds the tab
	TabsUnreadable     Code = "tabs_unreadable"     // the tabs could not be read: try again
	NotOwner           Code = "not_owner"           // the profile belongs to another session
	AdoptNotYours      Code = "adopt_not_yours"     // the directory to adopt belongs to somebody else
	BrowserPaused      Code = "browser_paused"      // the person drives the browser
	BrowserInterrupted Code = "browser_interrupted" // the person took over while the verb ran
	BrowserStopped     Code = "browser_stopped"     // the browser is stopped: open starts it
	BrowserCap         Code = "browser_cap"         // as many browsers as are allowed are open
	MethodRefused      Code = "method_refused"      // the method is not offered
	DialogOpen         Code = "dialog_open"         // a dialog of the page is open: answer it first
	NavigationBlocked  Code = "navigation_blocked"  // the page may not be opened
	SensitiveField     Code = "sensitive_field"     // the field holds a secret
	DownloadBlocked    Code = "download_blocked"    // downloads are not allowed here
	PageCrashed        Code = "page_crashed"        // the page crashed

	// The ladder.
	BackendUnavailable    Code = "backend_unavailable"      // the backend cannot be used here
	BackendNoKey          Code = "backend_no_key"           // the backend wants a key that is not configured
	BackendSeatTaken      Code = "backend_seat_taken"       // the backend's seat is in use
	ProviderNeedsLocalKey Code = "provider_needs_local_key" // the provider wants a key of this machine
	ProviderLocalOnly     Code = "provider_local_only"      // the provider works on this machine alone
	DowngradeRefused      Code = "downgrade_refused"        // the profile was written by a newer browser
	CannotSwitch          Code = "cannot_switch"            // the backend cannot be changed now

	// General.
	ExpectFailed Code = "expect_failed" // the act was done, and what --expect names did not come
	Timeout      Code = "timeout"       // the time of the verb ran out
	Cancelled    Code = "cancelled"     // the caller went away or cancelled
	Busy         Code = "busy"          // too much is waiting already: try again
	TooLarge     Code = "too_large"     // the request, or what it asks for, is larger than allowed
	StoreFailed  Code = "store_failed"  // the state could not be read or written
	StoreNewer   Code = "store_newer"   // the state was written by a newer build
	NotYet       Code = "not_yet"       // described, and not built yet

	// Internal is a fault of the daemon's own: a verb that panicked. The log
	// has the reason.
	Internal Code = "internal"

	// Unreachable is said by a client alone: no daemon answered, or what
	// answered was not ours. No daemon ever sends it.
	Unreachable Code = "unreachable"
)

// The exit statuses of the command lines.
const (
	ExitOK          = 0
	ExitRefused     = 1
	ExitUsage       = 2
	ExitUnreachable = 3
	ExitNotMet      = 4
	ExitInterrupted = 130
)

// Fate is what a refusal becomes on each face: one row, so that no face
// decides for itself.
type Fate struct {
	HTTP int
	Exit int
}

// fates lists the codes whose fate differs from the default, a refusal (409,
// exit 1).
var fates = map[Code]Fate{
	NoSession:    {http.StatusUnauthorized, ExitRefused},
	BadSession:   {http.StatusUnauthorized, ExitRefused},
	OwnerOnly:    {http.StatusForbidden, ExitRefused},
	NotExposed:   {http.StatusNotFound, ExitRefused},
	AppNotFound:  {http.StatusNotFound, ExitRefused},
	BadRequest:   {http.StatusBadRequest, ExitUsage},
	BadSize:      {http.StatusBadRequest, ExitRefused},
	BadMode:      {http.StatusBadRequest, ExitRefused},
	BadKey:       {http.StatusBadRequest, ExitRefused},
	BadPoint:     {http.StatusBadRequest, ExitRefused},
	ControlChar:  {http.StatusBadRequest, ExitRefused},
	TextTooLong:  {http.StatusBadRequest, ExitRefused},
	TooLarge:     {http.StatusRequestEntityTooLarge, ExitRefused},
	ExpectFailed: {http.StatusConflict, ExitNotMet},
	Timeout:      {http.StatusGatewayTimeout, ExitNotMet},
	Cancelled:    {499, ExitInterrupted},
	Busy:         {http.StatusTooManyRequests, ExitRefused},
	StoreFailed:  {http.StatusInternalServerError, ExitRefused},
	StoreNewer:   {http.StatusInternalServerError, ExitRefused},
	NotYet:       {http.StatusNotImplemented, ExitRefused},
	Internal:     {http.StatusInternalServerError, ExitUnreachable},
	Unreachable:  {http.StatusBadGateway, ExitUnreachable},
}

// FateOf gives the HTTP status and exit status of a code.
func FateOf(c Code) Fate {
	if f, ok := fates[c]; ok {
		return f
	}
	return Fate{http.StatusConflict, ExitRefused}
}
