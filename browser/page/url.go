package page

import (
	"net/url"
	"strconv"
	"strings"

	"vibespace/internal/api"
)

// maxURL bounds an address that is shown.
const maxURL = 500

// shownURL is an address without what may be a secret in it: the values of its
// query, its fragment, its user and password, and the body of a data: one.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable address)"
	}
	if u.Opaque != "" && u.Scheme != "about" {
		return u.Scheme + ":…"
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.RawQuery != "" {
		u.RawQuery = shownQuery(u.RawQuery)
	}
	shown := strings.ToValidUTF8(u.String(), "")
	if len(shown) > maxURL {
		shown = strings.ToValidUTF8(shown[:maxURL], "") + "…"
	}
	return shown
}

// shownQuery keeps the keys of a query.
func shownQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if key, _, ok := strings.Cut(part, "="); ok {
			parts[i] = key + "=…"
		} else {
			parts[i] = "…" // a bare word may be the secret itself
		}
	}
	return strings.Join(parts, "&")
}

// originOf is the scheme, host and effective port of an address, "null" for an
// opaque one.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "null"
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + strings.ToLower(host) + ":" + port
}

// mayOpen refuses every address that is not http, https or about:blank.
func mayOpen(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return api.Refuse(api.BadRequest, "%q is no address", address).WithHint("give a whole one: https://example.com/")
	case strings.EqualFold(u.String(), "about:blank"):
		return nil
	case u.Scheme == "":
		return api.Refuse(api.BadRequest, "%q has no scheme", address).WithHint("give a whole address: https://example.com/")
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return api.Refuse(api.NavigationBlocked, "%s: addresses are not opened", strings.ToLower(u.Scheme)).
			WithHint("http, https and about:blank are").With("scheme", strings.ToLower(u.Scheme))
	case u.Host == "":
		return api.Refuse(api.BadRequest, "%q has no host", address).WithHint("give a whole address: https://example.com/")
	case u.User != nil:
		return api.Refuse(api.NavigationBlocked, "an address with a user or password in it is not opened").
			WithHint("open it without; the person can sign in")
	}
	return nil
}

// tabID is "t3".
func tabID(n int) api.TabID { return api.TabID("t" + strconv.Itoa(n)) }

// tabNumber is the 3 of "t3".
func tabNumber(id api.TabID) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(string(id), "t")) // our own words
	return n
}
