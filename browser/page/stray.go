package page

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/cdp"
)

// What an agent writes is in no picture that the trace keeps. A field is filled
// in there; what was written where no field holds it may show anywhere in its
// document, which is then filled in whole.

// maxStrayed bounds the documents that are remembered: a browser keeps fewer of
// them to go back to.
const maxStrayed = 64

// stray notes that what was written in a document may show anywhere in it.
func (p *Page) stray(in cdp.LoaderID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strayLocked(in)
}

// strayLocked is stray under the page's lock.
func (p *Page) strayLocked(in cdp.LoaderID) {
	if in == "" {
		return
	}
	p.strayed = append(slices.DeleteFunc(p.strayed, func(l cdp.LoaderID) bool { return l == in }), in)
	if n := len(p.strayed) - maxStrayed; n > 0 {
		p.strayed = slices.Delete(p.strayed, 0, n)
	}
}

// wroteAstray says whether what was written in a document may show anywhere.
func (p *Page) wroteAstray(in cdp.LoaderID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.strayed, in)
}

// astray notes that a key that writes goes into what is no field, or none that
// shows it: a canvas that is an editor, a page that hears keys itself, the helper
// field of an editor. A space is how a control is used, and a letter chooses in a
// list.
func (p *Page) astray(into *state, s stroke) {
	switch {
	case !s.writes():
	case into != nil && into.Textual:
		p.enters(into)
	case into != nil && into.Tag == "select" || s.text == " ":
	default:
		p.stray(p.where(p.mainFrame()).loader)
	}
}

// enters notes that text goes into a field, and gives the page's document.
func (p *Page) enters(into *state) cdp.LoaderID {
	at := p.where(p.mainFrame()).loader
	if into.Thin {
		p.stray(at)
	}
	return at
}

// focusNow is what has the focus, nil when that cannot be told at once.
func (d *doing) focusNow() *state {
	if d.p.stands() {
		return nil
	}
	soon, cancel := context.WithTimeout(d.o.ctx, echoLimit)
	defer cancel()
	_, s, err := d.p.focused(soon)
	if err != nil {
		return nil
	}
	return s
}

// keeps says whether a field holds a text that was typed into it, however it
// writes that: a page may group the digits of a number.
func (s *state) keeps(text string) bool {
	switch {
	case !s.HasValue || s.emptied(text):
		return false
	case s.Kind == "number":
		return true
	}
	if want := bare(text); want != "" {
		return strings.Contains(bare(s.Value), want)
	}
	return strings.Contains(s.Value, strings.TrimSpace(text))
}

// emptied says whether a field has nothing after a text was typed into it. One
// that holds no number says so as well while it shows what was typed, and is
// filled in whatever it says.
func (s *state) emptied(text string) bool {
	return s.Kind != "number" && strings.TrimSpace(s.Value) == "" && strings.TrimSpace(text) != ""
}

// bare are the letters and digits of a text.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
