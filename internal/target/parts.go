package target

import (
	"context"
	"sort"
	"strings"

	"vibespace/internal/api"
	"vibespace/internal/display"
	"vibespace/x11"
)

// part is one X window of a target as it is now.
type part struct {
	x11.Window
	n    int
	kind string // main, dialog, popup
}

// scene is the windows of a target at one moment, bottom to top. Points and
// rectangles of a window are root pixels; the main window's corner is where
// window coordinates begin.
type scene struct {
	parts []part
	main  *part
}

// origin is the root pixel of window coordinate (0,0).
func (s scene) origin() api.Point {
	if s.main == nil {
		return api.Point{}
	}
	return api.Point{X: s.main.Geometry.X, Y: s.main.Geometry.Y}
}

// size is the main window's.
func (s scene) size() api.Size {
	if s.main == nil {
		return api.Size{}
	}
	return api.Size{W: s.main.Geometry.W, H: s.main.Geometry.H}
}

// local gives a root rectangle in window coordinates.
func (s scene) local(r x11.Rect) api.Rect {
	o := s.origin()
	return api.Rect{X: r.X - o.X, Y: r.Y - o.Y, W: r.W, H: r.H}
}

// byN finds the part of a number.
func (s scene) byN(n int) *part {
	for i := range s.parts {
		if s.parts[i].n == n {
			return &s.parts[i]
		}
	}
	return nil
}

// byID finds the part of an X window.
func (s scene) byID(id x11.WindowID) *part {
	for i := range s.parts {
		if s.parts[i].ID == id {
			return &s.parts[i]
		}
	}
	return nil
}

// list is the parts as answers show them, by number.
func (s scene) list() []api.Part {
	parts := make([]api.Part, 0, len(s.parts))
	for _, p := range s.parts {
		parts = append(parts, api.Part{N: p.n, Kind: p.kind, Title: p.Title, Bounds: s.local(p.Geometry)})
	}
	sort.Slice(parts, func(i, j int) bool { return parts[i].N < parts[j].N })
	return parts
}

// look reads the windows of a target. The first top level that an application
// maps is its main window; when that goes and others stay, the largest that
// belongs to no other takes its place.
func (w *window) look(ctx context.Context, d *display.Display) (scene, error) {
	tops, err := d.X().TopLevels(ctx)
	if err != nil {
		return scene{}, w.fault(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var s scene
	for _, t := range tops {
		if t.Viewable && !t.InputOnly && !hairline(t.Geometry) {
			s.parts = append(s.parts, part{Window: t})
		}
	}
	w.chooseMainLocked(s.parts)
	for i := range s.parts {
		p := &s.parts[i]
		p.kind = kindOf(p.Window, w.main)
		p.n = w.numberLocked(p.ID)
		if p.ID == w.main {
			s.main = p
		}
	}
	return s, nil
}

// hairline is a window nobody can see: toolkits keep some for their own ends.
func hairline(r x11.Rect) bool { return r.W <= 1 || r.H <= 1 }

// numberLocked gives a part its number: 0 is the main window's, whichever that
// is, and no other number is given twice.
func (w *window) numberLocked(id x11.WindowID) int {
	if id == w.main {
		return 0
	}
	n, ok := w.parts[id]
	if !ok {
		w.nextN++
		n = w.nextN
		w.parts[id] = n
	}
	return n
}

// chooseMainLocked keeps the main window while it is there.
func (w *window) chooseMainLocked(parts []part) {
	var best *part
	for i := range parts {
		p := &parts[i]
		if p.ID == w.main {
			return
		}
		if p.OverrideRedirect {
			continue
		}
		if best == nil || better(p, best) {
			best = p
		}
	}
	if best != nil {
		w.main = best.ID
	}
}

// better prefers a window of its own to one that belongs to another, and the
// larger of two alike.
func better(a, b *part) bool {
	if at, bt := a.TransientFor != 0, b.TransientFor != 0; at != bt {
		return bt
	}
	return a.Geometry.W*a.Geometry.H > b.Geometry.W*b.Geometry.H
}

// kindOf says what a window is to its target.
func kindOf(t x11.Window, main x11.WindowID) string {
	switch {
	case t.ID == main:
		return "main"
	case t.OverrideRedirect:
		return "popup"
	}
	for _, kind := range t.Type {
		if strings.Contains(kind, "MENU") || strings.Contains(kind, "TOOLTIP") || strings.Contains(kind, "COMBO") {
			return "popup"
		}
	}
	return "dialog"
}
