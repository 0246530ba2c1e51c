package daemon

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"

	"vibespace/internal/api"
)

// actor is who is at the other end of one connection: the process by the
// kernel's word, the session by the first request's. Who it is does not change
// while the connection lives.
type actor struct {
	pid     int
	passing *passing // of its connection; nil where there is none

	mu    sync.Mutex
	bound bool
	shown [sha256.Size]byte // what the first request showed, hashed
	agent string            // described once, when first needed
}

// actorKey finds the actor in a connection's context.
type actorKey struct{}

// actorOf gives the actor of a request.
func actorOf(ctx context.Context) *actor {
	a, _ := ctx.Value(actorKey{}).(*actor)
	if a == nil {
		panic("daemon: a request without an actor")
	}
	return a
}

// peer is an accepted connection with the kernel's word on who made it.
type peer struct {
	net.Conn
	cred    *syscall.Ucred
	passing *passing
}

// peers accepts connections of one user alone.
type peers struct {
	net.Listener
	uid     uint32
	refused func(uid uint32)
}

// Accept waits for the next connection of the user; others are closed at
// once, without a word.
func (l peers) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		cred, err := credentials(conn)
		if err == nil && cred.Uid == l.uid {
			return peer{Conn: conn, cred: cred, passing: &passing{}}, nil
		}
		conn.Close()
		if err == nil {
			l.refused(cred.Uid)
		}
	}
}

// credentials asks the kernel who made a connection.
func credentials(conn net.Conn) (*syscall.Ucred, error) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("not a unix socket")
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	return cred, errors.Join(err, credErr)
}

// withActor is the server's ConnContext.
func withActor(ctx context.Context, conn net.Conn) context.Context {
	a := &actor{}
	if p, ok := conn.(peer); ok {
		a.pid, a.passing = int(p.cred.Pid), p.passing
	}
	return context.WithValue(ctx, actorKey{}, a)
}

// bind keeps what the connection's first request showed and refuses a later
// one that shows something else.
func (a *actor) bind(h http.Header) error {
	shown := sha256.Sum256([]byte(strings.Join(h.Values("Authorization"), "\n") + "\x00" +
		strings.Join(h.Values(api.HeaderOwner), "\n") + "\x00" + strings.Join(h.Values(api.HeaderSession), "\n")))
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.bound {
		a.bound, a.shown = true, shown
		return nil
	}
	if a.shown != shown {
		return api.Refuse(api.BadSession, "this connection spoke for another session before").
			WithHint("use one connection a session")
	}
	return nil
}

// describe gives the calling agent in short, for notices and the audit.
func (a *actor) describe() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.agent == "" {
		a.agent = agentOf(a.pid)
	}
	return a.agent
}

// bearer is the token a request shows, "" for none.
func bearer(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", nil
	}
	token, ok := strings.CutPrefix(values[0], "Bearer ")
	if len(values) > 1 || !ok || token == "" || strings.ContainsAny(token, " ,\t") {
		return "", badToken()
	}
	return token, nil
}

// badToken is the answer to every token that is not of a living session: it
// does not tell a wrong one from an ended one.
func badToken() error {
	return api.Refuse(api.BadSession, "the session token is wrong, or its session has ended").
		WithHint("the person makes a new one with vibespace session new <label>")
}

// owner says whether a request shows the owner credential. A wrong one is
// refused, not ignored.
func (d *Daemon) owner(h http.Header) (bool, error) {
	values := h.Values(api.HeaderOwner)
	if len(values) == 0 {
		return false, nil
	}
	if len(values) > 1 || subtle.ConstantTimeCompare([]byte(values[0]), []byte(d.credential)) != 1 {
		return false, ownerOnly()
	}
	return true, nil
}

// ownerOnly refuses the person's commands to anybody else.
func ownerOnly() error {
	return api.Refuse(api.OwnerOnly, "that is for the person whose desktop this is").
		WithHint("ask the person; an agent's commands are vibespace-window and vibespace-browser")
}

// caller decides who asks: the person where the route is theirs, a session
// everywhere else.
func (d *Daemon) caller(r *http.Request, person bool) (api.Caller, error) {
	a := actorOf(r.Context())
	if err := a.bind(r.Header); err != nil {
		return api.Caller{}, err
	}
	isOwner, err := d.owner(r.Header)
	if err != nil {
		return api.Caller{}, err
	}
	if person {
		if !isOwner {
			return api.Caller{}, ownerOnly()
		}
		return api.Caller{Owner: true, Agent: a.describe()}, nil
	}
	token, err := bearer(r.Header)
	if err != nil {
		return api.Caller{}, err
	}
	session, err := d.reach.ByToken(r.Context(), token)
	if err != nil {
		return api.Caller{}, err
	}
	if meant := api.SessionID(r.Header.Get(api.HeaderSession)); meant != "" && meant != session {
		return api.Caller{}, api.Refuse(api.BadSession, "the token shown is not session %s's", api.Quote(string(meant), 60)).
			WithHint("put that session's token into VIBESPACE_SESSION_TOKEN")
	}
	return api.Caller{Session: session, Agent: a.describe()}, nil
}
