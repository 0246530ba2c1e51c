package page

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"vibespace/internal/api"
)

// front opens a page in a browser of its own: what lies behind is not painted.
func front(t *testing.T) *tab {
	t.Helper()
	t.Parallel()
	_, b := own(t, Config{})
	p := openIn(t, b, "basic.html")
	if err := p.Show(p.ctx); err != nil {
		t.Fatal(err)
	}
	return p
}

// looked takes a look at the page.
func (p *tab) looked() (*Look, image.Image) {
	p.t.Helper()
	var l *Look
	var err error
	if end := p.until1(func() bool { l, err = p.Look(p.ctx); return err == nil }); end != nil || err != nil {
		p.t.Fatalf("look: %v, %v", err, end)
	}
	img, err := jpeg.Decode(bytes.NewReader(l.JPEG))
	if err != nil {
		p.t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != l.W || b.Dy() != l.H {
		p.t.Errorf("%v, told as %dx%d", b, l.W, l.H)
	}
	return l, img
}

// covers says whether a place is one of those that are hidden.
func (l *Look) covers(x, y int) bool {
	for _, r := range l.Hide {
		if image.Pt(x, y).In(image.Rect(r.X, r.Y, r.X+r.W, r.Y+r.H)) {
			return true
		}
	}
	return false
}

// TestLookHidesFields: what is written in fields of any kind, wherever they
// are, is hidden in a picture for the trace, and what is a secret always; what
// is no field is to be seen. The page paints what is written in pure red, so
// that the picture itself tells.
func TestLookHidesFields(t *testing.T) {
	p := front(t)
	frame := `<style>*{color:red;background:white}input{width:150px}</style>`
	p.js(`(() => {
		document.body.innerHTML = '<style>.w{color:#f00;background:#fff;font:20px monospace;width:300px;height:30px;display:block;margin:4px;caret-color:transparent;outline:none}</style>' +
			'<input class=w value=typed><input class=w type=password value=hidden><textarea class=w>typed</textarea><div class=w contenteditable>typed</div>' +
			'<input class=w id=code autocomplete=one-time-code value=123456><input class=w id=empty><div id=closed></div>' +
			'<iframe id=in width=320 height=60></iframe><iframe id=design width=320 height=60></iframe><p id=plain style="color:#00f;font:20px monospace">plain</p>';
		document.querySelector('#closed').attachShadow({ mode: 'closed' }).innerHTML = '<input value=typed style="color:#f00;background:#fff;font:20px monospace">';
		document.querySelector('#in').srcdoc = '` + frame + `<input value=typed>';
		document.querySelector('#design').srcdoc = '` + frame + `<body>typed';
		scrollTo(0, 0);
	})()`)
	ready := `(() => { const f = [...document.querySelectorAll('iframe')].map(f => f.contentDocument); return f.every(d => d && d.readyState === 'complete' && d.body && d.body.innerHTML !== '') })()`
	if err := p.until1(func() bool { return p.js(ready) == "true" }); err != nil {
		t.Fatal("the frames were never there")
	}
	p.js(`void (document.querySelector('#design').contentDocument.designMode = 'on')`)
	l, img := p.looked()
	var shown []string
	reds, blues := 0, 0
	for y := range l.H {
		for x := range l.W {
			switch c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); {
			case c.R > 200 && c.G < 120 && c.B < 120:
				if reds++; !l.covers(x, y) {
					shown = append(shown, fmt.Sprint(image.Pt(x, y)))
				}
			case c.B > 200 && c.R < 120 && c.G < 120:
				if blues++; l.covers(x, y) {
					t.Fatalf("a plain text at %d, %d is hidden", x, y)
				}
			}
		}
	}
	if reds < 100 || blues < 20 {
		t.Fatalf("the picture has %d red pixels and %d blue ones", reds, blues)
	}
	if len(shown) > 0 {
		t.Errorf("what is written shows at %d places: %s …; hidden are %v", len(shown), strings.Join(shown[:min(5, len(shown))], " "), l.Hide)
	}
}

// TestLookKnowsPlaces: a look tells where the elements are that an answer told
// of, where that is on show.
func TestLookKnowsPlaces(t *testing.T) {
	p := front(t)
	p.js(`void (document.body.innerHTML = '<button style="position:absolute;left:40px;top:60px;width:120px;height:32px">Go</button><button style="position:absolute;top:9000px">Far</button>')`)
	near, far := p.ref("button", "Go"), p.ref("button", "Far")
	l, _ := p.looked()
	if got := l.Places[near]; got != (api.Rect{X: 40, Y: 60, W: 120, H: 32}) {
		t.Errorf("it is at %+v", got)
	}
	if got, ok := l.Places[far]; ok {
		t.Errorf("what is out of view is at %+v", got)
	}
}

// TestLookUnderADialog: a page with a dialog is not painted, and the look says
// so at once.
func TestLookUnderADialog(t *testing.T) {
	p := open(t, "dialogs.html")
	p.js(`void setTimeout(() => alert('stop'), 0)`)
	if err := p.until1(func() bool { _, err := p.Look(p.ctx); return api.CodeOf(err) == api.DialogOpen }); err != nil {
		t.Fatal("never refused")
	}
	if _, err := p.Page.Dialog(p.ctx, api.DialogRequest{Do: "accept"}); err != nil {
		t.Fatal(err)
	}
}
