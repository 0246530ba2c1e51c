package atspi

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vibespace/internal/need"
)

// browserPatience is how long a browser may take to show a page: it is a minute of
// work for a machine that does ten other things.
const browserPatience = 4 * time.Minute

// program is a real application of the tests.
type program struct {
	name  string // also its name on the bus
	start func(t testing.TB, d *desk)
}

// page is what the browsers show.
const page = `<!doctype html><meta charset=utf-8><title>Small page</title><h1>Heading</h1>
<p>Some text with <a href="#x">a link</a>.</p>
<form><label>Name <input id=n value="abc"></label><label>Secret <input type=password value="hunter2"></label>
<button type=button onclick="document.title='clicked'">Press me</button>
<select><option>One<option>Two</select><input type=checkbox checked aria-label="Tick"> <input type=range min=0 max=10 value=3 aria-label="Range"></form>
<ul><li>a<li>b</ul><table><tr><th>H<td>1<tr><th>G<td>2</table>`

func (d *desk) page() string {
	file := filepath.Join(d.dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return "file://" + file
}

// The programs, each with the arguments it needs on a bare display.
var (
	gtk3Factory = program{"gtk3-widget-factory", func(t testing.TB, d *desk) { d.start(nil, need.WidgetFactory3(t)) }}
	gtk4Factory = program{"gtk4-widget-factory", func(t testing.TB, d *desk) { d.start(nil, need.WidgetFactory4(t)) }}
	mousepad    = program{"mousepad", func(t testing.TB, d *desk) { d.start(nil, need.Mousepad(t)) }}
	featherpad  = program{"FeatherPad", func(t testing.TB, d *desk) { d.start(nil, need.Featherpad(t)) }}
	firefox     = program{"Firefox", func(t testing.TB, d *desk) {
		profile := filepath.Join(d.dir, "profile")
		if err := os.MkdirAll(profile, 0o700); err != nil {
			t.Fatal(err)
		}
		d.start(nil, need.Firefox(t), "--no-remote", "--profile", profile, d.page())
	}}
	chromium = program{"Chromium", func(t testing.TB, d *desk) {
		scale := "1"
		if slices.Contains(d.more, "CHROMIUM_SCALE=2") {
			scale = "2"
		}
		d.start(nil, need.Chromium(t), "--no-sandbox", "--force-device-scale-factor="+scale, "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-quic", "--disable-gpu",
			"--user-data-dir="+filepath.Join(d.dir, "profile"), "--force-renderer-accessibility", d.page())
	}}
)

// launch starts a program and waits until its tree is there and stays the same
// size for a moment: programs build their windows for a while.
func (d *desk) launch(p program) App {
	d.t.Helper()
	p.start(d.t, d)
	var app App
	size, since := -1, time.Now()
	d.until(p.name+" on the bus", browserPatience, func() bool {
		var ok bool
		if app, ok = d.app(p.name); !ok {
			return false
		}
		tree, err := d.conn.Read(context.Background(), app, patient)
		if err != nil {
			return false
		}
		if len(tree.Nodes) != size {
			size, since = len(tree.Nodes), time.Now()
		}
		return size > 40 && time.Since(since) > 1500*time.Millisecond
	})
	return app
}

// app finds an application of the bus by its name.
func (d *desk) app(name string) (App, bool) {
	apps, err := d.conn.Apps(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	for _, app := range apps {
		if app.Name == name && app.Children > 0 {
			return app, true
		}
	}
	return App{}, false
}

// read reads the whole tree. What is not about time may take it: machines are busy.
func (d *desk) read(app App, b Budget) *Tree {
	d.t.Helper()
	if b.Time == 0 {
		b.Time, b.Call = patient.Time, cmp.Or(b.Call, patient.Call)
	}
	tree, err := d.conn.Read(context.Background(), app, b)
	if err != nil {
		d.t.Fatal(err)
	}
	return tree
}
