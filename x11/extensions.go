package x11

import (
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/shape"
	_ "github.com/jezek/xgb/shm" // registers its events and errors
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// The names of the extensions this package uses, as the server lists them.
const (
	extComposite = "Composite"
	extDamage    = "DAMAGE"
	extFixes     = "XFIXES"
	extRandR     = "RANDR"
	extShape     = "SHAPE"
	extShm       = "MIT-SHM"
	extTest      = "XTEST"
	extResource  = "X-Resource"
)

// extension gives one extension a place among the process-wide numbers.
// Servers number the events of extensions from 64 and errors from 128; any
// place in those ranges will do as long as no two overlap.
type extension struct {
	name   string
	event  byte // our number of its first event
	fault  byte // our number of its first error
	events byte
	faults byte
	// version makes the client's version known to the server. Most extensions
	// refuse or misread later requests without it. It returns the wait for the
	// answer, so that all extensions are asked at once.
	version func(*xgb.Conn) func() error
}

var extensions = []extension{
	{name: extComposite, version: func(x *xgb.Conn) func() error {
		c := composite.QueryVersion(x, 0, 4)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extDamage, event: 64, events: 1, fault: 128, faults: 1, version: func(x *xgb.Conn) func() error {
		c := damage.QueryVersion(x, 1, 1)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extFixes, event: 66, events: 2, fault: 130, faults: 1, version: func(x *xgb.Conn) func() error {
		c := xfixes.QueryVersion(x, 5, 0)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extRandR, event: 70, events: 2, fault: 134, faults: 4, version: func(x *xgb.Conn) func() error {
		c := randr.QueryVersion(x, 1, 5)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extShape, event: 74, events: 1, version: func(x *xgb.Conn) func() error {
		c := shape.QueryVersion(x)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extShm, event: 76, events: 1, fault: 140, faults: 1},
	{name: extTest, version: func(x *xgb.Conn) func() error {
		c := xtest.GetVersion(x, 2, 2)
		return func() error { _, err := c.Reply(); return err }
	}},
	{name: extResource, version: func(x *xgb.Conn) func() error {
		c := res.QueryVersion(x, 1, 2)
		return func() error { _, err := c.Reply(); return err }
	}},
}

// init registers the events and errors of every extension once, at our own
// numbers. The library's own Init writes these tables at each connection, with
// that server's numbers, while the reading goroutines of other connections use
// them: a data race the runtime ends the process for.
func init() {
	for _, e := range extensions {
		for n, fun := range xgb.NewExtEventFuncs[e.name] {
			xgb.NewEventFuncs[int(e.event)+n] = fun
		}
		for n, fun := range xgb.NewExtErrorFuncs[e.name] {
			xgb.NewErrorFuncs[int(e.fault)+n] = fun
		}
	}
	// The library prints to stderr what it also returns: a server that goes
	// away is ordinary here and reported as ErrGone.
	xgb.Logger = log.New(io.Discard, "", 0)
}

// numbering maps the event and error numbers of one server to ours.
type numbering struct {
	events [128]byte
	faults [256]byte
}

const (
	lastCoreEvent = 34 // MappingNotify
	lastCoreError = badImplementation
)

func (n *numbering) eventCode(code byte) (byte, bool) {
	if code <= lastCoreEvent {
		return code, true
	}
	return n.events[code&0x7f], n.events[code&0x7f] != 0
}

func (n *numbering) errorCode(code byte) byte {
	if code <= lastCoreError {
		return code
	}
	if ours := n.faults[code]; ours != 0 {
		return ours
	}
	return badImplementation
}

// initExtensions asks for every extension at once, sets up the numbers, and
// tells the server which versions are spoken. What is missing is left out and
// named by the call that needs it.
func initExtensions(x *xgb.Conn, w *wire) (map[string]bool, error) {
	queries := make([]xproto.QueryExtensionCookie, len(extensions))
	for i, e := range extensions {
		queries[i] = xproto.QueryExtension(x, uint16(len(e.name)), e.name)
	}
	have := map[string]bool{}
	numbers := &numbering{}
	for i, e := range extensions {
		reply, err := queries[i].Reply()
		if err != nil {
			return nil, fmt.Errorf("query extension %s: %w", e.name, err)
		}
		if !reply.Present {
			continue
		}
		have[e.name] = true
		for n := range e.events {
			numbers.events[(reply.FirstEvent+n)&0x7f] = e.event + n
		}
		for n := range e.faults {
			numbers.faults[reply.FirstError+n] = e.fault + n
		}
		x.ExtLock.Lock()
		x.Extensions[e.name] = reply.MajorOpcode
		x.ExtLock.Unlock()
	}
	w.numbers.Store(numbers)

	var waits []func() error
	for _, e := range extensions {
		if have[e.name] && e.version != nil {
			waits = append(waits, e.version(x))
		}
	}
	var errs []error
	for _, wait := range waits {
		errs = append(errs, wait())
	}
	return have, errors.Join(errs...)
}

// needs says which of the named extensions the server lacks.
func (c *Conn) needs(names ...string) error {
	for _, name := range names {
		if !c.have[name] {
			return fmt.Errorf("%w: %s", ErrNoExtension, name)
		}
	}
	return nil
}
