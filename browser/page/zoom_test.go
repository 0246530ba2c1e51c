package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/need"
)

// grid is a page of buttons all over it, each of which says that it was clicked.
const grid = `void (() => { document.body.innerHTML = ''; document.body.style.margin = 0; let h = '';
for (let y = 0; y < 4; y++) for (let x = 0; x < 4; x++) h += '<button style="position:absolute;width:40px;height:20px;left:' + (20 + x * 240) + 'px;top:' + (10 + y * 150) + 'px">b' + x + y + '</button>';
document.body.innerHTML = h + '<p style="position:absolute;top:3000px">end</p>'; scrollTo(0, 7); document.addEventListener('click', e => document.title = 'on ' + e.target.textContent) })()`

// where16 is where the page itself has each of them, in its viewport.
const where16 = `Object.fromEntries([...document.querySelectorAll('button')].map(b => { const r = b.getBoundingClientRect(); return [b.textContent, [r.x, r.y, r.width, r.height]] }))`

// far says whether a number is not that of the page.
func far(told int, is float64) bool { return math.Abs(float64(told)-is) > 1.5 }

// clicksAll clicks every button of the grid, by what a snapshot told.
func (p *tab) clicksAll(t *testing.T, how string) {
	t.Helper()
	p.js(grid)
	var at map[string][4]float64
	if err := json.Unmarshal([]byte(p.js(where16)), &at); err != nil {
		t.Fatal(err)
	}
	s := p.snap()
	clicked := 0
	for _, n := range s.Nodes {
		if n.Role != "button" {
			continue
		}
		clicked++
		if b, is := n.Bounds, at[n.Name]; b == nil || far(b.X, is[0]) || far(b.Y, is[1]) || far(b.W, is[2]) || far(b.H, is[3]) {
			t.Errorf("%s: %s is told at %+v, and is at %v", how, n.Name, b, is)
		}
		if _, err := p.Click(p.ctx, api.PageClickRequest{Ref: n.Ref}); err != nil {
			t.Errorf("%s: %s: %v", how, n.Name, err)
			continue
		}
		if got := p.js("document.title"); got != fmt.Sprintf("%q", "on "+n.Name) {
			t.Errorf("%s: a click on %s at %+v came as %s", how, n.Name, n.Bounds, got)
		}
	}
	if clicked != 16 {
		t.Errorf("%s: %d buttons in\n%s", how, clicked, lines(s))
	}
}

// TestZoom: however a page came to be zoomed, what is clicked is what was told.
func TestZoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method string
		params       map[string]any
	}{
		{"device scale", "Emulation.setDeviceMetricsOverride", map[string]any{"width": 1000, "height": 600, "deviceScaleFactor": 2, "mobile": false}},
		{"pinch", "Emulation.setPageScaleFactor", map[string]any{"pageScaleFactor": 2}},
		{"style", "Runtime.evaluate", map[string]any{"expression": "document.documentElement.style.zoom = 1.5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, "basic.html")
			if err := p.main.s.Call(p.ctx, c.method, c.params, nil); err != nil {
				t.Fatal(err)
			}
			p.clicksAll(t, c.name)
		})
	}
}

// TestZoomOfTheProfile: a browser whose person reads everything larger.
func TestZoomOfTheProfile(t *testing.T) {
	t.Parallel()
	chromium, dir := need.Chromium(t), need.Dir(t)
	prefs := filepath.Join(dir, "p", "Default")
	if err := os.MkdirAll(prefs, 0o700); err != nil {
		t.Fatal(err)
	}
	// A level is a power of 1.2: this is 150 %.
	if err := os.WriteFile(filepath.Join(prefs, "Preferences"), []byte(`{"partition":{"default_zoom_level":{"x":2.223901085741545}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, b := ownIn(t, chromium, dir, Config{Eval: true})
	p := openIn(t, b, "basic.html")
	t.Logf("the ratio is %s", p.js("devicePixelRatio"))
	p.clicksAll(t, "profile")
	p.js("void (() => { const b = [...document.querySelectorAll('button')].find(b => b.textContent === 'b21'); b.textContent = ''; b.ariaLabel = 'red'; b.style.border = 'none'; b.style.background = 'rgb(255, 0, 0)' })()")
	got, err := p.Screenshot(p.ctx, api.PageScreenshotRequest{Ref: p.ref("button", "red")})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	for _, at := range []image.Point{{2, 2}, {size.X - 3, 2}, {size.X / 2, size.Y / 2}, {size.X - 3, size.Y - 3}} {
		if r, g, b, _ := img.At(at.X, at.Y).RGBA(); r>>8 < 240 || g>>8 > 15 || b>>8 > 15 {
			t.Errorf("the picture of the button (%v, told %dx%d) is not red at %v: %v", size, got.W, got.H, at, img.At(at.X, at.Y))
		}
	}
}
