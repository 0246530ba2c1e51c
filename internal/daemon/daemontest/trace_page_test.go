package daemontest

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/daemon"
	"vibespace/internal/need"
)

// tracedPage paints itself green and blue in turns, says how often in its title,
// and has fields. What is written in them is red.
const tracedPage = `<!doctype html><title>0</title><body style="margin:0">
<style>button,input{position:absolute;left:20px;width:200px;height:40px;box-sizing:border-box}input{color:#f00;font:30px monospace}</style>
<button style="top:20px" onclick="document.title=++n;document.body.style.background=n%2?'#0f0':'#00f'">Paint</button>
<input aria-label=Name style="top:80px"><input aria-label=Card autocomplete=cc-number style="top:140px" value="4111111111">
<script>n=0</script>`

// pageTrace is a browser whose acts are traced.
type pageTrace struct {
	t     *testing.T
	c     *client.Client
	owner *client.Client
	h     api.Handle
	refs  map[string]api.Ref
}

// last gives the trace's last row once its pictures were kept, or a word why
// there are none.
func (p *pageTrace) last(acts int) api.TraceRow {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		a, err := p.owner.Trace(p.t.Context(), api.TraceRequest{Handle: p.h})
		if err != nil {
			p.t.Fatal(err)
		}
		if n := len(a.Rows); n == acts {
			if r := a.Rows[n-1]; !r.Pending && (r.Note != "" || r.Before != "" && r.After != "") {
				return r
			}
		}
		if time.Now().After(end) {
			p.t.Fatalf("of %d acts: %+v", acts, a.Rows)
		}
	}
}

// picture reads a picture of the trace.
func (p *pageTrace) picture(path string) image.Image {
	p.t.Helper()
	f, err := os.Open(path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// nearly says whether a pixel is a colour, as far as a JPEG keeps it.
func nearly(img image.Image, x, y int, want color.RGBA) bool {
	r, g, b, _ := img.At(x, y).RGBA()
	off := func(a uint32, b uint8) bool { d := int(a>>8) - int(b); return d < -60 || d > 60 }
	return !off(r, want.R) && !off(g, want.G) && !off(b, want.B)
}

// written counts the pixels of what is written, inside the two fields.
func written(img image.Image) int {
	n := 0
	for _, top := range []int{80, 140} {
		for y := top + 8; y < top+32; y++ {
			for x := 28; x < 212; x++ {
				if nearly(img, x, y, color.RGBA{R: 255}) {
					n++
				}
			}
		}
	}
	return n
}

// marked says whether a mark runs above the button. A thin line loses much of
// its colour in a JPEG: it is neither white nor what the page is painted in.
func marked(img image.Image) bool {
	var red, green uint32
	for x := 40; x < 200; x++ {
		r, g, _, _ := img.At(x, 18).RGBA()
		red, green = red+r>>8, green+g>>8
	}
	return red/160 > 150 && green/160 < 200
}

// both repeats an act until its row has both pictures: on a busy machine a
// picture may not come in time, which the row says.
func (p *pageTrace) both(acts *int, act func() error) api.TraceRow {
	p.t.Helper()
	for range 20 {
		if err := act(); err != nil {
			p.t.Fatal(err)
		}
		*acts++
		r := p.last(*acts)
		if r.Before != "" && r.After != "" {
			return r
		}
		p.t.Logf("%s: %s", r.Verb, r.Note)
	}
	p.t.Fatal("never both pictures")
	return api.TraceRow{}
}

// TestTraceOfAPage: an act on a page leaves a picture before it and one after
// it, with the place marked and nothing of what was written, in a browser with a
// window and in one without.
func TestTraceOfAPage(t *testing.T) {
	need.Chromium(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, tracedPage)
	}))
	t.Cleanup(server.Close)
	for name, headless := range map[string]bool{"headed": false, "headless": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := New(t, func(c *daemon.Config) {
				c.Keeper, c.Headless = []string{need.Binary(t, "vibespace/cmd/vibespaced"), "keeper"}, headless
			})
			p := &pageTrace{t: t, c: d.Session("alice"), owner: d.Owner(), refs: map[string]api.Ref{}}
			opened, err := p.c.BrowserOpen(t.Context(), api.PageOpenRequest{URL: server.URL, PageRequest: api.PageRequest{Common: api.Common{TimeoutMs: 60000}}})
			if err != nil {
				t.Fatal(err)
			}
			p.h = opened.Profile.Handle
			s, err := p.c.BrowserSnapshot(t.Context(), api.PageSnapshotRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range s.Nodes {
				p.refs[n.Name] = n.Ref
			}
			p.acts()
		})
	}
}

// acts are the acts of TestTraceOfAPage.
func (p *pageTrace) acts() {
	t := p.t
	acts, painted := 1, 0 // the page was opened
	if r := p.last(acts); r.Verb != "open" {
		t.Fatalf("%+v", r)
	}
	r := p.both(&acts, func() error {
		painted++
		_, err := p.c.BrowserClick(t.Context(), api.PageClickRequest{Ref: p.refs["Paint"]})
		return err
	})
	colours := []color.RGBA{{B: 255, A: 255}, {G: 255, A: 255}}
	for _, side := range []struct {
		path string
		n    int
	}{{r.Before, painted - 1}, {r.After, painted}} {
		img := p.picture(side.path)
		if side.n > 0 && !nearly(img, 400, 300, colours[side.n%2]) {
			t.Errorf("of %d clicks the picture with %d shows %v", painted, side.n, img.At(400, 300))
		}
		if n := written(img); n > 0 {
			t.Errorf("a card's number shows in %d pixels", n)
		}
		if side.path == r.After && !marked(img) { // what is before may be of before the refs were told
			t.Errorf("the place is not marked: %v", img.At(120, 18))
		}
	}
	if r.Box == nil || *r.Box != (api.Rect{X: 20, Y: 20, W: 200, H: 40}) || r.Verb != "click" || r.Name != "Paint" {
		t.Errorf("%+v", r)
	}
	r = p.both(&acts, func() error {
		_, err := p.c.BrowserFill(t.Context(), api.PageFillRequest{Ref: p.refs["Name"], Text: "my own words"})
		return err
	})
	for _, path := range []string{r.Before, r.After} {
		if n := written(p.picture(path)); n > 0 {
			t.Errorf("what was written shows in %d pixels", n)
		}
	}
	if !nearly(p.picture(r.After), 120, 100, color.RGBA{R: 0x50, G: 0x50, B: 0x58}) || !strings.Contains(r.Note, "filled in") {
		t.Errorf("the field is not filled in: %q", r.Note)
	}
	gone, err := p.owner.TraceDelete(t.Context(), api.TraceRequest{Handle: p.h})
	if err != nil || gone.Deleted == nil || gone.Deleted.Acts < 2 || gone.Deleted.Files == 0 {
		t.Errorf("%+v, %v", gone, err)
	}
}
