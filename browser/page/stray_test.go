package page

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"vibespace/internal/api"
)

// shows opens a new document with nothing but body in it, in which f has the
// focus, and has it told.
func (p *tab) shows(body string) {
	p.t.Helper()
	if _, err := p.Open(p.ctx, api.PageOpenRequest{URL: p.site.URL + "/basic.html"}); err != nil {
		p.t.Fatal(err)
	}
	p.js("void (document.body.innerHTML = `" + body + "<p id=out></p>`, f.focus())")
	p.snap()
}

// TestWrittenElsewhere: a picture is hidden whole once text went where no field
// shows it, and a field that holds it hides no more than itself.
func TestWrittenElsewhere(t *testing.T) {
	p := front(t)
	typed := func() error { return second(p.Type(p.ctx, api.PageTypeRequest{Text: "words"})) }
	pressed := func() error { return second(p.Press(p.ctx, api.PagePressRequest{Keys: []string{"Space", "a"}})) }
	const emptying = ` oninput="out.append(value); value = ''"`
	for what, c := range map[string]struct {
		body string
		do   func() error
	}{
		"typed, not painted":   {`<textarea id=f style="opacity:0"></textarea>`, typed},
		"pressed, one pixel":   {`<textarea id=f style="width:1px;height:1px;border:0;padding:0"></textarea>`, pressed},
		"pressed, outside":     {`<textarea id=f style="position:absolute;left:-999em"></textarea>`, pressed},
		"pressed, cut away":    {`<div style="overflow:hidden;width:3px;height:0"><textarea id=f style="width:1000px"></textarea></div>`, pressed},
		"typed, emptied":       {`<textarea id=f` + emptying + `></textarea>`, typed},
		"pressed, no field":    {`<div id=f tabindex=0>a page that hears keys</div>`, pressed},
		"nothing, one pixel":   {`<input id=f value=words style="width:1px;height:1px;border:0;padding:0">`, nil},
		"nothing, thin secret": {`<input autocomplete=one-time-code style="opacity:0"><button id=f>Go</button>`, nil},
	} {
		p.shows(c.body)
		if c.do != nil {
			if err := c.do(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if l, _ := p.looked(); !l.Whole {
			t.Errorf("%s: the picture is not hidden", what)
		}
	}
	// On a busy machine a field may not be read back in time: it is then hidden, too.
	if err := p.until1(func() bool {
		p.shows(`<input id=f>`)
		if err := typed(); err != nil {
			t.Fatal(err)
		}
		l, _ := p.looked()
		return !l.Whole && len(l.Hide) > 0
	}); err != nil {
		t.Error("a picture with a field that holds what was typed is hidden whole")
	}
}

// TestNoPictureWithASecret: there is no picture while a field that holds a secret
// has the focus.
func TestNoPictureWithASecret(t *testing.T) {
	p := front(t)
	p.shows(`<input id=f type=password>`)
	if err := p.until1(func() bool { _, err := p.Look(p.ctx); return api.CodeOf(err) == api.SensitiveField }); err != nil {
		t.Error("never refused")
	}
	p.js("void f.blur()")
	p.looked()
}

// TestPartOfAValue: a field of numbers is hidden while what is typed is none yet.
func TestPartOfAValue(t *testing.T) {
	p := front(t)
	p.shows(`<input id=f type=number style="position:absolute;left:40px;top:60px;width:120px;height:30px">`)
	if _, err := p.Type(p.ctx, api.PageTypeRequest{Text: "12e"}); err != nil {
		t.Fatal(err)
	}
	if got := p.js("f.value"); got != `""` {
		t.Fatalf("it holds %s", got)
	}
	if l, _ := p.looked(); !l.covers(100, 75) {
		t.Errorf("hidden are %v", l.Hide)
	}
}

// TestPictureOfAnotherPart: a picture that has not the form of what is on show is
// none of it, and says nothing of where the fields are.
func TestPictureOfAnotherPart(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 100, 1100)), nil); err != nil {
		t.Fatal(err)
	}
	s := &shot{data: b.Bytes()}
	if _, err := s.with(&veil{w: 100, h: 100}); api.CodeOf(err) != api.Busy {
		t.Errorf("%v", err)
	}
	for _, v := range []*veil{{w: 100, h: 1100}, {w: 50, h: 550}, {w: 67, h: 733}} { // the last is rounded
		if _, err := s.with(v); err != nil {
			t.Errorf("%v by %v: %v", v.w, v.h, err)
		}
	}
}
