package atspi

import (
	"cmp"
	"time"
)

// Budget bounds what one read may cost. A zero field means its default.
type Budget struct {
	Nodes int // nodes of the tree; default 20,000
	Depth int // levels below a top level; default 128
	// Children is how many children of one node are read. Of a longer list, a
	// table of a million cells for example, that many are read from the first
	// visible one on. Default 500.
	Children int
	Text     int           // characters of one text; default 400
	Bytes    int           // bytes received; default 24 MiB, about 100,000 nodes in bulk
	Time     time.Duration // the whole read; default 5 s
	Call     time.Duration // one call; default is the connection's
	Window   int           // calls in the air at once; default 256
}

// The defaults of a [Budget].
const (
	defaultNodes    = 20_000
	defaultDepth    = 128
	defaultChildren = 500
	defaultBytes    = 24 << 20
	defaultTime     = 5 * time.Second
	maxWindow       = 4096 // the bus allows 50,000 calls out; ours may not be all of them
)

// orDefault fills in what was left out.
func (b Budget) orDefault(call time.Duration) Budget {
	b.Nodes = cmp.Or(max(b.Nodes, 0), defaultNodes)
	b.Depth = cmp.Or(max(b.Depth, 0), defaultDepth)
	b.Children = cmp.Or(max(b.Children, 0), defaultChildren)
	b.Bytes = cmp.Or(max(b.Bytes, 0), defaultBytes)
	b.Time = cmp.Or(max(b.Time, 0), defaultTime)
	b.Call = min(cmp.Or(max(b.Call, 0), call), b.Time)
	b.Window = min(cmp.Or(max(b.Window, 0), defaultWindow), maxWindow)
	return b
}

// Why a read was cut: the values of [Cut].Why.
const (
	CutNodes = "nodes"
	CutDepth = "depth"
	CutBytes = "bytes"
	CutTime  = "time"
)
