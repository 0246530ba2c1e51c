package api

import "net/http"

// Code is the stable name of a refusal. The set is closed: docs/api.md and
// every client rely on it to the letter.
type Code string

// The refusal codes, grouped as the contract groups them.
const (
	// Identity.
	NoSession  Code = "no_session"
	BadSession Code = "bad_session"
	OwnerOnly  Code = "owner_only"

	// Reach and lease.
	NotExposed      Code = "not_exposed"
	NotAttached     Code = "not_attached"
	Held            Code = "held"
	WindowPaused    Code = "window_paused"
	TakeoverHeld    Code = "takeover_held"
	ReachUnreadable Code = "reach_unreadable"
	ModePixels      Code = "mode_pixels"

	// Where a point would land.
	WindowNotVisible Code = "window_not_visible"
	OutsideWindow    Code = "outside_window"
	Occluded         Code = "occluded"

	// Refs and nodes.
	StaleRef        Code = "stale_ref"
	UnknownRef      Code = "unknown_ref"
	NoAction        Code = "no_action"
	NotEditable     Code = "not_editable"
	CannotSet       Code = "cannot_set"
	Disabled        Code = "disabled"
	AmbiguousAction Code = "ambiguous_action"
	SingleLine      Code = "single_line"

	// Roads.
	NoInjection Code = "no_injection"
	NoTree      Code = "no_tree"

	// Lifecycle.
	AppNotFound   Code = "app_not_found"
	AppExited     Code = "app_exited"
	StartFailed   Code = "start_failed"
	NotResponding Code = "not_responding"
	DisplayCap    Code = "display_cap"
	DesktopAppCap Code = "desktop_app_cap"
	NotLive       Code = "not_live"

	// Arguments.
	BadSize         Code = "bad_size"
	SizeOutOfBounds Code = "size_out_of_bounds"
	BadMode         Code = "bad_mode"
	BadKey          Code = "bad_key"
	BadPoint        Code = "bad_point"
	TextTooLong     Code = "text_too_long"
	ControlChar     Code = "control_char"
	SizeNotHonoured Code = "size_not_honoured"
	BadRequest      Code = "bad_request"

	// The desktop-app rung.
	NotYourWindow         Code = "not_your_window"
	NotYourBrowser        Code = "not_your_browser"
	BrowserIsHuman        Code = "browser_is_human"
	NoCDPOnThisBackend    Code = "no_cdp_on_this_backend"
	DesktopAppOnly        Code = "desktop_app_only"
	DesktopAppLacks       Code = "desktop_app_lacks"
	DesktopAppNotAProfile Code = "desktop_app_not_a_profile"

	// The CDP rung.
	ProfileRequired    Code = "profile_required"
	ProfileChanged     Code = "profile_changed"
	ProfileInUse       Code = "profile_in_use"
	TabGone            Code = "tab_gone"
	NotYourTab         Code = "not_your_tab"
	TabInBatch         Code = "tab_in_batch"
	TabsUnreadable     Code = "tabs_unreadable"
	NotOwner           Code = "not_owner"
	AdoptNotYours      Code = "adopt_not_yours"
	BrowserPaused      Code = "browser_paused"
	BrowserInterrupted Code = "browser_interrupted"
	BrowserStopped     Code = "browser_stopped"
	BrowserCap         Code = "browser_cap"
	MethodRefused      Code = "method_refused"
	DialogOpen         Code = "dialog_open"
	NavigationBlocked  Code = "navigation_blocked"
	SensitiveField     Code = "sensitive_field"
	DownloadBlocked    Code = "download_blocked"
	PageCrashed        Code = "page_crashed"

	// The ladder.
	BackendUnavailable    Code = "backend_unavailable"
	BackendNoKey          Code = "backend_no_key"
	BackendSeatTaken      Code = "backend_seat_taken"
	ProviderNeedsLocalKey Code = "provider_needs_local_key"
	ProviderLocalOnly     Code = "provider_local_only"
	DowngradeRefused      Code = "downgrade_refused"
	CannotSwitch          Code = "cannot_switch"

	// General.
	ExpectFailed Code = "expect_failed"
	Timeout      Code = "timeout"
	Cancelled    Code = "cancelled"
	Busy         Code = "busy"
	TooLarge     Code = "too_large"
	StoreFailed  Code = "store_failed"
	StoreNewer   Code = "store_newer"
	NotYet       Code = "not_yet"

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
