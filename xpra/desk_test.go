package xpra

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Packets of a viewer and a server, as tests write them.
func said(parts ...any) packet { return parts }

func list(parts ...any) []any { return append([]any{}, parts...) }

// with is a desk that has greeted, with a main window 1 (shown at 200,100) and
// its menu 2, and a dialog 3 that is not shown yet.
func with(t *testing.T) *desk {
	t.Helper()
	d := newDesk("v")
	none := map[string]any{}
	d.fromViewer(said("hello", none))
	for _, p := range []packet{
		said("new-window", 1, 10, 20, 640, 480, map[string]any{"xid": "0xa01"}),
		said("new-override-redirect", 2, 40, 50, 90, 60, map[string]any{"xid": "0xa02", "transient-for": 1}),
		said("new-window", 3, 0, 0, 100, 80, map[string]any{"xid": "0xa03", "transient-for": 1}),
	} {
		d.fromServer(p, nil)
	}
	if v := d.fromViewer(said("map-window", 1, 200, 100, 640, 480, none, none)); len(v.acts) > 0 {
		t.Fatalf("being shown is %v", v.acts)
	}
	return d
}

// TestWhatAViewerSays: of what a viewer says its pixels and its signs of life go
// to the server, what the person does becomes acts, and nothing else goes through.
func TestWhatAViewerSays(t *testing.T) {
	t.Parallel()
	none := map[string]any{}
	for name, row := range map[string]struct {
		say  packet
		want verdict
	}{
		"a ping":                       {said("ping", 1), verdict{pass: true}},
		"its answer":                   {said("ping_echo", 1, 2, 3, 4, 5, ""), verdict{pass: true}},
		"pixels it took":               {said("damage-sequence", 1, 1, 640, 480, 9, ""), verdict{pass: true}},
		"its screen is locked":         {said("suspend", true, list(1, 9)), verdict{server: []packet{said("suspend", true, list(1))}}},
		"a second greeting":            {said("hello", none), verdict{}},
		"a keymap":                     {said("keymap-changed", none), verdict{}},
		"a layout":                     {said("layout-changed", "fr", ""), verdict{}},
		"a clipboard":                  {said("clipboard-token", "CLIPBOARD"), verdict{}},
		"a file":                       {said("send-file", "x"), verdict{}},
		"a command":                    {said("start-command", "sh", "sh", false), verdict{}},
		"the server's end":             {said("shutdown-server"), verdict{}},
		"a signal":                     {said("window-signal", 1, "SIGTERM"), verdict{}},
		"its screens":                  {said("desktop_size", 1, 2, list()), verdict{}},
		"a call":                       {said("rpc", "dbus", 1), verdict{}},
		"another compression":          {said("set_deflate", 9), verdict{}},
		"a window it was not told of":  {said("close-window", 9), verdict{}},
		"a window of that number":      {said("focus", 9, list()), verdict{acts: []Act{{Kind: ActFocus}}}},
		"a nameless packet":            {said(7), verdict{}},
		"hidden":                       {said("unmap-window", 1, true, none), verdict{server: []packet{said("suspend", false, list(1))}}},
		"pixels anew":                  {said("buffer-refresh", 1, 0, 100, map[string]any{"batch": none}, map[string]any{"encoding.x": 1, "workspace": 2}), verdict{server: []packet{refresh(1, map[string]any{"encoding.x": 1})}}},
		"pixels of every window":       {said("buffer-refresh", -1, 0, 100, none, none), verdict{}},
		"moved":                        {said("configure-window", 1, 5, 6, 640, 480, none, 0, none, false), verdict{}},
		"another size":                 {said("configure-window", 1, 5, 6, 700, 500, none, 0, none, false), verdict{acts: []Act{{Kind: ActSize, Window: 0xa01, W: 700, H: 500}}}},
		"its state":                    {said("configure-window", 1, 5, 6, 700, 500, none, 0, map[string]any{"maximized": true}, true), verdict{}},
		"a menu's size":                {said("configure-window", 2, 5, 6, 700, 500, none, 0, none, false), verdict{}},
		"the keyboard":                 {said("focus", 1, list()), verdict{acts: []Act{{Kind: ActFocus, Window: 0xa01}}}},
		"closed":                       {said("close-window", 1), verdict{acts: []Act{{Kind: ActClose, Window: 0xa01}}}},
		"a pointer":                    {said("pointer-position", 1, list(230, 140, 30, 40), list(), list()), verdict{acts: []Act{{Kind: ActMove, Window: 0xa01, X: 30, Y: 40}}}},
		"a pointer on its desktop":     {said("pointer-position", 1, list(230, 140), list(), list()), verdict{acts: []Act{{Kind: ActMove, Window: 0xa01, X: 30, Y: 40}}}},
		"a button":                     {said("button-action", 2, 3, true, list(0, 0, 7, 8), list(), list()), verdict{acts: []Act{{Kind: ActButton, Window: 0xa02, Menu: true, X: 7, Y: 8, Button: 3, Down: true}}}},
		"a button that comes up":       {said("button-action", 1, 1, false, list(0, 0, 7, 8), list(), list()), verdict{acts: []Act{{Kind: ActButton, Window: 0xa01, X: 7, Y: 8, Button: 1}}}},
		"the wheel's button":           {said("button-action", 1, 5, true, list(0, 0, 7, 8), list(), list()), verdict{acts: []Act{{Kind: ActWheel, Window: 0xa01, X: 7, Y: 8, Direction: "down", By: 1}}}},
		"the wheel's button comes up":  {said("button-action", 1, 5, false, list(0, 0, 7, 8), list(), list()), verdict{}},
		"a ninth button":               {said("button-action", 1, 9, true, list(0, 0, 7, 8), list(), list()), verdict{}},
		"half a notch":                 {said("wheel-motion", 1, 4, 500, list(0, 0, 7, 8), list(), list()), verdict{}},
		"two notches and a half":       {said("wheel-motion", 1, 4, 2500, list(0, 0, 7, 8), list(), list()), verdict{acts: []Act{{Kind: ActWheel, Window: 0xa01, X: 7, Y: 8, Direction: "up", By: 2}}}},
		"a million notches":            {said("wheel-motion", 1, 5, -1_000_000_000, list(0, 0, 7, 8), list(), list()), verdict{acts: []Act{{Kind: ActWheel, Window: 0xa01, X: 7, Y: 8, Direction: "down", By: 20}}}},
		"a key":                        {said("key-action", 1, "a", true, list(), 0x61, "a", 38, 0), verdict{acts: []Act{{Kind: ActKey, Window: 0xa01, Key: 0x61, Down: true}}}},
		"a key that was not pressed":   {said("key-action", 1, "a", false, list(), 0x61, "a", 38, 0), verdict{}},
		"a lock":                       {said("key-action", 1, "Caps_Lock", true, list(), 0xffe5, "", 66, 0), verdict{}},
		"a shift to the third level":   {said("key-action", 1, "ISO_Level3_Shift", true, list(), 0xfe03, "", 108, 0), verdict{}},
		"a key that means nothing":     {said("key-action", 1, "", true, list(), 0, "", 250, 0), verdict{}},
		"a key in no window":           {said("key-action", 0, "a", true, list(), 0x61, "a", 38, 0), verdict{}},
		"a place that is no list":      {said("pointer-position", 1, "here"), verdict{acts: []Act{{Kind: ActMove, Window: 0xa01, X: -200, Y: -100}}}},
		"a packet that is cut":         {said("button-action", 1), verdict{}},
		"a configuration that is none": {said("configure-window", 1), verdict{acts: []Act{{Kind: ActSize, Window: 0xa01}}}},
	} {
		if got := with(t).fromViewer(row.say); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}

// TestAViewerPlacesNothing: a window that the viewer shows is not placed by it: it
// is told to send its pixels, and neither where it is nor its state goes on.
func TestAViewerPlacesNothing(t *testing.T) {
	t.Parallel()
	v := with(t).fromViewer(said("map-window", 3, 900, 700, 100, 80, map[string]any{"encodings.rgb_formats": list("RGB"), "workspace": 1}, map[string]any{"maximized": true}))
	want := verdict{server: []packet{said("resume", false, list(3)), refresh(3, map[string]any{"encodings.rgb_formats": list("RGB"), "event": "map"})}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v", v)
	}
}

// TestNothingBeforeTheGreeting: what a viewer says before it greets is nothing.
func TestNothingBeforeTheGreeting(t *testing.T) {
	t.Parallel()
	d := newDesk("v")
	if v := d.fromViewer(said("ping", 1)); !reflect.DeepEqual(v, verdict{}) {
		t.Errorf("%+v", v)
	}
	v := d.fromViewer(said("hello", map[string]any{
		"keyboard": true, "xkbmap_layout": "fr", "clipboard": true, "mmap.file": "/x", "uuid": "theirs", "share": false, "lock": true, "request": "stop",
		"command_request": list("sh"), "encodings": list("rgb24"), "encoding.rgb_lz4": true, "lz4": true, "compression_level": 9,
		"screen_sizes": list(1), "desktop_size": list(1, 2), "dpi": 200, "window.min-size": list(1, 1), "metadata.supported": list("title", "maximized", "pid", 7),
		"aliases": map[string]any{"ping": 1}, "challenge_response": "x",
	}))
	if len(v.server) != 1 || v.pass || v.server[0].kind() != "hello" {
		t.Fatalf("%+v", v)
	}
	got := v.server[0].dict(1)
	for key, want := range map[string]any{
		"uuid": "v", "share": true, "keyboard": false, "clipboard": false, "compression_level": 0, "lz4": true, "encoding.rgb_lz4": true,
		"encodings": list("rgb24"), "metadata.supported": list("title", "xid"), "desktop_size": list(noDesktop, noDesktop), "screen_sizes": list(),
	} {
		if !reflect.DeepEqual(got[key], want) {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	for _, key := range []string{"xkbmap_layout", "mmap.file", "lock", "request", "command_request", "dpi", "window.min-size", "aliases", "challenge_response"} {
		if _, there := got[key]; there {
			t.Errorf("the server is told %s: %v", key, got[key])
		}
	}
}

// TestWhatAServerSays: a viewer gets its windows and their pixels, and nothing
// that would move, raise or grab anything on the person's desktop.
func TestWhatAServerSays(t *testing.T) {
	t.Parallel()
	title := map[string]any{"title": "x"}
	beside := &Rect{X: 10, Y: 20, W: 640, H: 480}
	for name, row := range map[string]struct {
		say  packet
		want verdict
	}{
		"the greeting":        {said("hello", title), verdict{pass: true}},
		"a ping":              {said("ping", 1), verdict{pass: true}},
		"pixels":              {said("draw", 1, 0, 0, 9, 9, "rgb24", "", 1, 27), verdict{pass: true}},
		"pixels of no window": {said("draw", 9, 0, 0, 9, 9, "rgb24", "", 1, 27), verdict{}},
		"a title":             {said("window-metadata", 1, title), verdict{pass: true}},
		"a window's end":      {said("lost-window", 1), verdict{pass: true}},
		"no window's end":     {said("lost-window", 9), verdict{}},
		"to the front":        {said("raise-window", 1), verdict{}},
		"a grab":              {said("pointer-grab", 1), verdict{}},
		"a pointer":           {said("pointer-position", 1, 5, 5), verdict{}},
		"a bell":              {said("bell", 1, 0, 0, 0, 0, 0, 0, ""), verdict{}},
		"a notice":            {said("notify_show", 1), verdict{}},
		"a page":              {said("open-url", "http://x", ""), verdict{}},
		"a question":          {said("challenge", "salt", "", "hmac"), verdict{}},
		"a file":              {said("send-file", "x"), verdict{}},
		"a control":           {said("control", "name", "x"), verdict{}},
		"a tray":              {said("new-tray", 8, 9, 9, title), verdict{}},
		"a desktop":           {said("show-desktop", true), verdict{}},
		"a move by the app":   {said("initiate-moveresize", 1, 1, 1, 8, 1, 1), verdict{}},
		"a new main window":   {said("new-window", 5, 1, 2, 30, 40, map[string]any{"xid": "0xa05"}), verdict{pass: true}},
		"a window without id": {said("new-window", 5, 1, 2, 30, 40, map[string]any{}), verdict{}},
		"a window again":      {said("new-window", 1, 1, 2, 30, 40, map[string]any{"xid": "0xa05"}), verdict{}},
		"a dialog": {
			said("new-window", 5, 1, 2, 40, 80, map[string]any{"xid": "0xa05", "transient-for": 1}, title),
			verdict{viewer: []packet{said("new-window", 5, 500, 300, 40, 80, map[string]any{"xid": "0xa05", "transient-for": 1}, title)}},
		},
		"a menu": {
			said("new-override-redirect", 5, 60, 70, 40, 80, map[string]any{"xid": "0xa05"}),
			verdict{viewer: []packet{said("new-override-redirect", 5, 250, 150, 40, 80, map[string]any{"xid": "0xa05"})}},
		},
		"a menu that moves": {
			said("configure-override-redirect", 2, 61, 71, 40, 80), verdict{viewer: []packet{said("configure-override-redirect", 2, 251, 151, 40, 80)}},
		},
		"another size":  {said("window-resized", 1, 800, 600, 2), verdict{viewer: []packet{said("window-resized", 1, 800, 600, 2)}}},
		"another place": {said("window-move-resize", 1, 0, 0, 800, 600, 2), verdict{viewer: []packet{said("window-resized", 1, 800, 600, 2)}}},
	} {
		d := with(t)
		if got := d.fromServer(row.say, beside); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
		if xid := d.beside(row.say); strings.Contains(name, "menu") != (xid == 0xa01) {
			t.Errorf("%s is beside %#x", name, xid)
		}
	}
	if v := with(t).fromServer(said("new-override-redirect", 5, 60, 70, 40, 80, map[string]any{"xid": "0xa05"}), nil); v.viewer[0].number(2) != 60 {
		t.Errorf("a menu beside a window that is gone: %+v", v)
	}
}

// TestKeysComeUp: a release is of what was pressed, a key that is down repeats, and
// who loses the keyboard forgets what was down.
func TestKeysComeUp(t *testing.T) {
	t.Parallel()
	d := with(t)
	key := func(sym int, down bool) []Act {
		return d.fromViewer(said("key-action", 1, "", down, list(), sym, "", 38, 0)).acts
	}
	upper := Act{Kind: ActKey, Window: 0xa01, Key: 'A', Down: true}
	again, up := upper, upper
	again.Again, up.Down = true, false
	for i, want := range [][]Act{{upper}, {again}, {up}, nil} {
		sym := 'A'
		if i > 0 { // shift came up meanwhile
			sym = 'a'
		}
		if got := key(int(sym), i < 2); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v", i, got)
		}
	}
	key('b', true)
	d.fromViewer(said("focus", 0, list()))
	if got := key('b', false); got != nil {
		t.Errorf("after the keyboard was lost: %+v", got)
	}
	for code := range 2 * maxKeys {
		d.fromViewer(said("key-action", 1, "", true, list(), int('c'), "", code, 0))
	}
	if len(d.keys) != maxKeys {
		t.Errorf("%d keys are down", len(d.keys))
	}
}

// TestSizesDoNotGoRound: what a viewer was told is no wish of its own, its wish is
// not told back to it, and one that is not followed is.
func TestSizesDoNotGoRound(t *testing.T) {
	t.Parallel()
	d := with(t)
	wish := func(w, h int) int {
		return len(d.fromViewer(said("configure-window", 1, 5, 6, w, h, map[string]any{}, 0, map[string]any{}, false)).acts)
	}
	is := func(w, h int) int { return len(d.fromServer(said("window-resized", 1, w, h, 0), nil).viewer) }
	if is(700, 500) != 1 || is(710, 510) != 1 || wish(700, 500) != 0 || wish(710, 510) != 0 {
		t.Error("what was told came back as a wish")
	}
	if wish(800, 600) != 1 || wish(810, 610) != 1 || is(800, 600) != 0 || is(810, 610) != 0 {
		t.Error("a wish that was followed was told")
	}
	if wish(810, 610) != 0 {
		t.Error("a move is a wish for a size")
	}
	if wish(400, 300) != 1 {
		t.Error("a wish was lost")
	}
	v := d.sizeBack(0xa01)
	want := verdict{viewer: []packet{said("window-resized", 1, 810, 610, 0)}, server: []packet{refresh(1, map[string]any{})}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v", v)
	}
	if wish(810, 610) != 0 {
		t.Error("its own size is a wish")
	}
	for i := range 100 {
		wish(1000+i, 1000)
		is(2000+i, 1000)
	}
	if w := d.windows[1]; len(w.told) > maxSizes || len(w.wished) > maxSizes {
		t.Errorf("%d and %d sizes wait", len(w.told), len(w.wished))
	}
}

// TestActsWait: motions that follow each other are one, and there is an end to
// what waits.
func TestActsWait(t *testing.T) {
	t.Parallel()
	var acts []Act
	room := true
	for i := range 10 {
		acts, room = addAct(acts, Act{Kind: ActMove, X: i})
	}
	if !room || len(acts) != 1 || acts[0].X != 9 {
		t.Errorf("%v", acts)
	}
	for room {
		acts, room = addAct(acts, Act{Kind: ActKey})
	}
	if len(acts) != maxActs {
		t.Errorf("%d wait", len(acts))
	}
}

// pipeEnds are a viewer and a server with a relay between them, and the relay.
func pipeEnds(t *testing.T) (viewer, server net.Conn, r *Relay) {
	t.Helper()
	l, socket := listen(t)
	viewer, theirs := net.Pipe()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			accepted <- conn
		}
	}()
	r, err := NewRelay(t.Context(), RelayConfig{Socket: socket, ID: "v", Viewer: theirs, Where: func(uint32) (Rect, bool) { return Rect{X: 1, Y: 2}, true }})
	if err != nil {
		t.Fatal(err)
	}
	server = <-accepted
	t.Cleanup(func() { r.Close(); _ = viewer.Close(); _ = server.Close() })
	return viewer, server, r
}

