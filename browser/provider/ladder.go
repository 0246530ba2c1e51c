package provider

import (
	"fmt"
	"strings"

	"vibespace/internal/api"
)

// Ladder is the rows as they stand on this machine.
type Ladder struct {
	// Look finds a program by its name; it says why there is none.
	Look func(name string) (path string, err error)
}

// All gives every row in order, with whether it can be used here.
func (l Ladder) All() []api.Backend {
	list := make([]api.Backend, 0, len(rows))
	for _, r := range rows {
		list = append(list, l.stand(r))
	}
	return list
}

// Row gives one backend's row; a name that is none is bad_request.
func (l Ladder) Row(name string) (api.Backend, error) {
	r, ok := find(name)
	if !ok {
		return api.Backend{}, unknown(name)
	}
	return l.stand(r), nil
}

// Use gives the row of a backend that can be used here, or the refusal that
// says what to do instead.
func (l Ladder) Use(name string) (api.Backend, error) {
	b, err := l.Row(name)
	if err != nil {
		return api.Backend{}, err
	}
	if !b.Available {
		return api.Backend{}, api.Refuse(b.Code, "%s: %s", b.Name, b.Why).WithHint("%s", b.Hint).With("backend", b)
	}
	return b, nil
}

// stand says whether a row can be used here.
func (l Ladder) stand(r row) api.Backend {
	b := r.cells
	if r.refused != nil {
		b.Code, b.Why, b.Hint = r.refused.Code, r.refused.Message, r.refused.Hint
		return b
	}
	if len(r.needs) == 0 {
		b.Available, b.Why = true, "nothing has to be here for it"
		return b
	}
	for _, name := range r.needs {
		if path, err := l.Look(name); err == nil {
			b.Available, b.Why = true, path
			return b
		}
	}
	b.Code, b.Why = api.BackendUnavailable, "none of "+strings.Join(r.needs[:min(3, len(r.needs))], ", ")+" … is installed here"
	b.Hint = "install " + r.needs[0] + "; vibespace doctor names what is missing"
	return b
}

// unknown refuses a backend that is no row.
func unknown(name string) error {
	names := make([]string, 0, len(rows))
	for _, r := range rows {
		names = append(names, r.cells.Name)
	}
	return api.Refuse(api.BadRequest, "%s is no backend", api.Quote(name, 60)).WithHint("one of %s", strings.Join(names, ", "))
}

// TierOf gives the tier a claim means: the backend's own where one is named,
// else the tier said, 0 for none. A claim that says both would keep one fact
// twice and is refused.
func TierOf(backend string, tier int) (int, error) {
	if backend != "" {
		r, ok := find(backend)
		switch {
		case !ok:
			return 0, unknown(backend)
		case tier != 0:
			return 0, api.Refuse(api.BadRequest, "a tier is said only while no backend is: %s is of tier %d", r.cells.Name, r.cells.Tier).
				WithHint("--tier or --backend, not both")
		}
		return r.cells.Tier, nil
	}
	if tier < 0 || tier > 3 {
		return 0, api.Refuse(api.BadRequest, "there is no tier %d", tier).WithHint("1, 2 or 3")
	}
	return tier, nil
}

// Suggestion words a claim: what somebody said, never what was found out.
func Suggestion(host, backend string, tier int, by api.SessionID) string {
	what := "suggests nothing yet"
	switch {
	case backend != "":
		what = "suggests the backend " + backend
	case tier > 0:
		what = fmt.Sprintf("suggests tier %d", tier)
	}
	return fmt.Sprintf("%s says that %s keeps automation out and %s; nothing was switched", by, api.Quote(host, 120), what)
}

// Program is a browser found on this machine for the desktop-app rung.
type Program struct {
	Name string // the executable's base name
	// Accessible says whether it has an accessibility switch that we know.
	Accessible bool
	// Why says it in a sentence.
	Why string
}

// Desktop chooses the browser of the desktop-app rung: the one named, or
// Chromium, else Firefox. One that belongs to neither family is opened too; its
// tree is not known to exist.
func (l Ladder) Desktop(named string) (Program, error) {
	if named != "" {
		if strings.ContainsAny(named, "/\x00") {
			return Program{}, api.Refuse(api.BadRequest, "%s is no name of a browser", api.Quote(named, 60)).WithHint("--browser chromium, or firefox-esr")
		}
		if _, err := l.Look(named); err != nil {
			return Program{}, api.Refuse(api.AppNotFound, "%s is not installed here", api.Quote(named, 60)).
				WithHint("leave --browser out for Chromium, else Firefox")
		}
		return program(named), nil
	}
	for _, name := range append(Chromiums(), firefoxes...) {
		if _, err := l.Look(name); err == nil {
			return program(name), nil
		}
	}
	_, err := l.Use(DesktopApp)
	return Program{}, err
}

// program says what is known of a browser by its name.
func program(name string) Program {
	for _, family := range [][]string{chromiums, firefoxes} {
		for _, known := range family {
			if name == known {
				return Program{Name: name, Accessible: true, Why: "it is started with its accessibility switch on"}
			}
		}
	}
	return Program{Name: name, Why: name + " has no accessibility switch that is known: pixels, pinned to a size"}
}
