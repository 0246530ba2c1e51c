package target

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vibespace/internal/api"
)

// machineNeeds are the programs without which no display starts.
var machineNeeds = []string{"Xvfb", "dbus-daemon"}

// Probe tries which roads exist: here, or to one window.
func (e *Engine) Probe(ctx context.Context, c api.Caller, r api.ProbeRequest) (api.ProbeAnswer, error) {
	if r.Handle == "" {
		return api.ProbeAnswer{Answer: e.answer(c), Roads: e.machine()}, nil
	}
	return doing(ctx, e, c, r.Handle, "probe", needReach|needLive, func(ctx context.Context, t *turn) (api.ProbeAnswer, error) {
		return api.ProbeAnswer{Answer: e.answer(c), Handle: t.w.handle, Roads: t.roads(ctx)}, nil
	})
}

// machine says what this machine could do for any window.
func (e *Engine) machine() api.Roads {
	roads := api.Roads{}
	var lacks []string
	for _, name := range machineNeeds {
		if _, err := lookPath(name); err != nil {
			lacks = append(lacks, name)
		}
	}
	display := api.Road{OK: len(lacks) == 0, Why: "a display can be started: " + strings.Join(machineNeeds, " and ") + " are here"}
	if !display.OK {
		display.Why = "no display can be started: " + strings.Join(lacks, " and ") + " missing"
	}
	roads.Capture = display
	roads.Tree = e.accessProbe(display)
	roads.Inject = display
	if display.OK {
		roads.Inject.Why = "XTEST, on displays of our own"
		if !e.cfg.Inject {
			roads.Inject = api.Road{Why: "injection is switched off by configuration"}
		}
	}
	n := len(e.catalog.visible()) + len(e.cfg.Apps)
	roads.Apps = api.Road{OK: n > 0, Why: fmt.Sprintf("%d applications can be opened by name", n)}
	return roads
}

// accessLaunchers are where Debian and others put the accessibility bus.
var accessLaunchers = []string{"/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher", "/usr/lib/at-spi-bus-launcher"}

// accessProbe says whether trees can be read here.
func (e *Engine) accessProbe(display api.Road) api.Road {
	if !display.OK {
		return display
	}
	for _, path := range accessLaunchers {
		if executable(path) == nil {
			return api.Road{OK: true, Why: "AT-SPI2 through " + path}
		}
	}
	return api.Road{Why: "at-spi-bus-launcher is missing: install at-spi2-core"}
}

// probeBound is how long an X server is waited for: it answers in a millisecond.
const probeBound = time.Second

// silent says that the window's X server does not answer; "" when it does. Without
// it nothing can be pressed and no picture taken, whatever could be before.
func (t *turn) silent(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, probeBound)
	defer cancel()
	if err := t.d.X().Sync(ctx); err != nil {
		return "the display's X server does not answer"
	}
	return ""
}

// roads tries every road to one window.
func (t *turn) roads(ctx context.Context) api.Roads {
	found := t.e.resolveMode(ctx, t.w, t.d)
	roads := api.Roads{Tree: api.Road{OK: found.mode == "tree", Why: found.why}, Apps: t.e.machine().Apps}
	if why := t.silent(ctx); why != "" {
		roads.Inject, roads.Capture = api.Road{Why: why}, api.Road{Why: why}
		return roads
	}
	roads.Inject = api.Road{OK: true, Why: "XTEST answers"}
	if err := t.e.injects(t.d); err != nil {
		_, why := t.d.Injector()
		roads.Inject = api.Road{Why: why}
	}
	s, err := t.w.look(ctx, t.d)
	switch {
	case err != nil:
		roads.Capture = api.Road{Why: short(err)}
	case s.main == nil:
		roads.Capture = api.Road{Why: "the window is not drawn"}
	default:
		_, how, err := t.d.X().Capture(ctx, s.main.ID)
		roads.Capture = api.Road{OK: err == nil, Why: fmt.Sprintf("Composite pixmap by %s", how)}
		if err != nil {
			roads.Capture.Why = short(err)
		}
	}
	return roads
}
