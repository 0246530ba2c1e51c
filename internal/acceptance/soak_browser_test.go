//go:build soak

package acceptance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// browsed is one session's browser, and what its page told the server.
type browsed struct {
	s   *soak
	c   *Caller
	rng *rand.Rand
	n   int

	mu   sync.Mutex
	did  []string
	open bool
	url  string
	// maybe is what may still arrive.
	maybe []string
}

// newBrowsed makes a driver with a page of its own.
func newBrowsed(s *soak, c *Caller, rng *rand.Rand) *browsed {
	b := &browsed{s: s, c: c.Browsers(), rng: rng}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if did := r.URL.Query().Get("did"); did != "" {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.did = append(b.did, did)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Soak</title><h1>Soak</h1>
<button>Alpha</button><button>Beta</button><button>Gamma</button><input aria-label="Name">
<script>
const tell = did => fetch('/?did=' + encodeURIComponent(did), {method: 'POST', keepalive: true})
document.querySelectorAll('button').forEach(b => b.onclick = () => tell('click ' + b.textContent))
document.querySelector('input').onchange = e => tell('text Name ' + e.target.value)
document.querySelector('input').oninput = e => tell('text Name ' + e.target.value)
</script></html>`)
	}))
	s.t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *browsed) window() (string, int) { return "", 0 }

// drive opens the page, as often as it is gone, and acts on it.
func (b *browsed) drive(ctx context.Context) {
	for ctx.Err() == nil {
		if !b.open {
			b.open = b.s.ask(b.c, "open", b.url, "--timeout", "60s").OK
		} else {
			b.act()
		}
		pausing(ctx, time.Duration(b.rng.IntN(400))*time.Millisecond)
	}
}

// act reads the page, or acts on it, and compares what it told the server.
func (b *browsed) act() {
	if b.rng.IntN(3) == 0 {
		verbs := [][]string{{"snapshot"}, {"find", "--role", "button"}, {"tab"}, {"status"}, {"screenshot", "--out", b.s.w.File(b.c.name + ".page.png")}}
		b.ended(b.s.ask(b.c, verbs[b.rng.IntN(len(verbs))]...))
		return
	}
	b.s.acts.Add(1)
	names := []string{"Alpha", "Beta", "Gamma", "Name"}
	name := names[b.rng.IntN(len(names))]
	ref := b.ref(name)
	if ref == "" {
		return
	}
	if name != "Name" {
		b.settle(b.s.ask(b.c, "click", ref), "click "+name)
		return
	}
	b.n++
	token := fmt.Sprintf("page%d", b.n)
	b.settle(b.s.ask(b.c, "fill", ref, token), "text Name "+token)
}

// ref finds an element of the page.
func (b *browsed) ref(name string) string {
	var p Page
	r := b.s.ask(b.c, "find", "--name", name)
	if !r.OK {
		b.ended(r)
		return ""
	}
	r.Into(b.s.t, &p)
	for _, n := range p.Nodes {
		if n.Name == name {
			return n.Ref
		}
	}
	b.open = false // another page, or none
	return ""
}

// ended opens the page again when it can be driven no more.
func (b *browsed) ended(r Reply) {
	if !r.OK && !strings.HasPrefix(r.Code, "browser_paused") {
		b.open = false
	}
}

// settle compares what the page told with what was asked.
func (b *browsed) settle(r Reply, want string) {
	saw := func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Contains(b.did, want)
	}
	if r.OK {
		for end := time.Now().Add(seen); !saw(); time.Sleep(20 * time.Millisecond) {
			b.s.calm()
			if !time.Now().Before(end) {
				b.s.missed("%s of a page was done and not told: %v", want, r)
				break
			}
		}
	} else {
		b.maybe = append(b.maybe, want)
		b.s.calm()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, did := range b.did {
		// A field tells each change, twice: at once and when it is left.
		if did != want && !slices.Contains(b.maybe, did) && !strings.HasPrefix(did, "text Name") {
			b.s.missed("%s was asked of a page, and it told %s: %v", want, did, r)
		}
	}
	b.did = nil
	b.ended(r)
}
