package xvfb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// errRefused says that the server answered and did not accept the cookie.
var errRefused = errors.New("the server refused its cookie")

// handshake connects once, proves that the process of the record is what
// listens there, and sees the connection accepted. A server that is starting
// has its socket before it answers, so the answer is what means ready.
func handshake(ctx context.Context, r Record, cookie []byte) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socketPath(r.Number))
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	pid, err := listener(conn.(*net.UnixConn))
	if err != nil {
		return err
	}
	if pid != r.Ident.PID {
		return fmt.Errorf("process %d listens on display :%d, not %d", pid, r.Number, r.Ident.PID)
	}
	hello := []byte{'l', 0, 11, 0, 0, 0, byte(len(protocol)), 0, byte(len(cookie)), 0, 0, 0}
	hello = append(hello, protocol...)
	hello = append(hello, make([]byte, (4-len(protocol)%4)%4)...)
	hello = append(hello, cookie...)
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	answer := make([]byte, 8)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if !bytes.HasPrefix(answer, []byte{1}) {
		return errRefused
	}
	return nil
}

// listener gives the pid of the process that made the socket listen.
func listener(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err = errors.Join(err, credErr); err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}
