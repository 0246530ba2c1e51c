package provider

import (
	"regexp"
	"strings"

	"vibespace/internal/api"
)

// The names of the backends that work.
const (
	Chromium   = "chromium"
	CDP        = "cdp"
	DesktopApp = "desktop-app"
)

// The values of the cells that are words.
const (
	InPlace    = "in-place"    // a profile can be switched to it as it is
	ExportOnly = "export-only" // what it keeps can be taken along, its directory cannot
	No         = "no"

	KeyNone  = "none"
	KeyLocal = "local-only" // its key stays on the machine it was given on

	LeaseTab    = "tab"
	LeaseWindow = "window-target"
)

// vendorName is what may follow cloud: it stands in answers and in the store.
var vendorName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// cloud begins the name of a cloud backend: what follows names the vendor.
const cloud = "cloud:"

// row is one backend: its cells, and how it is refused where it cannot be used.
type row struct {
	cells api.Backend
	// needs are programs of which one has to be here; none is nothing.
	needs []string
	// refused is why it cannot be used anywhere yet, nil for one that works.
	refused *api.Error
}

// rows is the ladder, the first choice first.
var rows = []row{
	{
		cells: api.Backend{
			Name: Chromium, Tier: 1, About: "our own Chromium, driven over CDP",
			Starts: true, Headed: true, CDP: true, PinTab: true, OwnsDir: true, SwitchTo: InPlace, KeyScope: KeyNone, Lease: LeaseTab,
		},
		needs: chromiums,
	},
	{
		cells: api.Backend{
			Name: CDP, Tier: 1, About: "somebody else's browser, by the address of its CDP endpoint",
			CDP: true, PinTab: true, SwitchTo: No, KeyScope: KeyNone, Lease: LeaseTab,
		},
	},
	{
		cells: api.Backend{
			Name: "cloak", Tier: 2, About: "a browser that shows another machine's fingerprint, driven over CDP",
			Starts: true, Headed: true, CDP: true, PinTab: true, OwnsDir: true, SwitchTo: InPlace, KeyScope: KeyLocal, Lease: LeaseTab,
			Consent: "the person switches it on, for one profile at a time",
		},
		refused: api.Refuse(api.BackendUnavailable, "the cloak backend is not part of this build").
			WithHint("for a site with an account let the person log in: vibespace-browser watch; or --backend desktop-app"),
	},
	{
		cells: api.Backend{
			Name: cloud + "<name>", Tier: 2, About: "a vendor's browser on the vendor's machines, driven over CDP",
			Starts: true, CDP: true, PinTab: true, SwitchTo: ExportOnly, KeyScope: KeyLocal, Lease: LeaseTab,
			Consent: "the person gives the vendor's key: pages and logins leave this machine",
		},
		refused: api.Refuse(api.BackendNoKey, "a cloud backend wants its vendor's key, and none is configured").
			WithHint("ask the person for a key of that vendor; --backend chromium or desktop-app needs none"),
	},
	{
		cells: api.Backend{
			Name: "extension", Tier: 1, About: "the person's own Chromium, tab by tab, through an extension they install",
			Headed: true, CDP: true, PinTab: true, SwitchTo: No, KeyScope: KeyNone, Lease: LeaseTab,
			Consent: "the person allows each tab",
		},
		refused: api.Refuse(api.BackendUnavailable, "there is no extension to install yet").
			WithHint("the person can open the page in a window and share it: vibespace launch chromium --url U --with session:<label>"),
	},
	{
		cells: api.Backend{
			Name: DesktopApp, Tier: 3, About: "a real browser on a display of its own, without CDP and without an automation flag; no egress policy here",
			Starts: true, Headed: true, OwnsDir: true, SwitchTo: No, KeyScope: KeyNone, Lease: LeaseWindow,
		},
		needs: append(append([]string(nil), chromiums...), firefoxes...),
	},
	{
		cells: api.Backend{
			Name: "local-window", Tier: 3, About: "a window of the person's own desktop, with their logins in it",
			Headed: true, SwitchTo: No, KeyScope: KeyNone, Lease: LeaseWindow,
			Consent: "the person opts in and marks the window",
		},
		refused: api.Refuse(api.BackendUnavailable, "windows of the person's own desktop cannot be reached yet").
			WithHint("vibespace-browser new <label> --backend desktop-app opens a real browser on a display of its own"),
	},
}

// chromiums and firefoxes are the two families that have an accessibility
// switch, by the names of their programs, the first choice first.
var (
	chromiums = []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
		"microsoft-edge-stable", "vivaldi-stable", "vivaldi", "ungoogled-chromium",
	}
	firefoxes = []string{"firefox-esr", "firefox", "librewolf", "waterfox"}
)

// Chromiums gives the names that Chromium goes by, the first choice first.
func Chromiums() []string { return append([]string(nil), chromiums...) }

// find gives the row of a backend, with its vendor's name in it where it has
// one.
func find(name string) (row, bool) {
	vendor, isCloud := strings.CutPrefix(name, cloud)
	for _, r := range rows {
		switch {
		case r.cells.Name == name:
			return r, true
		case isCloud && vendorName.MatchString(vendor) && strings.HasPrefix(r.cells.Name, cloud):
			r.cells.Name = name
			return r, true
		}
	}
	return row{}, false
}
