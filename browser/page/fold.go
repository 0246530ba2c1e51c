package page

import (
	"strings"
)

// fold leaves out what a reader does not need: wrappers without a name,
// text that a name says already, and containers of one thing. all keeps
// containers.
func (b *builder) fold(it *item, all bool) {
	var kids []*item
	for _, k := range it.kids {
		b.fold(k, all)
		kids = append(kids, b.lifted(k, all)...)
	}
	it.kids = joinTexts(kids)
	switch {
	case it.role == "document":
	case holds[it.role] && !onlyTexts(it.kids):
		it.name = "" // made of what is in it, which is told itself
		it.nameByText()
	case spoken[it.role] && it.name != "":
		it.kids = unsaid(it.kids, it.name)
	case containers[it.role] && it.name == "":
		it.nameByText()
	}
	if it.role == "row" {
		it.joinCells()
	}
}

// lifted is what stands for an item: itself, or what is in it.
func (b *builder) lifted(it *item, all bool) []*item {
	self := []*item{it}
	switch {
	case len(it.actions) > 0, it.has("focused"), it.has("modal"):
		return self
	case b.labels[it.key()] && it.at >= 0:
		return withoutTexts(it.kids)
	case it.role == "text", it.role == "document":
		return self
	case it.wraps():
		return it.kids
	case it.role == "image" && it.name == "", it.role == "separator":
		return it.kids
	case containers[it.role] && !all:
		return it.contained()
	}
	return self
}

// wraps says whether an item only says how what is in it is set.
func (it *item) wraps() bool {
	if !wrappers[it.role] {
		return false
	}
	if it.role == "generic" && it.name != "" {
		return len(it.kids) > 0 && onlyTexts(it.kids)
	}
	return true
}

// contained is what stands for a container: one that holds one thing or none
// is that, and one that only says something is a text.
func (it *item) contained() []*item {
	switch {
	case it.name == "" && (len(it.kids) <= 1 || it.role == "cell"):
		return it.kids
	case it.name != "" && len(it.kids) == 0 && it.role != "row":
		it.role = "text"
	}
	return []*item{it}
}

// joinTexts makes texts that follow each other one.
func joinTexts(kids []*item) []*item {
	var out []*item
	for _, k := range kids {
		if last := len(out) - 1; k.role == "text" && last >= 0 && out[last].role == "text" && out[last].fr == k.fr && len(out[last].name) < 300 {
			joined := *out[last]
			joined.name = strings.TrimSpace(joined.name + " " + k.name)
			out[last] = &joined
			continue
		}
		out = append(out, k)
	}
	return out
}

// unsaid leaves out texts that a name says already.
func unsaid(kids []*item, name string) []*item {
	var out []*item
	for _, k := range kids {
		if k.role == "text" && strings.Contains(name, k.name) {
			continue
		}
		if k.role == "image" && len(k.kids) == 0 && strings.Contains(name, k.name) {
			continue
		}
		out = append(out, k)
	}
	return out
}

// withoutTexts leaves texts out.
func withoutTexts(kids []*item) []*item {
	var out []*item
	for _, k := range kids {
		if k.role != "text" {
			out = append(out, k)
		}
	}
	return out
}

// onlyTexts says whether there is nothing but texts.
func onlyTexts(kids []*item) bool { return len(withoutTexts(kids)) == 0 }

// nameByText names a container of a text by it.
func (it *item) nameByText() {
	if len(it.kids) > 0 && it.kids[0].role == "text" && (it.role == "listitem" || it.role == "row") {
		it.name = it.kids[0].name
		it.kids = it.kids[1:]
	}
}

// joinCells makes a row of mere texts one line.
func (it *item) joinCells() {
	for _, k := range it.kids {
		if k.role != "text" || len(k.kids) > 0 {
			return
		}
	}
	if it.name != "" || len(it.kids) == 0 {
		return
	}
	words := make([]string, len(it.kids))
	for i, k := range it.kids {
		words[i] = k.name
	}
	it.name, it.kids = strings.Join(words, " | "), nil
}
