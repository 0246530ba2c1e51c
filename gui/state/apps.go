package state

import (
	"slices"
	"strings"

	"vibespace/internal/api"
)

// recentApps is how many applications are remembered as used last.
const recentApps = 6

// Search gives the applications whose name or command holds every word of a
// search, letter case aside: those whose name begins with it first.
func Search(apps []api.AppInfo, query string) []api.AppInfo {
	want := strings.Fields(strings.ToLower(query))
	var begins, rest []api.AppInfo
	for _, a := range apps {
		name := strings.ToLower(a.Name)
		text := name + " " + strings.ToLower(a.App)
		if slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if len(want) > 0 && strings.HasPrefix(name, want[0]) {
			begins = append(begins, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(begins, rest...)
}

// Used puts an application first among those used last.
func Used(recent []string, app string) []string {
	list := append([]string{app}, slices.DeleteFunc(slices.Clone(recent), func(a string) bool { return a == app })...)
	return list[:min(len(list), recentApps)]
}

// RecentApps gives the applications used last that are still there.
func RecentApps(apps []api.AppInfo, recent []string) []api.AppInfo {
	var list []api.AppInfo
	for _, r := range recent {
		if i := slices.IndexFunc(apps, func(a api.AppInfo) bool { return a.App == r }); i >= 0 {
			list = append(list, apps[i])
		}
	}
	return list
}

// Initial is the letter that stands for an application without an icon.
func Initial(a api.AppInfo) string {
	for _, r := range strings.TrimSpace(a.Name) {
		return strings.ToUpper(string(r))
	}
	return "?"
}
