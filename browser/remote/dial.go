package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"vibespace/internal/api"
)

const (
	// askLimit bounds each step of a connection.
	askLimit = 5 * time.Second
	// maxMessage bounds one message: a picture of a page is the largest.
	maxMessage = 64 << 20
	// maxVersion bounds what an endpoint says of itself.
	maxVersion = 64 << 10
)

// Check refuses an address that is no DevTools endpoint's, or not on this
// machine: what is sent there are pages and logins.
func Check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, api.Refuse(api.BadRequest, "%s is no address of a browser", api.Quote(address, 120)).WithHint("http://127.0.0.1:9222")
	}
	switch u.Scheme {
	case "http", "ws":
	default:
		return nil, api.Refuse(api.BadRequest, "%s is no scheme of a browser's endpoint", api.Quote(u.Scheme, 20)).WithHint("http://127.0.0.1:9222")
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, api.Refuse(api.ProviderLocalOnly, "%s is not on this machine", api.Quote(u.Hostname(), 80)).
			WithHint("the person can bring it here with a tunnel: ssh -L 9222:127.0.0.1:9222 host")
	}
	return u, nil
}

// Link is a connection to the browser's DevTools: what page.Connect takes.
type Link struct {
	io.ReadWriteCloser
	// Session is the DevTools session of this link; all of it ends with the link.
	Session string
}

// Dial connects to the browser at an address. ctx bounds the call. One that
// does not answer is backend_unavailable.
func Dial(ctx context.Context, address string) (*Link, error) {
	u, err := Check(address)
	if err != nil {
		return nil, err
	}
	bound, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	link, err := dial(bound, u)
	switch {
	case err == nil:
		return link, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, api.Refuse(api.BackendUnavailable, "no browser answers at %s: %v", u.Host, err).
		WithHint("ask whoever owns it to start it with its endpoint open, then try again")
}

// dial finds the browser's socket, connects, and makes a session of its own.
func dial(ctx context.Context, u *url.URL) (*Link, error) {
	socket := u.String()
	if u.Scheme == "http" {
		var err error
		if socket, err = discover(ctx, u); err != nil {
			return nil, err
		}
	}
	conn, _, err := websocket.Dial(ctx, socket, &websocket.DialOptions{HTTPClient: direct()})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	s := &stream{conn: conn}
	s.life, s.end = context.WithCancel(context.Background())
	session, err := s.attach(ctx)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return &Link{ReadWriteCloser: s, Session: session}, nil
}

// direct is an HTTP client that no proxy setting leads elsewhere.
func direct() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it answers with a redirect") },
	}
}

// discover asks an endpoint for the socket of its browser, which has to be at
// the same host and port.
func discover(ctx context.Context, u *url.URL) (string, error) {
	at := *u
	at.Path, at.RawQuery = "/json/version", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", err
	}
	resp, err := direct().Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var said struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxVersion)).Decode(&said); err != nil || said.Socket == "" {
		return "", errors.New("what answers is no browser's endpoint")
	}
	socket, err := url.Parse(said.Socket)
	if err != nil || socket.Scheme != "ws" || socket.Port() != u.Port() {
		return "", errors.New("it names a socket that is not its own")
	}
	socket.Host = u.Host
	return socket.String(), nil
}

// stream carries messages that end in NUL over a web socket.
type stream struct {
	conn *websocket.Conn
	life context.Context
	end  context.CancelFunc

	rest []byte // of the message that is being read

	mu   sync.Mutex
	half []byte // of the message that is being written
}

// Read reads on in the browser's messages.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		_, data, err := s.conn.Read(s.life)
		if err != nil {
			return 0, io.EOF
		}
		s.rest = append(data, 0)
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Write sends every message that is whole.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.half = append(s.half, p...)
	for {
		at := bytes.IndexByte(s.half, 0)
		if at < 0 {
			return len(p), nil
		}
		if err := s.conn.Write(s.life, websocket.MessageText, s.half[:at]); err != nil {
			return 0, err
		}
		s.half = append([]byte(nil), s.half[at+1:]...)
	}
}

// Close hangs up.
func (s *stream) Close() error {
	s.end()
	return s.conn.CloseNow()
}

// attach makes a session at the browser, before anybody else reads.
func (s *stream) attach(ctx context.Context) (string, error) {
	if err := s.conn.Write(ctx, websocket.MessageText, []byte(`{"id":1,"method":"Target.attachToBrowserTarget"}`)); err != nil {
		return "", err
	}
	for {
		_, data, err := s.conn.Read(ctx)
		if err != nil {
			return "", err
		}
		var m struct {
			ID     int `json:"id"`
			Result struct {
				SessionID string `json:"sessionId"`
			} `json:"result"`
			Error *struct{ Message string } `json:"error"`
		}
		switch err := json.Unmarshal(data, &m); {
		case err != nil:
			return "", fmt.Errorf("it speaks no DevTools: %w", err)
		case m.ID != 1:
			continue // an event
		case m.Error != nil:
			return "", errors.New(strings.TrimSpace(m.Error.Message))
		}
		return m.Result.SessionID, nil
	}
}
