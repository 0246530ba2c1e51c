package page

import (
	"strings"
	"testing"

	"vibespace/internal/api"
)

// TestFrames: what is in frames of other origins, nested and boxed, is in the
// answer and can be used; its ref dies with its document (C15).
func TestFrames(t *testing.T) {
	p := open(t, "frames.html")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "inner", IdleMs: 100}); err != nil {
		t.Fatal(err)
	}
	s := p.whole("are the frames there", func(s *api.PageSnapshot) bool {
		return len(s.Frames) == 5 && names(s, "button", "Inner") == 2 && names(s, "", "Inner field") == 2 && names(s, "", "Middle") > 0 && names(s, "", "Boxed") > 0
	})
	t.Logf("%+v\n%s", s.Frames, lines(s))
	foreign := 0
	for _, f := range s.Frames {
		if f.CrossOrigin {
			foreign++
		}
	}
	if len(s.Frames) != 5 || foreign != 2 { // the innermost is of the page's own origin again
		t.Errorf("%d frames, %d of them foreign", len(s.Frames), foreign)
	}
	var inner, fields []api.Node
	byName := map[string]api.Node{}
	for _, n := range s.Nodes {
		byName[n.Name] = n
		if n.Name == "Inner" && n.Role == "button" {
			inner = append(inner, n)
		}
		if n.Name == "Inner field" {
			fields = append(fields, n)
		}
	}
	if len(inner) != 2 || len(fields) != 2 {
		t.Fatalf("%d inner buttons, %d fields", len(inner), len(fields))
	}
	for _, n := range []api.Node{byName["Middle"], inner[0], inner[1], byName["Boxed"]} {
		if a := p.click(n.Ref); !strings.Contains(kinds(a.Effects), "changed") {
			t.Errorf("%s: %+v", n.Name, a.Effects)
		}
	}
	for _, f := range fields {
		a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: f.Ref, Text: "frame text"})
		if err != nil || a.Verified == nil || !*a.Verified {
			t.Errorf("fill: %+v, %v", a, err)
		}
		if a, err = p.Type(p.ctx, api.PageTypeRequest{Ref: f.Ref, Text: " +é"}); err != nil || a.Verified == nil || !*a.Verified {
			t.Errorf("type: %+v, %v", a, err)
		}
	}
	p.whole("are the clicks seen", func(s *api.PageSnapshot) bool {
		return names(s, "button", "middle hit") > 0 && names(s, "button", "hit") > 0 && names(s, "button", "inner hit") > 0
	})
	x, err := p.Extract(p.ctx, api.ExtractRequest{})
	if err != nil || !strings.Contains(x.Text, "# Outer") || !strings.Contains(x.Text, "middle hit") || strings.Count(x.Text, "[frame ") < 3 {
		t.Errorf("%v\n%s", err, x.Text)
	}
	p.js("void document.querySelector('[title=foreign]').remove()")
	if e := refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: byName["Middle"].Ref})), api.StaleRef); !strings.Contains(e.Message, "its frame was removed") {
		t.Error(e.Message)
	}
}

