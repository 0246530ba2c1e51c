package x11

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// modePrefix begins the names of the sizes that are made here.
const modePrefix = "nested-"

// output is the one output of a virtual screen and what it shows.
type output struct {
	all   []randr.Output
	crtc  randr.Crtc // 0 where a server has none
	shows Rect
	modes []outputMode
	time  xproto.Timestamp // of the server's configuration: changes must name it
}

type outputMode struct {
	id   randr.Mode
	name string
	w, h int
}

func (c *Conn) readOutput(x *xgb.Conn) (output, error) {
	r, err := randr.GetScreenResourcesCurrent(x, c.root).Reply()
	if err != nil {
		return output{}, err
	}
	out := output{all: r.Outputs, time: r.ConfigTimestamp}
	if len(r.Crtcs) == 0 || len(r.Outputs) == 0 {
		return out, nil
	}
	out.crtc = r.Crtcs[0]
	info, err := randr.GetCrtcInfo(x, out.crtc, r.ConfigTimestamp).Reply()
	if err != nil {
		return output{}, err
	}
	out.shows = Rect{int(info.X), int(info.Y), int(info.Width), int(info.Height)}
	names := r.Names
	for _, m := range r.Modes {
		n := min(int(m.NameLen), len(names))
		out.modes = append(out.modes, outputMode{randr.Mode(m.Id), string(names[:n]), int(m.Width), int(m.Height)})
		names = names[n:]
	}
	return out, nil
}

// showOutput makes the output show a part of the screen. Servers whose outputs
// cannot do that keep the monitor alone.
func (c *Conn) showOutput(x *xgb.Conn, out output, r Rect) error {
	if out.crtc == 0 || out.shows == r {
		return nil
	}
	mode, err := c.mode(x, out, r.W, r.H)
	if err != nil {
		return err
	}
	reply, err := randr.SetCrtcConfig(x, out.crtc, 0, out.time, int16(r.X), int16(r.Y),
		mode, randr.RotationRotate0, out.all[:1]).Reply()
	if err != nil {
		return err
	}
	if reply.Status != randr.SetConfigSuccess {
		return fmt.Errorf("the output did not take %dx%d (status %d)", r.W, r.H, reply.Status)
	}
	for _, m := range out.modes { // those no longer used, which a resized window leaves by the hundred
		if m.id != mode && strings.HasPrefix(m.name, modePrefix) {
			randr.DeleteOutputMode(x, out.all[0], m.id)
			randr.DestroyMode(x, m.id)
		}
	}
	return nil
}

// mode gives a mode of the size, making it if there is none.
func (c *Conn) mode(x *xgb.Conn, out output, w, h int) (randr.Mode, error) {
	for _, m := range out.modes {
		if m.w == w && m.h == h {
			return m.id, nil
		}
	}
	name := fmt.Sprintf("%s%dx%d", modePrefix, w, h)
	// The timings mean nothing on a virtual screen but must be in order.
	made, err := randr.CreateMode(x, c.root, randr.ModeInfo{
		Width: uint16(w), Height: uint16(h), DotClock: uint32(60 * (w + 3) * (h + 3)),
		HsyncStart: uint16(w + 1), HsyncEnd: uint16(w + 2), Htotal: uint16(w + 3),
		VsyncStart: uint16(h + 1), VsyncEnd: uint16(h + 2), Vtotal: uint16(h + 3),
		NameLen: uint16(len(name)),
	}, name).Reply()
	if err != nil {
		return 0, err
	}
	err = randr.AddOutputModeChecked(x, out.all[0], made.Mode).Check()
	if err != nil {
		return 0, errors.Join(err, randr.DestroyModeChecked(x, made.Mode).Check())
	}
	return made.Mode, nil
}
