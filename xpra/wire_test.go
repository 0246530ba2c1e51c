package xpra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
	"vibespace/internal/proc"
)

func TestMain(m *testing.M) { need.Main(m) }

// values are what packets are made of, at the edges of how they are written.
func values() []any {
	long := make([]any, fixLists)
	large := map[string]any{}
	for i := range long {
		long[i] = i
		large[fmt.Sprint("key ", i)] = i
	}
	return []any{
		nil, true, false, 0, 43, 44, -1, -32, -33, 127, 128, -128, -129, math.MaxInt16, math.MinInt16, 1 << 16, math.MaxInt32,
		math.MinInt32, 1 << 40, -1 << 40, 0.5, math.Inf(-1), "", "é 你", strings.Repeat("x", fixStrings-1), strings.Repeat("x", 5000),
		[]any{},
		long,
		map[string]any{},
		map[string]any{"a": []any{1, "b", nil}},
		large,
	}
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, want := range values() {
		got, err := decode(encode(nil, want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v came back as %v, %v", want, got, err)
		}
	}
	// What xpra writes and we do not: numbers in decimal, and short floats.
	for text, want := range map[string]any{"\x3d-1234567890123\x7f": -1234567890123, "\x42\x3f\x00\x00\x00": 0.5} {
		if got, err := decode([]byte(text)); err != nil || got != want {
			t.Errorf("%x is %v, %v", text, got, err)
		}
	}
}

func TestWhatIsNoPacketIsRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("\xc1", 2*maxNesting)
	for name, text := range map[string]string{
		"cut": "\x3f\x00", "a string beyond the end": "99:x", "a list without end": "\x3b\x01", "a huge length": "99999999999999:x",
		"an unknown code": "\x2d", "no digits": "\x3dabc\x7f", "nested": deep + "\x00", "empty": "",
	} {
		if v, err := decode([]byte(text)); !errors.Is(err, errRencode) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	for name, text := range map[string]string{
		"another protocol": "GET / HTTP/1.1\r\n\r\n", "too large": "P\x01\x00\x00\x7f\xff\xff\xff", "packed by another": "P\x01\x11\x00\x00\x00\x00\x01x",
		"not packed at all": "P\x01\x01\x00\x00\x00\x00\x01x", "no list": "P\x01\x00\x00\x00\x00\x00\x01\x05",
	} {
		if p, err := readPacket(strings.NewReader(text)); !errors.Is(err, errRencode) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := readPacket(strings.NewReader("P\x01")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range values() {
		f.Add(encode(nil, v))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		v, err := decode(b)
		if err != nil {
			return
		}
		if p, ok := v.([]any); ok {
			event(packet(p))
		}
		_, _ = readPacket(bytes.NewReader(b))
	})
}

// TestEvents: what the server says of a window is read by its kind, whatever
// types a value comes in.
func TestEvents(t *testing.T) {
	t.Parallel()
	yes := true
	for _, row := range []struct {
		say  packet
		want Event
	}{
		{
			packet{"new-window", 3, 10, 20, 300, 200, map[string]any{
				"xid": "0x20000c", "transient-for": 1, "window-type": []any{"DIALOG"}, "modal": 1,
			}},
			Event{
				Kind: New, Window: 3, Rect: Rect{10, 20, 300, 200}, At: true,
				Meta: Meta{XID: 0x20000c, Parent: 1, Types: []string{"DIALOG"}, Modal: &yes},
			},
		},
		{packet{"new-override-redirect", 4, 0, 0, 9, 9, map[string]any{}}, Event{Kind: New, Window: 4, Rect: Rect{0, 0, 9, 9}, At: true, Menu: true}},
		{packet{"window-metadata", 3, map[string]any{"fullscreen": true}}, Event{Kind: Told, Window: 3, Meta: Meta{Fullscreen: &yes}}},
		{packet{"window-resized", 3, 640, 480, 1}, Event{Kind: Sized, Window: 3, Rect: Rect{W: 640, H: 480}}},
		{packet{"window-move-resize", 3, 1, 2, 640, 480.0}, Event{Kind: Sized, Window: 3, Rect: Rect{1, 2, 640, 480}, At: true}},
		{packet{"raise-window", 3}, Event{Kind: Raised, Window: 3}},
		{packet{"lost-window", 3}, Event{Kind: Lost, Window: 3}},
		{packet{"lost-window"}, Event{Kind: Lost}},
		{packet{"cursor", 3}, Event{Window: 3}},
		{packet{7, "x"}, Event{}},
	} {
		if got := event(row.say); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%v is %+v", row.say, got)
		}
	}
}

// TestDialEnds: a server that says nothing, and one that refuses, hold nobody up.
func TestDialEnds(t *testing.T) {
	t.Parallel()
	server, socket := listen(t)
	// Nobody accepts: the kernel connects, and then nothing is said.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, socket); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent server: %v", err)
	}
	go refuse(server)
	if _, err := Dial(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "server is full") {
		t.Errorf("a refusal: %v", err)
	}
}

