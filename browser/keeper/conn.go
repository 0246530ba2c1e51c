package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vibespace/internal/api"
)

// How long a caller may take to say what it wants, and to take a message: a
// daemon that stands still must not keep its browser's pipe full for ever.
const (
	askLimit   = 10 * time.Second
	writeLimit = 30 * time.Second
)

// accept serves every caller until the listener closes.
func (s *server) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of descriptors: they come back
			continue
		}
		s.conns.Go(func() { s.serve(conn) })
	}
}

// serve answers one caller.
func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	if !sameUser(conn) {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(askLimit))
	r := bufio.NewReaderSize(conn, 64<<10)
	line, err := r.ReadSlice('\n')
	if err != nil {
		return
	}
	var want request
	if err := json.Unmarshal(line, &want); err != nil {
		tell(conn, answer{Error: api.Refuse(api.BadRequest, "the keeper's caller said %q", line)})
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	switch want.Do {
	case "status":
		status := s.status()
		tell(conn, answer{OK: true, Status: &status})
	case "stop":
		s.stopMu.Do(func() { close(s.stop) })
		<-s.gone
		s.mu.Lock()
		n := s.ended
		s.mu.Unlock()
		tell(conn, answer{OK: true, Ended: n})
	case "attach":
		s.attach(conn, r)
	default:
		tell(conn, answer{Error: api.Refuse(api.BadRequest, "the keeper does not know %q", want.Do)})
	}
}

// sameUser says whether the other end is this user, or root.
func sameUser(conn net.Conn) bool {
	cred := credentials(conn)
	return cred != nil && (int(cred.Uid) == syscall.Getuid() || cred.Uid == 0)
}

// peer is the process that listens at the other end.
func peer(conn net.Conn) (pid int, ok bool) {
	cred := credentials(conn)
	if cred == nil {
		return 0, false
	}
	return int(cred.Pid), true
}

// credentials are what the kernel says of the other end, nil for nothing.
func credentials(conn net.Conn) *unix.Ucred {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return nil
	}
	var cred *unix.Ucred
	err = raw.Control(func(fd uintptr) {
		if got, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			cred = got
		}
	})
	if err != nil {
		return nil
	}
	return cred
}

// status is what the keeper says of itself.
func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.rec.Status
	status.Attached = s.link != nil
	return status
}

// attach links a caller to the browser until one of them goes. Its session is
// its own: what it attached and switched on ends with it.
func (s *server) attach(conn net.Conn, r *bufio.Reader) {
	s.mu.Lock()
	if s.link != nil {
		s.mu.Unlock()
		tell(conn, answer{Error: api.Refuse(api.Held, "another daemon is connected to this browser")})
		return
	}
	s.link = conn
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.link, s.since = nil, time.Now()
		s.mu.Unlock()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := s.pipe.call(ctx, "Target.attachToBrowserTarget", nil, &made); err != nil {
		tell(conn, answer{Error: api.AsError(err, api.BrowserStopped)})
		return
	}
	// The answer first: the linked messages follow it.
	tell(conn, answer{OK: true, Session: made.SessionID})
	s.pipe.linkTo(limited{conn})
	_ = eachMessage(r, s.pipe.send)
	s.pipe.linkTo(nil)
	_ = conn.Close()
	end, stop := context.WithTimeout(context.Background(), askLimit)
	defer stop()
	_ = s.pipe.call(end, "Target.detachFromTarget", map[string]string{"sessionId": made.SessionID}, nil) // a browser that ended has none
}

// limited gives up on a reader that does not read.
type limited struct{ net.Conn }

// Write writes within the limit, or hangs up.
func (l limited) Write(p []byte) (int, error) {
	_ = l.SetWriteDeadline(time.Now().Add(writeLimit))
	n, err := l.Conn.Write(p)
	if err != nil {
		_ = l.Close()
	}
	return n, err
}
