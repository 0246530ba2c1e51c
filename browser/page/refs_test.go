package page

import (
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestRefIsTheElement: whatever happens to the page between the answer that
// told of an element and the act on it, the act is on that element or is
// refused, and a refusal touches nothing (C01).
func TestRefIsTheElement(t *testing.T) {
	for _, c := range []struct {
		name, script string
		code         api.Code // "" for an act on the element
	}{
		{"insert", "insert()", ""},
		{"reverse", "reverse()", ""},
		{"duplicate", "duplicate()", ""},
		{"relabel", "relabel()", api.StaleRef},
		{"remove", "remove()", api.StaleRef},
		{"rerender", "rerender()", api.StaleRef},
		{"rerole", "rerole()", api.StaleRef},
		{"disable", "second().disabled = true", api.Disabled},
		{"hide", "second().style.visibility = 'hidden'", api.StaleRef},
		{"cover", "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\"position:fixed;inset:0\">cover</div>')", api.Occluded},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, "refs.html")
			ref := p.ref("button", "two")
			p.js("void (" + c.script + ")")
			begun := time.Now()
			a, err := p.Click(p.ctx, api.PageClickRequest{Ref: ref})
			if c.code != "" {
				e := refusal(t, err, c.code)
				t.Logf("%v: %v", time.Since(begun), e)
				if title := p.js("document.title"); title != `"start"` {
					t.Errorf("the page saw a click on %s", title)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if title := p.js("document.title"); title != `"two"` || a.Did.Name != "two" {
				t.Errorf("clicked %s, told %+v", title, a.Did)
			}
		})
	}
}

// TestRefsStay: the same element has the same ref in the next snapshot, a new
// one a new ref, and no number is given twice, whatever the document.
func TestRefsStay(t *testing.T) {
	p := open(t, "refs.html")
	two := p.ref("button", "two")
	p.js("void insert()")
	zero := p.node("button", "zero").Ref
	if now := p.ref("button", "two"); now != two {
		t.Errorf("%s became %s", two, now)
	}
	if zero == two {
		t.Error("a ref was given twice")
	}
	if _, err := p.Reload(p.ctx, api.PageRequest{}); err != nil {
		t.Fatal(err)
	}
	if now := p.ref("button", "two"); now == two {
		t.Error("a ref outlived its document")
	}
	e := refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: two})), api.StaleRef)
	if !strings.Contains(e.Message, `button "two"`) {
		t.Errorf("it does not say what it was: %v", e)
	}
	refusal(t, second(p.Click(p.ctx, api.PageClickRequest{Ref: "@e999999"})), api.UnknownRef)
}

// second is the error of two results.
func second[T any](_ T, err error) error { return err }

// TestRefOfAnotherTab: a ref is of one tab (C39).
func TestRefOfAnotherTab(t *testing.T) {
	p := open(t, "refs.html")
	q, _, err := p.b.NewTab(p.ctx, "", p.site.URL+"/refs.html")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close(p.ctx)
	e := refusal(t, second(q.Click(p.ctx, api.PageClickRequest{Ref: p.ref("button", "two")})), api.UnknownRef)
	if e.Details["tab"] != p.ID() {
		t.Errorf("it does not say whose it is: %v", e)
	}
}

// TestCover: a click lands where a person's would, or is refused by the name
// of what covers (C14, C31).
func TestCover(t *testing.T) {
	p := open(t, "cover.html")
	s := p.snap()
	refs := map[string]api.Node{}
	for _, n := range s.Nodes {
		refs[n.Name] = n
	}
	for _, c := range []struct {
		name  string
		code  api.Code
		cover string
	}{
		{"Under", api.Occluded, "cookie banner"},
		{"Half", "", ""},
		{"Inner", "", ""},
		{"Styled", "", ""},
		{"Off", api.Disabled, ""},
		{"In set", api.Disabled, ""},
		{"Aria off", api.Disabled, ""},
		{"Far", "", ""},
		{"Unsaid", "", ""},
		{"Framed", api.Occluded, "over the frame"},
	} {
		n, ok := refs[c.name]
		if !ok {
			t.Errorf("%s is not in\n%s", c.name, lines(s))
			continue
		}
		_, err := p.Click(p.ctx, api.PageClickRequest{Ref: n.Ref})
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if e := refusal(t, err, c.code); c.cover != "" && !strings.Contains(e.Message, c.cover) {
			t.Errorf("%s: %v", c.name, e)
		}
	}
	if got := p.js("log.filter(x => !['checkbox','Styled'].includes(x))"); got != `["Half","Inner","Far","Unsaid"]` {
		t.Errorf("the page saw %s", got)
	}
	if !contains(refs["Glass"].States, "transparent") || !contains(refs["Unsaid"].States, "aria-hidden") {
		t.Errorf("Glass %v, Unsaid %v", refs["Glass"].States, refs["Unsaid"].States)
	}
}

// contains says whether a list has a word.
func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}