// listen is a socket that nobody accepts on yet.
func listen(t *testing.T) (server net.Listener, socket string) {
	t.Helper()
	socket = filepath.Join(need.Dir(t), "sock")
	server, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, socket
}

// refuse lets nobody in until the listener is closed.
func refuse(server net.Listener) {
	for {
		conn, err := server.Accept()
		if err != nil {
			return
		}
		if _, err := readPacket(conn); err == nil {
			_, _ = conn.Write(frame(packet{"disconnect", "server is full"}))
		}
		_ = conn.Close()
	}
}

// TestAServerThatRefusesIsNotWaitedFor: a server that runs and lets us not in is
// given up long before the time that it has to start.
func TestAServerThatRefusesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	server, socket := listen(t)
	go refuse(server)
	p, err := proc.Start(proc.Spec{Path: "/bin/sleep", Args: []string{"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(context.Background(), 0); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := await(ctx, p, socket); !errors.Is(err, errRefused) || ctx.Err() != nil {
		t.Errorf("it ended with %v, and its context: %v", err, ctx.Err())
	}
}

func TestProgramSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	bare, binary := filepath.Join(dir, "bare"), filepath.Join(dir, "binary")
	need.Script(t, bare, "#!"+need.Tool(t, "python3")+" -S\n")
	need.Script(t, binary, "\x7fELF")
	for program, says := range map[string]string{
		filepath.Join(dir, "nothing"): "package xpra", dir: "package xpra", bare: "python3-pil", binary: "is no script",
	} {
		if _, err := Program(t.Context(), program); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", program, err)
		}
	}
	need.Xpra(t)
	if _, err := Program(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// TestViewerSaysWhatIsMissing: what can serve windows cannot show them yet.
func TestViewerSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	if _, err := Viewer(t.Context(), filepath.Join(need.Dir(t), "nothing")); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "package xpra") {
		t.Error(err)
	}
	// A library that is in a place of its own: the interpreter finds it, and not gi.
	lib := need.Dir(t)
	if err := os.WriteFile(filepath.Join(lib, "PIL.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(need.Dir(t), "bare")
	need.Script(t, filepath.Join(lib, "python"), "#!/bin/sh\nPYTHONPATH="+lib+" exec "+need.Tool(t, "python3")+" -S \"$@\"\n")
	need.Script(t, bare, "#!"+filepath.Join(lib, "python")+"\n")
	if _, err := Program(t.Context(), bare); err != nil {
		t.Errorf("it can serve: %v", err)
	}
	if _, err := Viewer(t.Context(), bare); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "python3-gi-cairo") {
		t.Errorf("it can show: %v", err)
	}
	need.XpraViewer(t)
	if _, err := Viewer(t.Context(), ""); err != nil {
		t.Error(err)
	}
}
