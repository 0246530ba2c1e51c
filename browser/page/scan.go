package page

import (
	"bytes"
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/domsnapshot"

	"vibespace/browser/devtools"
)

// axNodes waits for nodes of the accessibility tree.
func axNodes(ctx context.Context, c *devtools.Pending) (nodes []*axNode, err error) {
	err = c.Scan(ctx, func(s *devtools.Scanner) {
		s.Object(func(key []byte) {
			if string(key) == "nodes" {
				s.Array(func() {
					n := &axNode{}
					n.scan(s)
					nodes = append(nodes, n)
				})
			}
		})
	})
	return nodes, err
}

// axNode is what is read of a node of the accessibility tree: the protocol's own
// type holds ten times as much. Its values are parts of the browser's answer.
type axNode struct {
	ID         string
	Ignored    bool
	Role       axValue
	Name       axValue
	Desc       axValue
	Value      axValue
	Properties []axProperty
	Parent     string
	Children   []string
	Backend    cdp.BackendNodeID
}

// axValue is a value of any type.
type axValue struct {
	Value jsonv2.Value
}

// axProperty is one property; only those of related nodes have more than a
// value.
type axProperty struct {
	Name    string
	Value   jsonv2.Value
	Related []cdp.BackendNodeID
}

// scan reads a node.
func (n *axNode) scan(s *devtools.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "nodeId":
			n.ID = s.Text()
		case "ignored":
			n.Ignored = s.True()
		case "role":
			n.Role.scan(s)
		case "name":
			n.Name.scan(s)
		case "description":
			n.Desc.scan(s)
		case "value":
			n.Value.scan(s)
		case "properties":
			s.Array(func() {
				var p axProperty
				p.scan(s)
				n.Properties = append(n.Properties, p)
			})
		case "parentId":
			n.Parent = s.Text()
		case "childIds":
			s.Array(func() { n.Children = append(n.Children, s.Text()) })
		case "backendDOMNodeId":
			n.Backend = cdp.BackendNodeID(s.Int())
		}
	})
}

// scan reads a value.
func (v *axValue) scan(s *devtools.Scanner) {
	s.Object(func(key []byte) {
		if string(key) == "value" {
			v.Value = s.Raw()
		}
	})
}

// scan reads a property.
func (p *axProperty) scan(s *devtools.Scanner) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "name":
			p.Name = s.Text()
		case "value":
			s.Object(func(key []byte) {
				switch string(key) {
				case "value":
					p.Value = s.Raw()
				case "relatedNodes":
					s.Array(func() { p.Related = append(p.Related, related(s)) })
				}
			})
		}
	})
}

// related reads which node another one is related to.
func related(s *devtools.Scanner) (id cdp.BackendNodeID) {
	s.Object(func(key []byte) {
		if string(key) == "backendDOMNodeId" {
			id = cdp.BackendNodeID(s.Int())
		}
	})
	return id
}

// text is a value as a string: strings without their quotes.
func (v axValue) text() string { return plain(v.Value) }

// plain is a JSON scalar as text.
func plain(v jsonv2.Value) string {
	if len(v) == 0 {
		return ""
	}
	if v[0] != '"' {
		return string(v)
	}
	if bytes.IndexByte(v, '\\') < 0 { // nearly all: nothing in it is escaped
		return string(v[1 : len(v)-1])
	}
	var s string
	_ = jsonv2.Unmarshal(v, &s) // the browser's own JSON
	return s
}

// property is the text of a property, "" when it is not there.
func (n *axNode) property(name string) string {
	for i := range n.Properties {
		if n.Properties[i].Name == name {
			return plain(n.Properties[i].Value)
		}
	}
	return ""
}

// layouts waits for the documents of a process with their layout: what is read
// of them, and nothing else of what there is.
func layouts(ctx context.Context, c *devtools.Pending) (got *domsnapshot.CaptureSnapshotResult, err error) {
	got = &domsnapshot.CaptureSnapshotResult{}
	err = c.Scan(ctx, func(s *devtools.Scanner) {
		s.Object(func(key []byte) {
			switch string(key) {
			case "documents":
				s.Array(func() { got.Documents = append(got.Documents, scanDocument(s)) })
			case "strings":
				s.Array(func() { got.Strings = append(got.Strings, s.Text()) })
			}
		})
	})
	return got, err
}

// scanDocument reads a document with its layout.
func scanDocument(s *devtools.Scanner) *domsnapshot.DocumentSnapshot {
	d := &domsnapshot.DocumentSnapshot{Nodes: &domsnapshot.NodeTreeSnapshot{}, Layout: &domsnapshot.LayoutTreeSnapshot{}}
	s.Object(func(key []byte) {
		switch string(key) {
		case "frameId":
			d.FrameID = domsnapshot.StringIndex(s.Int())
		case "nodes":
			scanNodes(s, d.Nodes)
		case "layout":
			scanLayout(s, d.Layout)
		case "scrollOffsetX":
			d.ScrollOffsetX = s.Float()
		case "scrollOffsetY":
			d.ScrollOffsetY = s.Float()
		case "contentWidth":
			d.ContentWidth = s.Float()
		case "contentHeight":
			d.ContentHeight = s.Float()
		}
	})
	return d
}

// scanNodes reads the elements of a document.
func scanNodes(s *devtools.Scanner, n *domsnapshot.NodeTreeSnapshot) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "parentIndex":
			n.ParentIndex = devtools.Ints[int64](s)
		case "nodeType":
			n.NodeType = devtools.Ints[int64](s)
		case "nodeName":
			n.NodeName = devtools.Ints[domsnapshot.StringIndex](s)
		case "nodeValue":
			n.NodeValue = devtools.Ints[domsnapshot.StringIndex](s)
		case "backendNodeId":
			n.BackendNodeID = devtools.Ints[cdp.BackendNodeID](s)
		case "attributes":
			s.Array(func() { n.Attributes = append(n.Attributes, devtools.Ints[int64](s)) })
		case "textValue":
			n.TextValue = scanRare(s)
		case "inputValue":
			n.InputValue = scanRare(s)
		case "isClickable":
			n.IsClickable = &domsnapshot.RareBooleanData{Index: scanRare(s).Index}
		}
	})
}

// scanLayout reads where elements are and how they look.
func scanLayout(s *devtools.Scanner, l *domsnapshot.LayoutTreeSnapshot) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "nodeIndex":
			l.NodeIndex = devtools.Ints[int64](s)
		case "styles":
			s.Array(func() { l.Styles = append(l.Styles, devtools.Ints[int64](s)) })
		case "bounds":
			s.Array(func() {
				box := make(domsnapshot.Rectangle, 0, 4)
				s.Array(func() { box = append(box, s.Float()) })
				l.Bounds = append(l.Bounds, box)
			})
		}
	})
}

// scanRare reads what few elements have.
func scanRare(s *devtools.Scanner) *domsnapshot.RareStringData {
	rare := &domsnapshot.RareStringData{}
	s.Object(func(key []byte) {
		switch string(key) {
		case "index":
			rare.Index = devtools.Ints[int64](s)
		case "value":
			rare.Value = devtools.Ints[domsnapshot.StringIndex](s)
		}
	})
	return rare
}
