package provider

import (
	"net/url"
	"strings"

	"vibespace/internal/api"
)

// maxURL bounds an address: what browsers themselves take is not much longer.
const maxURL = 8192

// Address checks the address of a page that may be opened: http or https, a
// host, no user name or password, which would stand in a command line that any
// process may read.
func Address(s string) (*url.URL, error) {
	refused := func(format string, args ...any) *api.Error {
		return api.Refuse(api.NavigationBlocked, format, args...).WithHint("an address is https://host/path")
	}
	if len(s) > maxURL {
		return nil, refused("an address of %d bytes is too long: %d at most", len(s), maxURL)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, refused("the address holds a space or a control character")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, refused("the address cannot be read")
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	case "":
		return nil, refused("%s has no scheme", api.Quote(bare(u), 80))
	default:
		return nil, refused("%s: pages are opened, and other addresses are not", api.Quote(u.Scheme, 30))
	}
	if u.User != nil {
		return nil, refused("the address holds a user name or a password").
			WithHint("leave them out, and log in on the page")
	}
	if u.Hostname() == "" {
		return nil, refused("the address has no host")
	}
	return u, nil
}

// bare is an address without what may be secret in it.
func bare(u *url.URL) string {
	short := *u
	short.User, short.RawQuery, short.Fragment = nil, "", ""
	return short.String()
}
