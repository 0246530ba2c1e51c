package provider

import (
	"errors"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// here is a ladder on a machine that has the programs named.
func here(names ...string) Ladder {
	return Ladder{Look: func(name string) (string, error) {
		for _, n := range names {
			if n == name {
				return "/usr/bin/" + name, nil
			}
		}
		return "", errors.New("no such program")
	}}
}

// TestRows: every row says what it can do in words that mean something, and
// one that cannot be used says why and what to do instead.
func TestRows(t *testing.T) {
	words := map[string]bool{InPlace: true, ExportOnly: true, No: true}
	for _, l := range []Ladder{here("chromium", "firefox-esr"), here()} {
		for _, b := range l.All() {
			if b.Tier < 1 || b.Tier > 3 || b.About == "" || !words[b.SwitchTo] || b.Why == "" {
				t.Errorf("%+v", b)
			}
			if b.Available == (b.Code != "") || !b.Available && b.Hint == "" {
				t.Errorf("%s: available %v with %q and %q", b.Name, b.Available, b.Code, b.Hint)
			}
			if (b.Lease == LeaseTab) != b.CDP || (b.Tier == 3) == b.CDP {
				t.Errorf("%s: a tab is leased over CDP, a window without: %+v", b.Name, b)
			}
			if b.SwitchTo == InPlace && !b.OwnsDir {
				t.Errorf("%s: a directory that is not ours is not switched in place", b.Name)
			}
		}
	}
}

func TestUse(t *testing.T) {
	for backend, code := range map[string]api.Code{
		Chromium: "", DesktopApp: "", CDP: "", "cloak": api.BackendUnavailable, "cloud:vendor": api.BackendNoKey, "cloud:": api.BadRequest,
		"cloud:Vendor": api.BadRequest, "cloud:a b": api.BadRequest, "extension": api.BackendUnavailable, "local-window": api.BackendUnavailable, "": api.BadRequest,
	} {
		if b, err := here("chromium").Use(backend); api.CodeOf(err) != code || err == nil && b.Name != backend {
			t.Errorf("%q: %+v, %v; want %q", backend, b, err, code)
		}
	}
	if _, err := here().Use(Chromium); api.CodeOf(err) != api.BackendUnavailable {
		t.Errorf("without a Chromium: %v", err)
	}
}

func TestDesktop(t *testing.T) {
	for _, c := range []struct {
		l          Ladder
		named      string
		want       string
		accessible bool
		code       api.Code
	}{
		{here("chromium", "firefox-esr"), "", "chromium", true, ""},
		{here("firefox-esr"), "", "firefox-esr", true, ""},
		{here("chromium", "firefox-esr"), "firefox-esr", "firefox-esr", true, ""},
		{here("dillo"), "dillo", "dillo", false, ""},
		{here("dillo"), "", "", false, api.BackendUnavailable},
		{here(), "chromium", "", false, api.AppNotFound},
		{here("sh"), "/bin/sh", "", false, api.BadRequest},
	} {
		p, err := c.l.Desktop(c.named)
		if p.Name != c.want || p.Accessible != c.accessible || api.CodeOf(err) != c.code || err == nil && p.Why == "" {
			t.Errorf("%q: %+v, %v; want %+v", c.named, p, err, c)
		}
	}
}

// TestTier: a tier is said only while no backend is.
func TestTier(t *testing.T) {
	for _, c := range []struct {
		backend string
		tier    int
		want    int
		code    api.Code
	}{
		{"", 0, 0, ""},
		{"", 3, 3, ""},
		{"cloak", 0, 2, ""},
		{"cloak", 2, 0, api.BadRequest},
		{"", 4, 0, api.BadRequest},
		{"nothing", 0, 0, api.BadRequest},
	} {
		if got, err := TierOf(c.backend, c.tier); got != c.want || api.CodeOf(err) != c.code {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

// addresses are pages that may be opened, and what may not.
var addresses = map[string]bool{
	"https://shop.example/a?b=c#d": true, "http://127.0.0.1:8080": true, "HTTPS://shop.example": true, "http://[::1]:80/": true,
	"": false, "shop.example": false, "file:///etc/passwd": false, "chrome://settings": false, "javascript:alert(1)": false,
	"https://a@shop.example": false, "https://a:b@shop.example": false, "https://": false, "https:///path": false,
	"https://shop.example/a b": false, "https://shop.example/\n": false, "--flag": false, "https://%zz": false, "view-source:https://shop.example": false,
	"data:text/html,x": false, "about:config": false,
}

func TestAddress(t *testing.T) {
	for address, may := range addresses {
		if _, err := Address(address); (err == nil) != may || err != nil && api.CodeOf(err) != api.NavigationBlocked {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := Address("https://shop.example/" + strings.Repeat("a", maxURL)); err == nil {
		t.Error("an address without end is taken")
	}
}

// FuzzAddress: what is taken never begins like a flag and holds no secret for
// the login.
func FuzzAddress(f *testing.F) {
	for address := range addresses {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := Address(address)
		if err != nil {
			return
		}
		if u.User != nil || u.Host == "" || !strings.HasPrefix(strings.ToLower(address), "http") {
			t.Errorf("%q is taken as %v", address, u)
		}
	})
}
