package daemon

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibespace/internal/need"
)

// TestAnotherUserIsTurnedAway: who serves another user closes our connection
// without a word and says whose it was, and takes one of its own.
func TestAnotherUserIsTurnedAway(t *testing.T) {
	path := filepath.Join(need.Dir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	me := uint32(os.Getuid())
	refused := make(chan uint32, 1)
	served := make(chan error, 1)
	go func() {
		_, err := peers{l, me + 1, func(uid uint32) { refused <- uid }}.Accept()
		served <- err
	}()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) || len(said) > 0 {
		t.Fatalf("it says %q, %v", said, err)
	}
	if uid := <-refused; uid != me {
		t.Errorf("uid %d was refused, and %d asked", uid, me)
	}
	l.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
}

// stranger asks a socket what every caller may ask, and prints the answer.
const stranger = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
    s.sendall(b"POST /v1/hello HTTP/1.1\r\nHost: vibespace\r\nContent-Length: 2\r\n\r\n{}")
    print("connected", s.recv(100))
except ConnectionError as e:
    print("connected", b"" if not isinstance(e, ConnectionRefusedError) else e)
except PermissionError:
    print("no way")
`

// TestAnotherUsersProcess asks a whole daemon as a process of another user: it
// finds no way to the socket, and no answer where somebody opened the way. Only
// root can be somebody else; for the rest, the test above is the proof.
func TestAnotherUsersProcess(t *testing.T) {
	python := need.Tool(t, "python3")
	s := serve(t)
	ask := func(as *syscall.Credential) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, python, "-c", stranger, s.cfg.Paths.Socket)
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: as}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := ask(nil); !strings.Contains(got, "200 OK") {
		t.Fatalf("our own process hears %q", got)
	}
	if os.Getuid() != 0 {
		return
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	if got := ask(nobody); got != "no way" {
		t.Errorf("another user's process hears %q", got)
	}
	for path := s.cfg.Paths.Socket; path != "/"; path = filepath.Dir(path) {
		openUp(t, path)
	}
	if got := ask(nobody); got != "connected b''" {
		t.Errorf("another user's process, on an open way, hears %q", got)
	}
}

// openUp lets everybody through a directory, or to a socket, until the test
// ends.
func openUp(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	was := info.Mode() & (fs.ModePerm | fs.ModeSticky | fs.ModeSetgid | fs.ModeSetuid)
	mode := was | 0o001
	if !info.IsDir() {
		mode = was | 0o666
	} else if was == mode {
		return
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(path, was); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}
