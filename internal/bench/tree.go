package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"vibespace/internal/api"
)

// walker is the peer of reading a tree.
//
//go:embed peers/libatspi_walk.py
var walker []byte

// systemPython is the interpreter that has Debian's bindings.
const systemPython = "/usr/bin/python3"

// treeApps are whose trees are read: each toolkit, and a browser, which the
// person launches.
var treeApps = []struct {
	app     string
	browser bool
}{
	{"gtk3-widget-factory", false},
	{"mousepad", false},
	{"gtk4-widget-factory", false},
	{"featherpad", false},
	{"firefox-esr", true},
	{"chromium", true},
}

// snapshots measures reading trees against libatspi on the same windows.
func snapshots(ctx context.Context, r *rig) error {
	script := filepath.Join(r.dir, "libatspi_walk.py")
	if err := os.WriteFile(script, walker, 0o600); err != nil {
		return err
	}
	for _, a := range treeApps {
		start := r.open
		request := api.OpenRequest{App: a.app}
		if a.browser {
			start = r.launch
			page, err := r.page()
			if err != nil {
				return err
			}
			request.URL = page
		}
		w, err := start(ctx, request)
		if err != nil {
			return err
		}
		err = snapshotsOf(ctx, r, w, a.app, script)
		r.stop(w)
		if err != nil {
			return fmt.Errorf("%s: %w", a.app, err)
		}
	}
	return nil
}

// page writes a small page for the browser.
func (r *rig) page() (url string, err error) {
	path := filepath.Join(r.dir, "page.html")
	var body string
	for i := range 40 {
		body += fmt.Sprintf("<p><label>Field %d <input></label> <button>Button %d</button></p>\n", i, i)
	}
	return "file://" + path, os.WriteFile(path, []byte("<!doctype html><title>Bench</title>\n"+body), 0o600)
}

// walked is what the peer prints.
type walked struct {
	MS      float64 `json:"ms"`
	AgainMS float64 `json:"againMs"`
	Nodes   int     `json:"nodes"`
	Errors  int     `json:"errors"`
}

// reading is one way of taking a snapshot.
type reading struct {
	bench   string
	request api.SnapshotRequest
	ours    series
}

// snapshotsOf measures one application. A cold snapshot reads everything anew,
// as the first one does.
func snapshotsOf(ctx context.Context, r *rig, w opened, app, script string) error {
	cold := reading{bench: "snapshot.cold", request: api.SnapshotRequest{Handle: w.Handle, Fresh: true}}
	again := reading{bench: "snapshot.again", request: api.SnapshotRequest{Handle: w.Handle}}
	whole := reading{bench: "snapshot.all", request: api.SnapshotRequest{Handle: w.Handle, Fresh: true, All: true, Depth: 100, MaxNodes: 5000}}
	var first, second series
	nodes, theirNodes := 0, 0
	for range r.rounds {
		for _, kind := range []*reading{&cold, &again, &whole} {
			snapshot, took, err := r.snapshot(ctx, kind.request)
			if err != nil {
				return err
			}
			if kind == &cold && snapshot.Source == "resident" {
				return fmt.Errorf("a fresh snapshot was %s: that is not cold", snapshot.Source)
			}
			kind.ours = append(kind.ours, took)
			nodes = snapshot.Census.Nodes
		}
		theirs, err := walk(ctx, w, script)
		if err != nil {
			return err
		}
		first, second = append(first, theirs.MS), append(second, theirs.AgainMS)
		theirNodes = theirs.Nodes
	}
	fmt.Fprintf(r.words, "bench: %s has %d nodes; libatspi walked %d\n", app, nodes, theirNodes)
	// The two sides must have read the same window.
	if theirNodes < nodes*8/10 {
		return fmt.Errorf("libatspi walked %d of %d nodes: no comparison", theirNodes, nodes)
	}
	for _, result := range []Result{
		compare(cold.bench, app, "ms", cold.ours, "libatspi", first),
		compare(again.bench, app, "ms", again.ours, "libatspi", second),
		compare(whole.bench, app, "ms", whole.ours, "libatspi", first),
	} {
		if err := r.tell(result); err != nil {
			return err
		}
	}
	return nil
}

// snapshot takes one and gives its milliseconds.
func (r *rig) snapshot(ctx context.Context, request api.SnapshotRequest) (snapshot api.Snapshot, took float64, err error) {
	took, err = clocked(func() (err error) {
		snapshot, err = r.agent.Snapshot(ctx, request)
		return err
	})
	return snapshot, took, err
}

// walk runs the peer in a process of its own, whose cache is empty.
func walk(ctx context.Context, w opened, script string) (walked, error) {
	out, _, err := w.peer(ctx, systemPython, script, strconv.Itoa(w.PID))
	if err != nil {
		return walked{}, err
	}
	var result walked
	if err := json.Unmarshal(out, &result); err != nil {
		return walked{}, fmt.Errorf("libatspi walk: %w", err)
	}
	if result.Nodes == 0 {
		return walked{}, fmt.Errorf("libatspi found no application with pid %d", w.PID)
	}
	return result, nil
}
