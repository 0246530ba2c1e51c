package atspi

// Chromium answers two kinds of pixels at a device scale other than 1: its own
// controls in logical ones, a page and what is in it in the screen's. (Measured
// at --force-device-scale-factor=2: the panel that holds a page 25,159 940x437,
// the page in it 50,318 1880x874; at 1.5 10,153 1050x637 and 15,229 1575x956.
// The page is the part that is seen, however long the document.) Everything of
// such a window is brought to the screen's pixels, so that a page can be
// clipped by its window and placed with it.

// findScales is the device scale of each of Chromium's windows that has a page,
// by top level.
func (t *Tree) findScales() map[int]float64 {
	scales := map[int]float64{}
	if t.App.Toolkit != "Chromium" {
		return scales
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Role != RoleDocumentWeb || n.Parent < 0 || t.inPage(n.Parent) || n.Extents == nil || n.Extents.Empty() {
			continue
		}
		around := t.Nodes[n.Parent].Extents
		if around == nil || around.Empty() {
			continue
		}
		if scale, exact := ratio(*around, *n.Extents); exact && scale != 1 {
			scales[t.top(i)] = scale
		}
	}
	return scales
}

// toDevice brings one node's extents to the screen's pixels.
func (t *Tree) toDevice(i int) {
	n := &t.Nodes[i]
	if len(t.scales) == 0 || n.Extents == nil || n.Extents.Empty() || t.inPage(i) {
		return
	}
	if scale, ok := t.scales[t.top(i)]; ok {
		rect := Transform{Scale: scale}.Rect(*n.Extents)
		n.Extents = &rect
	}
}

// inPage reports whether a node is a web page or in one.
func (t *Tree) inPage(i int) bool {
	for ; i >= 0; i = t.Nodes[i].Parent {
		if t.Nodes[i].Role == RoleDocumentWeb {
			return true
		}
	}
	return false
}

// top is the top level a node is in.
func (t *Tree) top(i int) int {
	for t.Nodes[i].Parent >= 0 {
		i = t.Nodes[i].Parent
	}
	return i
}
