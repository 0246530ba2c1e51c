package client

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"vibespace/internal/api"
)

// Config says which daemon to speak to and as whom. Only Paths is required.
type Config struct {
	Paths api.Paths
	// Tokens are the caller's own session tokens; the first is used unless
	// Session names the one meant. None: the session "default".
	Tokens []string
	// Session is the label of the session meant (--session), or "".
	Session api.SessionID
	// Own makes the client a session of its own when it has no token: the daemon
	// makes it with the first verb, and ends it a little after the client's
	// process is gone, or Close was called.
	Own bool
	// Owner sends the owner credential of Paths.OwnerFile: the person's
	// commands.
	Owner bool
	// NoStart never starts a daemon.
	NoStart bool
	// Daemon is the program to start; "" is the vibespaced beside the running
	// program.
	Daemon string
	// ConfigFile is handed to a daemon that is started here (--config).
	ConfigFile string
	// Environ is what a daemon started here may draw its environment from; nil
	// is os.Environ.
	Environ []string
	// Version is this build's, as --version says it.
	Version string
	// OnOtherVersion is called once when the daemon is of another build. Nil:
	// nobody is told.
	OnOtherVersion func(daemon string)
}

// Client speaks to one daemon as one caller. It is safe for concurrent use.
// Close it when done.
type Client struct {
	cfg   Config
	http  *http.Client
	trans *http.Transport

	told sync.Once // OnOtherVersion

	// life is cancelled by Close; work counts what runs until then.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	own  own

	mu      sync.Mutex
	token   int    // index of the token in use
	owner   string // the credential, once read
	started bool   // this client started the daemon
}

// New makes a client. Nothing is dialled before the first verb.
func New(cfg Config) *Client {
	c := &Client{cfg: cfg}
	c.cfg.Own = cfg.Own && len(cfg.Tokens) == 0 && !cfg.Owner
	c.life, c.end = context.WithCancel(context.Background())
	c.trans = &http.Transport{
		DialContext:        c.dial,
		DisableCompression: true,
		// A connection a verb: who asks is decided once a connection, dialling a
		// unix socket costs less than a tenth of a millisecond, and a connection
		// that a dead daemon left behind is never taken for one that broke under
		// a verb.
		DisableKeepAlives: true,
	}
	c.http = &http.Client{Transport: c.trans, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return c
}

// Close ends the client and lets its own session go; verbs that run are not
// cut. It always answers nil.
func (c *Client) Close() error {
	c.end()
	c.work.Wait()
	c.trans.CloseIdleConnections()
	return nil
}

// Started says whether this client started the daemon it speaks to.
func (c *Client) Started() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started
}

// errNobody says that nothing listens on the socket.
var errNobody = errors.New("no daemon listens")

// dial connects to the daemon's socket and makes sure that it is this user's:
// what a stranger left at a guessable path is never handed a token.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.cfg.Paths.Socket)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, errNobody
	case err != nil:
		return nil, err
	}
	if err := ours(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// ours refuses a peer of another user.
func ours(conn net.Conn) error {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("the socket is not a unix socket")
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return err
	}
	var cred *syscall.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if credErr != nil {
		return credErr
	}
	if int(cred.Uid) != os.Getuid() {
		return errors.New("the daemon on it belongs to another user")
	}
	return nil
}

// credential reads the owner credential. A file that is missing is no fault
// yet: a daemon that is about to start writes it.
func (c *Client) credential() (string, error) {
	raw, err := os.ReadFile(c.cfg.Paths.OwnerFile())
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", api.Refuse(api.OwnerOnly, "the owner credential cannot be read: %v", err).
			WithHint("the person's commands run as the user whose daemon it is")
	}
	return strings.TrimSpace(string(raw)), nil
}

// daemonPath is the program that Start runs.
func (c *Client) daemonPath() (string, error) {
	if c.cfg.Daemon != "" {
		return c.cfg.Daemon, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return filepath.Join(filepath.Dir(exe), "vibespaced"), nil
}