// TestRelay: a conversation is carried, pixels as they came and chunks with them;
// an act is handed out; each side's end ends it.
func TestRelay(t *testing.T) {
	t.Parallel()
	viewer, server, r := pipeEnds(t)
	out, in := bufio.NewReader(server), bufio.NewReader(viewer)
	write := func(to net.Conn, raw []byte) {
		t.Helper()
		if _, err := to.Write(raw); err != nil {
			t.Fatal(err)
		}
	}
	write(viewer, frame(said("hello", map[string]any{"encodings": list("rgb24")})))
	p, err := readPacket(out)
	if err != nil || p.kind() != "hello" || p.dict(1)["uuid"] != "v" {
		t.Fatalf("%v, %v", p, err)
	}
	window := frame(said("new-window", 1, 0, 0, 9, 9, map[string]any{"xid": "0xa01"}))
	chunk := append([]byte{magic, 0, 0, 7, 0, 0, 0, 3}, "\x00px"...)
	draw := append(chunk, frame(said("draw", 1, 0, 0, 9, 9, "rgb24", "", 1, 27))...)
	sent := slices.Concat(window, frame(said("raise-window", 1)), draw)
	go func() { _, _ = server.Write(sent) }()
	got := make([]byte, len(window)+len(draw))
	if _, err := io.ReadFull(in, got); err != nil || string(got) != string(window)+string(draw) {
		t.Fatalf("%x, %v", got, err)
	}
	write(viewer, frame(said("key-action", 1, "a", true, list(), 0x61, "a", 38, 0)))
	a, err := r.Next(t.Context())
	if err != nil || a.Key != 0x61 || a.Window != 0xa01 || time.Since(r.Heard()) > time.Minute {
		t.Errorf("%+v, %v", a, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	_ = server.Close()
	if _, err := r.Next(t.Context()); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}

	viewer, _, r = pipeEnds(t)
	_ = viewer.Close()
	if _, err := r.Next(t.Context()); !errors.Is(err, ErrLeft) {
		t.Errorf("%v", err)
	}
	viewer, _, r = pipeEnds(t)
	go func() { _, _ = viewer.Write([]byte("GET / HTTP/1.1\r\n\r\n")) }()
	if _, err := r.Next(t.Context()); !errors.Is(err, errRencode) {
		t.Errorf("%v", err)
	}
}

func FuzzDesk(f *testing.F) {
	for _, p := range []packet{
		said("map-window", 1, 1, 2, 3, 4, map[string]any{"encoding": 1}, map[string]any{}), said("key-action", 1, "a", true, list(), 1, "a", 2, 0),
		said("new-window", 4, 1, 2, 3, 4, map[string]any{"xid": "0x1", "transient-for": 4}), said("wheel-motion", 1, 4, 1, list(1, 2)),
	} {
		f.Add(encode(nil, []any(p)))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		v, err := decode(b)
		p, ok := v.([]any)
		if err != nil || !ok || len(p) == 0 {
			return
		}
		d := newDesk("v")
		d.fromViewer(said("hello", map[string]any{}))
		d.fromServer(said("new-window", 1, 0, 0, 9, 9, map[string]any{"xid": "0xa01"}), nil)
		for range 2 {
			d.beside(p)
			for _, got := range []verdict{d.fromViewer(p), d.fromServer(p, &Rect{})} {
				for _, q := range slices.Concat(got.server, got.viewer) {
					frame(q)
				}
			}
		}
	})
}