// TestScrolledFrame: a point in a frame of another process is found however
// far the frame and what is in it are scrolled away.
func TestScrolledFrame(t *testing.T) {
	p := open(t, "scrolled.html")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "inside below", IdleMs: 100}); err != nil {
		t.Fatal(err)
	}
	p.whole("is the frame there", func(s *api.PageSnapshot) bool { return names(s, "", "Deep") > 0 && names(s, "", "Deep field") > 0 })
	refs := p.named()
	if a := p.click(refs["Deep"]); !strings.Contains(kinds(a.Effects), "changed") {
		t.Errorf("%+v", a)
	}
	if a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs["Deep field"], Text: "x"}); err != nil || !*a.Verified {
		t.Errorf("%+v, %v", a, err)
	}
	p.whole("is the click seen", func(s *api.PageSnapshot) bool { return names(s, "button", "deep hit") > 0 })
	n := p.node("button", "deep hit")
	shot, err := p.Screenshot(p.ctx, api.PageScreenshotRequest{Ref: n.Ref})
	if err != nil || shot.W != 80 || shot.H != 30 {
		t.Errorf("%+v, %v", shot, err)
	}
	a, err := p.Scroll(p.ctx, api.PageScrollRequest{Ref: n.Ref, Direction: "down", By: 2})
	if err != nil || !strings.Contains(kinds(a.Effects), "scrolled") {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestLateFrame: a frame that comes after the page is there in the next answer.
func TestLateFrame(t *testing.T) {
	p := open(t, "basic.html")
	p.js("void document.body.append(Object.assign(document.createElement('iframe'), { src: '" + p.site.Other + "/inner.html', title: 'late' }))")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{IdleMs: 100}); err != nil {
		t.Fatal(err)
	}
	p.whole("is the frame there", func(s *api.PageSnapshot) bool { return names(s, "button", "Inner") == 1 })
	a := p.click(p.ref("button", "Inner"))
	if !strings.Contains(kinds(a.Effects), "changed") {
		t.Errorf("%+v", a.Effects)
	}
}

// TestHeeds: what is there to be clicked without being a control is told as
// such: by its own listener, by its pointer, as the label of a field nobody sees.
func TestHeeds(t *testing.T) {
	p := open(t, "heeds.html")
	s := p.snap()
	for _, c := range []struct{ name, state string }{
		{"Own listener", "listener"}, {"Delegated", "pointer"}, {"Ghost", "listener"}, {"Ghost too", "listener"},
	} {
		var n api.Node
		for _, have := range s.Nodes {
			if have.Name == c.name {
				n = have
			}
		}
		if !contains(n.States, c.state) {
			t.Errorf("%s: %+v in\n%s", c.name, n, lines(s))
			continue
		}
		p.click(n.Ref)
	}
	if got := p.js("[log.join(), ghost.checked, too.checked]"); got != `["own,Delegated",true,true]` {
		t.Errorf("the page saw %s", got)
	}
	if strings.Count(lines(s), "@e") != 5 {
		t.Errorf("more is told than there is:\n%s", lines(s))
	}
}

// TestShadow: what a person sees of shadow trees, open, closed and nested, is
// there and can be used.
func TestShadow(t *testing.T) {
	p := open(t, "shadow.html")
	s := p.snap()
	refs := map[string]api.Ref{}
	for _, n := range s.Nodes {
		refs[n.Name] = n.Ref
	}
	for _, word := range []string{"open", "closed", "deep"} {
		p.click(refs[word+" button"])
		if a, err := p.Fill(p.ctx, api.PageFillRequest{Ref: refs[word+" field"], Text: word}); err != nil || !*a.Verified {
			t.Errorf("%s: %v", word, err)
		}
	}
	if got := p.js("log"); got != `["open","open open","closed","closed closed","deep","deep deep"]` {
		t.Errorf("the page saw %s in\n%s", got, lines(s))
	}
}

// TestCoverOverAForeignFrame: what lies over a frame of another process is known
// by the page around it alone, and gets the click there.
func TestCoverOverAForeignFrame(t *testing.T) {
	p := open(t, "frames.html")
	if _, err := p.Wait(p.ctx, api.PageWaitRequest{Text: "inner", IdleMs: 100}); err != nil {
		t.Fatal(err)
	}
	p.whole("is the frame there", func(s *api.PageSnapshot) bool { return names(s, "button", "Middle") > 0 })
	middle := p.ref("button", "Middle")
	p.js(`void document.body.insertAdjacentHTML('beforeend', '<div id=veil style="position:fixed;inset:0">the cover</div>')`)
	if e := refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: middle})), api.Occluded); !strings.Contains(e.Message, "the cover") {
		t.Errorf("%v", e)
	}
	p.js("void veil.remove()")
	p.click(middle)
}
