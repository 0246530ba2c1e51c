package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// registryRoot is the object whose children are the registered applications.
var registryRoot = Ref{Bus: registryName, Path: rootPath}

// rootPath is where every application keeps its root object.
const rootPath = "/org/a11y/atspi/accessible/root"

// appsBound is how long an application may take to say who it is. One that
// hangs costs every caller of Apps that long, so it is shorter than a call's.
const appsBound = time.Second

// maxApps bounds the registrations looked at; a display has a handful.
const maxApps = 1000

// Apps lists all registrations of the bus in the order the registry has them,
// the empty ones too. An application that does not answer is listed with what
// the bus knows of it and Silent set. It takes one round trip and one call's
// time at most.
func (c *Conn) Apps(ctx context.Context) ([]App, error) {
	b := Budget{}.orDefault(c.bound)
	b.Call = min(b.Call, appsBound)
	f := c.newFlight(b)
	var refs []Ref
	var fault error
	f.ask(request{ref: registryRoot, method: getChildren, take: func(r reply) { refs, fault = r.refs(maxApps) }})
	if err := f.run(ctx); err != nil && fault == nil {
		fault = err
	}
	if errors.Is(fault, ErrGone) {
		return []App{}, nil // the first application to come starts the registry
	}
	if fault != nil {
		return nil, fmt.Errorf("list applications: %w", fault)
	}
	found := make([]probe, 0, len(refs))
	for _, ref := range refs {
		if uniqueName(ref.Bus) {
			found = append(found, probe{app: App{Root: ref}})
		}
	}
	for i := range found {
		found[i].ask(f)
	}
	if err := f.run(ctx); err != nil && !errors.Is(err, ErrNoReply) {
		return nil, fmt.Errorf("list applications: %w", err)
	}
	apps := make([]App, 0, len(found))
	for _, p := range found {
		if !p.gone {
			apps = append(apps, p.app)
		}
	}
	return apps, nil
}

// probe collects what Apps says of one registration.
type probe struct {
	app  App
	gone bool
}

// ask asks the application who it is and the bus whose process that is.
func (p *probe) ask(f *flight) {
	text := func(into *string) func(reply) {
		return func(r reply) {
			s, err := r.textIn()
			p.note(err)
			*into = short(s, 200)
		}
	}
	root := p.app.Root
	f.ask(request{ref: root, method: getProperty, args: nameArgs, take: text(&p.app.Name)})
	f.ask(request{ref: root, method: getProperty, args: toolkitArgs, take: text(&p.app.Toolkit)})
	f.ask(request{ref: root, method: getProperty, args: versionArgs, take: text(&p.app.Version)})
	f.ask(request{ref: root, method: getProperty, args: childCountArgs, take: func(r reply) {
		n, err := r.numberIn()
		p.note(err)
		p.app.Children = max(n, 0)
	}})
	bus := Ref{Bus: busName, Path: busPath}
	f.ask(request{ref: bus, method: getProcessID, args: stringArgs(root.Bus), take: func(r reply) {
		if r.err == nil {
			p.app.PID = int(r.uint32())
		}
	}})
}

// note remembers what a failed call says of the application.
func (p *probe) note(err error) {
	switch {
	case errors.Is(err, ErrNoReply):
		p.app.Silent = true
	case errors.Is(err, ErrGone):
		p.gone = true
	}
}

// App describes one registration anew. [ErrGone] says that it left the bus,
// [ErrNoReply] that it does not answer.
func (c *Conn) App(ctx context.Context, root Ref) (App, error) {
	if !uniqueName(root.Bus) {
		return App{}, fmt.Errorf("application %s: %w", clean(root.Bus), ErrMalformed)
	}
	b := Budget{}.orDefault(c.bound)
	b.Call = min(b.Call, appsBound)
	f := c.newFlight(b)
	p := probe{app: App{Root: root}}
	p.ask(f)
	err := f.run(ctx)
	switch {
	case p.gone:
		err = ErrGone
	case p.app.Silent:
		err = ErrNoReply
	}
	if err != nil {
		return p.app, fmt.Errorf("application %s: %w", root.Bus, err)
	}
	return p.app, nil
}

// family is a group of toolkits that answer alike.
type family int

const (
	familyOther family = iota
	familyGTK3
	familyGTK4
	familyQt
	familyBrowser
)

// family tells by the toolkit's own name. GTK 3 and before call themselves
// "gtk", GTK 4 calls itself "GTK".
func (a App) family() family {
	switch {
	case a.Toolkit == "GTK":
		return familyGTK4
	case a.Toolkit == "gtk":
		return familyGTK3
	case strings.HasPrefix(strings.ToLower(a.Toolkit), "qt"):
		return familyQt
	case a.Toolkit == "Gecko", a.Toolkit == "Chromium", a.Toolkit == "WebKitGTK":
		return familyBrowser
	}
	return familyOther
}
