package page

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"

	"vibespace/internal/api"
)

// key is what an element is: a node of a document in a frame. The browser
// gives a node's number never again in a process.
type key struct {
	frame   cdp.FrameID
	loader  cdp.LoaderID
	backend cdp.BackendNodeID
}

// entry is an element that an answer told of, as it was told last.
type entry struct {
	ref   api.Ref
	key   key
	f     *frame
	role  string // as it was told
	name  string
	print string // what must not have changed: see fingerprint
	// made: the accessibility tree does not know it as an element; its print is
	// its text.
	made bool
}

// maxEntries bounds what is remembered of elements of documents that are gone.
const maxEntries = 20_000

// refs are the elements of a tab that have numbers.
type refs struct {
	mu    sync.Mutex
	byKey map[key]*entry
	byRef map[api.Ref]*entry
	// secrets are fields that were seen to hold a secret: showing a password
	// makes it no less one.
	secrets map[key]bool
}

// init makes the maps.
func (r *refs) init() {
	r.byKey, r.byRef, r.secrets = map[key]*entry{}, map[api.Ref]*entry{}, map[key]bool{}
}

// tell gives an element its number, the one it has or a new one, and notes how
// it is told.
func (p *Page) tell(it *item) api.Ref {
	k := it.key()
	p.refs.mu.Lock()
	defer p.refs.mu.Unlock()
	e := p.refs.byKey[k]
	if e == nil {
		p.forgetLocked()
		p.b.mu.Lock()
		p.b.lastRef++
		e = &entry{ref: api.Ref("@e" + strconv.Itoa(p.b.lastRef)), key: k, f: it.fr.f}
		p.b.mu.Unlock()
		p.refs.byKey[k], p.refs.byRef[e.ref] = e, e
	}
	e.role, e.name, e.print, e.made = it.role, it.name, it.print, it.made
	return e.ref
}

// forgetLocked drops elements of documents that are gone, when there are many.
func (p *Page) forgetLocked() {
	if len(p.refs.byRef) < maxEntries {
		return
	}
	for ref, e := range p.refs.byRef {
		if p.where(e.f).loader != e.key.loader {
			delete(p.refs.byRef, ref)
			delete(p.refs.byKey, e.key)
			delete(p.refs.secrets, e.key)
		}
	}
}

// isSecret says whether a field holds a secret, and remembers that it did.
func (p *Page) isSecret(k key, looks bool) bool {
	p.refs.mu.Lock()
	defer p.refs.mu.Unlock()
	if looks && !p.refs.secrets[k] {
		p.refs.secrets[k] = true
		p.b.mu.Lock()
		p.b.secrets = append(p.b.secrets, Secret{Target: p.Target(), Frame: k.frame, Loader: k.loader, Backend: k.backend})
		p.b.secrets = p.b.secrets[max(0, len(p.b.secrets)-maxEntries):]
		p.b.mu.Unlock()
	}
	return p.refs.secrets[k]
}

// Secret is a field that was seen to hold a secret, as the browser names it for
// as long as its document stands.
type Secret struct {
	Target  string
	Frame   cdp.FrameID
	Loader  cdp.LoaderID
	Backend cdp.BackendNodeID
}

// recall notes the fields of a new tab that an earlier connection saw to hold a
// secret: the page may show them as anything by now.
func (p *Page) recall() {
	for _, s := range p.b.cfg.Secrets {
		if s.Target == p.Target() {
			p.refs.secrets[key{s.Frame, s.Loader, s.Backend}] = true
		}
	}
}

// look finds the element of a ref. One of this browser that is not of this
// tab's documents any more is stale; one no answer ever told is unknown.
func (p *Page) look(ref api.Ref) (*entry, error) {
	p.refs.mu.Lock()
	e := p.refs.byRef[ref]
	p.refs.mu.Unlock()
	if e == nil {
		return nil, p.noSuch(ref)
	}
	if p.where(e.f).loader != e.key.loader {
		return nil, e.stale("gone: its document was left")
	}
	p.mu.Lock()
	there := p.frames[e.key.frame] == e.f
	p.mu.Unlock()
	if !there {
		return nil, e.stale("gone: its frame was removed")
	}
	return e, nil
}

// noSuch says why a ref means nothing here.
func (p *Page) noSuch(ref api.Ref) error {
	for _, q := range p.b.Pages() {
		q.refs.mu.Lock()
		_, theirs := q.refs.byRef[ref]
		q.refs.mu.Unlock()
		if theirs && q.context == p.context && q != p {
			return api.Refuse(api.UnknownRef, "%s is an element of tab %s, not of %s", ref, q.id, p.id).
				WithHint("vibespace-browser tab %s", q.id).With("tab", q.id)
		}
	}
	n, err := strconv.Atoi(strings.TrimPrefix(string(ref), "@e"))
	p.b.mu.Lock()
	given := err == nil && n > 0 && n <= p.b.lastRef
	p.b.mu.Unlock()
	if given {
		return api.Refuse(api.StaleRef, "%s is an element of a page that was left", ref).WithHint("vibespace-browser snapshot")
	}
	return api.Refuse(api.UnknownRef, "no answer ever told of %s", ref).WithHint("vibespace-browser snapshot")
}

// ofBefore refuses the number of an element that an earlier connection told of:
// whether that is there still is not known, and so not that it is gone.
func (b *Browser) ofBefore(ref api.Ref) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(ref), "@e"))
	if err != nil || n < 1 || n > b.cfg.Refs {
		return nil
	}
	return api.Refuse(api.StaleRef, "%s was told before the daemon was started anew: take a snapshot first", ref).
		WithHint("vibespace-browser snapshot").With("ref", ref)
}

// stale is the refusal of an element that is gone or has become another one.
func (e *entry) stale(is string) *api.Error {
	was := strings.TrimSpace(fmt.Sprintf("%s %s", e.role, api.Quote(e.name, 120)))
	return api.Refuse(api.StaleRef, "%s was %s and is %s", e.ref, was, is).WithHint("vibespace-browser snapshot").
		With("ref", e.ref).With("was", was).With("is", is)
}
