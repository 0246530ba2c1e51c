package atspi

// collectMost is how many references one collection may list. It bounds what
// listing costs the application, which makes an object of each.
const collectMost = 5000

// collectArgs ask a Collection for everything below it, parents before their
// children and in order: a rule that everything matches, with at most so many
// answers.
func collectArgs(most int) []byte {
	return intArgs(
		8, 0, 0, matchAll, // no states
		0, 0, matchAll, // no attributes; the array of entries is aligned to 8
		16, 0, 0, 0, 0, matchAll, // no roles
		0, matchAll, // no interfaces
		0,                      // not inverted
		sortCanonical, most, 1, // the whole subtree
	)
}

const (
	matchAll      = 1
	sortCanonical = 1
)

// collect finds what a browser's cache does not list. Firefox lists its window
// and nothing below it, Chromium leaves out the pages that were there before it
// was asked; level by level that is twenty round trips. A Collection names
// every object in one call, in a millisecond for a few hundred, and then all of
// them are asked at once. What they answer joins the items of the cache, which
// are checked as those are: what is missing or does not fit is asked again where
// it belongs.
func (r *reader) collect(after int) {
	most := min(r.budget.Nodes, collectMost)
	r.ask(request{ref: r.tree.App.Root, method: getMatches, args: collectArgs(most), after: after, take: func(a reply) {
		refs, err := a.refs(most)
		if err != nil { // no Collection: as without
			r.expandRoot(after)
			return
		}
		c := collection{r: r, refs: refs}
		for _, ref := range refs {
			if _, cached := r.bulk[ref]; !cached && ref.Bus == r.tree.App.Root.Bus && !ref.Null() {
				c.ask(ref, a.generation)
			}
		}
		if c.left == 0 {
			r.expandRoot(a.generation)
		}
	}})
}

// collection is the objects of one on their way.
type collection struct {
	r       *reader
	refs    []Ref // all, parents before children
	found   []*item
	left    int // answers that are not there yet
	longest int // generation of the last
}

// ask asks for what the cache would have said of an object. An object that does
// not answer one of the questions is left out.
func (c *collection) ask(ref Ref, after int) {
	it := &item{self: ref, index: -1, count: -1}
	c.found = append(c.found, it)
	c.part(it, getAll, accessibleArgs, after, func(a *reply) error {
		return a.properties(func(name, sig string, v *cursor) {
			switch {
			case name == "Name" && sig == "s":
				it.name = clean(string(v.raw()))
			case name == "Description" && sig == "s":
				it.description = clean(string(v.raw()))
			case name == "ChildCount" && sig == "i":
				it.count = int(v.int32())
			case name == "Parent" && sig == "(so)":
				it.parent = v.ref(ref.Bus)
			}
		})
	})
	c.part(it, getRole, nil, after, func(a *reply) error {
		if a.err == nil {
			it.role = Role(a.uint32())
		}
		return a.fault()
	})
	c.part(it, getState, nil, after, func(a *reply) error {
		words, err := a.words(2)
		it.states = statesOf(words)
		return err
	})
	c.part(it, getIfaces, nil, after, func(a *reply) (err error) {
		it.ifaces, err = a.ifaces()
		return err
	})
}

// part asks for a part of an item; the last answer of all goes on.
func (c *collection) part(it *item, m *method, args []byte, after int, take func(a *reply) error) {
	if c.r.flight.received > int64(c.r.budget.Bytes) {
		it.stale = true
		return // the road without asks the same, and says that it was cut
	}
	c.left++
	c.r.flight.ask(request{ref: it.self, method: m, args: args, after: after, take: func(a reply) {
		if err := take(&a); err != nil {
			it.stale = true
		}
		c.longest = max(c.longest, a.generation)
		if c.left--; c.left == 0 {
			c.land()
		}
	}})
}

// land joins what was found to the items of the cache and reads the tree from
// them.
func (c *collection) land() {
	r := c.r
	items := r.items
	for _, it := range c.found {
		if !it.stale && it.count >= 0 {
			items = append(items, *it)
		}
	}
	by := make(map[Ref]int, len(items))
	for i := range items {
		by[items[i].self] = i
	}
	places := map[Ref]int{}
	for _, ref := range c.refs {
		if i, ok := by[ref]; ok {
			it := &items[i]
			it.index = places[it.parent]
			places[it.parent]++
		}
	}
	if len(items) > 1 {
		r.take(items)
	}
	r.expandRoot(c.longest)
}
