package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestHostileRequests: what must never reach an engine, each with the code it
// is refused by.
func TestHostileRequests(t *testing.T) {
	s := serve(t)
	deep := strings.Repeat(`{"a":`, 20_000)
	for _, c := range []struct {
		name, path, body string
		header           []string
		code             api.Code
		message          string // part of it
	}{
		{"nothing", "hello", "", nil, "ok", ""},
		{"spaces", "hello", " \n", nil, "ok", ""},
		{"localhost", "hello", "{}", []string{"Host", "localhost"}, "ok", ""},
		{"a page", "hello", "{}", []string{"Origin", "http://x"}, api.BadRequest, "web pages"},
		{"a null origin", "hello", "{}", []string{"Origin", "null"}, api.BadRequest, "web pages"},
		{"a referer", "hello", "{}", []string{"Referer", "http://x"}, api.BadRequest, "web pages"},
		{"a foreign host", "hello", "{}", []string{"Host", "evil.test"}, api.BadRequest, "host"},
		{"a port", "hello", "{}", []string{"Host", "localhost:80"}, api.BadRequest, "host"},
		{"no verb", "frob", "{}", nil, api.BadRequest, "frob"},
		{"half a verb", "person", "{}", nil, api.BadRequest, "person"},
		{"a forged verb", "cl\nick", "{}", nil, api.BadRequest, `cl\nick`},
		{"a later verb", "person/watch", "{}", nil, api.NotYet, "watch"},
		{"a browser's verb", "browser/cdp-url", "{}", nil, api.MethodRefused, "CDP"},
		{"not JSON", "list", "x", nil, api.BadRequest, "JSON"},
		{"half JSON", "list", `{"timeoutMs":`, nil, api.BadRequest, "middle"},
		{"bad JSON", "list", `{"timeoutMs":}`, nil, api.BadRequest, "byte"},
		{"a list", "list", `[]`, nil, api.BadRequest, "object"},
		{"null", "list", `null`, nil, api.BadRequest, "object"},
		{"two", "list", `{}{}`, nil, api.BadRequest, "follows"},
		{"an unknown field", "list", `{"frob":1}`, nil, api.BadRequest, `"frob"`},
		{"a forged field", "list", `{"a\n\u202e":1}`, nil, api.BadRequest, `field`},
		{"a wrong kind", "click", `{"handle":5}`, nil, api.BadRequest, `"handle"`},
		{"a wrong kind below", "click", `{"at":{"x":"1"}}`, nil, api.BadRequest, `x`},
		{"a fraction", "click", `{"count":1.5}`, nil, api.BadRequest, `"count"`},
		{"a huge number", "click", `{"count":99999999999999999999}`, nil, api.BadRequest, `"count"`},
		{"a negative timeout", "list", `{"timeoutMs":-1}`, nil, api.BadRequest, "timeoutMs"},
		{"a long timeout", "list", `{"timeoutMs":99999999999}`, nil, api.BadRequest, "timeoutMs"},
		{"not UTF-8", "list", "{\"a\":\"\xff\"}", nil, api.BadRequest, "UTF-8"},
		{"deep", "list", deep, nil, api.BadRequest, ""},
		{"large", "type", `{"text":"` + strings.Repeat("x", api.MaxBody) + `"}`, nil, api.TooLarge, "bytes"},
		{"a person's verb", "person/ps", "{}", nil, api.OwnerOnly, ""},
		{"the rung of a display", "person/rung", `{"handle":"w1","rung":"xpra"}`, nil, api.OwnerOnly, ""},
		{"no rung", "person/rung", `{"handle":"w1","rung":"wayland"}`, []string{api.HeaderOwner, s.credential}, api.BadRequest, "wayland"},
		{"a forged owner", "person/ps", "{}", []string{api.HeaderOwner, "x"}, api.OwnerOnly, ""},
		{"an empty owner", "person/ps", "{}", []string{api.HeaderOwner, ""}, api.OwnerOnly, ""},
		{"two owners", "person/ps", "{}", []string{api.HeaderOwner, s.credential, api.HeaderOwner, s.credential}, api.OwnerOnly, ""},
		{"the owner", "person/ps", "{}", []string{api.HeaderOwner, s.credential}, "ok", ""},
		{"a forged owner of a session's verb", "list", "{}", []string{api.HeaderOwner, "x"}, api.OwnerOnly, ""},
		{"basic", "list", "{}", []string{"Authorization", "Basic eA=="}, api.BadSession, ""},
		{"an empty token", "list", "{}", []string{"Authorization", "Bearer "}, api.BadSession, ""},
		{"a wrong token", "list", "{}", []string{"Authorization", "Bearer wrong"}, api.BadSession, ""},
		{"two tokens", "list", "{}", []string{"Authorization", "Bearer a", "Authorization", "Bearer b"}, api.BadSession, ""},
		{"default", "list", "{}", nil, "ok", ""},
		{"default by name", "list", "{}", []string{api.HeaderSession, "default"}, "ok", ""},
		{"another by name", "list", "{}", []string{api.HeaderSession, "alice"}, api.BadSession, "alice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r reply
			if strings.ContainsAny(c.path, "\n") {
				c.path = strings.ReplaceAll(c.path, "\n", "%0A")
			}
			r = s.post(t, c.path, c.body, c.header...)
			if r.code() != c.code || (c.code != "ok" && !strings.Contains(r.Message, c.message)) {
				t.Errorf("%d %s, want %s with %q", r.status, r.body, c.code, c.message)
			}
		})
	}
}

func TestOtherMethodsAndPlaces(t *testing.T) {
	s := serve(t)
	c := s.connect()
	defer c.CloseIdleConnections()
	for _, where := range []string{"GET /v1/list", "PUT /v1/list", "POST /", "POST /v2/list", "GET /v1/hello"} {
		method, path, _ := strings.Cut(where, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, "http://vibespace"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.do(t, c, req); r.code() != api.BadRequest {
			t.Errorf("%s: %s", where, r.body)
		}
	}
}

// TestOneConnectionOneCaller: who asks is decided once a connection.
func TestOneConnectionOneCaller(t *testing.T) {
	s := serve(t)
	a := s.post(t, "person/session-new", `{"label":"a"}`, api.HeaderOwner, s.credential)
	b := s.post(t, "person/session-new", `{"label":"b"}`, api.HeaderOwner, s.credential)
	tokenOf := func(r reply) string {
		_, after, _ := strings.Cut(string(r.body), `"token":"`)
		token, _, _ := strings.Cut(after, `"`)
		return "Bearer " + token
	}
	c := s.connect()
	defer c.CloseIdleConnections()
	for i, step := range []struct {
		header []string
		code   api.Code
	}{
		{[]string{"Authorization", tokenOf(a)}, "ok"},
		{[]string{"Authorization", tokenOf(a)}, "ok"},
		{[]string{"Authorization", tokenOf(b)}, api.BadSession},
		{nil, api.BadSession},
		{[]string{"Authorization", tokenOf(a), api.HeaderOwner, s.credential}, api.BadSession},
		{[]string{"Authorization", tokenOf(a)}, "ok"},
	} {
		if r := s.postOn(t, c, "list", "{}", step.header...); r.code() != step.code {
			t.Errorf("step %d: %s, want %s", i, r.body, step.code)
		}
	}
	// A session that ends is no good any more, on an old connection too.
	if r := s.post(t, "person/session-end", `{"label":"a"}`, api.HeaderOwner, s.credential); r.code() != "ok" {
		t.Fatalf("end: %s", r.body)
	}
	if r := s.postOn(t, c, "list", "{}", "Authorization", tokenOf(a)); r.code() != api.BadSession {
		t.Errorf("after its end: %s", r.body)
	}
}

func TestTokenRequired(t *testing.T) {
	s := serve(t, func(c *Config) { c.RequireToken = true })
	if r := s.post(t, "list", "{}"); r.code() != api.NoSession {
		t.Errorf("%s", r.body)
	}
	if r := s.post(t, "hello", "{}"); r.code() != "ok" {
		t.Errorf("hello: %s", r.body)
	}
}

// addVerb adds a verb of the test's own to a daemon before it is asked.
func addVerb(d *Daemon, word string, do func(context.Context) error) {
	d.routes[word] = verb(func(ctx context.Context, _ api.Caller, _ api.ListRequest) (api.ListAnswer, error) {
		return api.ListAnswer{Answer: api.Answer{OK: true}}, do(ctx)
	})
}

// opened opens a daemon, adds verbs, and runs it.
func opened(t *testing.T, verbs map[string]func(context.Context) error) *serving {
	t.Helper()
	d, err := Open(t.Context(), Config{Paths: testPaths(t), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for word, do := range verbs {
		addVerb(d, word, do)
	}
	s := &serving{Daemon: d, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	return s.start(t, ctx)
}

// TestPanicIsAnswered: a verb that panics is a refusal, and the daemon lives.
func TestPanicIsAnswered(t *testing.T) {
	s := opened(t, map[string]func(context.Context) error{
		"panic": func(context.Context) error { panic("boom") },
		"fault": func(context.Context) error { return fmt.Errorf("a fault without a code") },
	})
	for range 3 {
		if r := s.post(t, "panic", ""); r.code() != api.Internal || strings.Contains(string(r.body), "boom") {
			t.Errorf("%s", r.body)
		}
	}
	if r := s.post(t, "fault", ""); r.code() != api.Internal {
		t.Errorf("%s", r.body)
	}
	if r := s.post(t, "hello", ""); r.code() != "ok" {
		t.Errorf("afterwards: %s", r.body)
	}
}

// TestTimeIsBounded: a verb that heeds its context and one that does not are
// both answered once their time is over.
func TestTimeIsBounded(t *testing.T) {
	release := make(chan struct{})
	s := opened(t, map[string]func(context.Context) error{
		"slow":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"stuck": func(context.Context) error { <-release; return nil },
	})
	t.Cleanup(func() { close(release) })
	for _, word := range []string{"slow", "stuck"} {
		began := time.Now()
		r := s.post(t, word, `{"timeoutMs":200}`)
		took := time.Since(began)
		if r.code() != api.Timeout || took < 200*time.Millisecond || took > patience {
			t.Errorf("%s: %s after %v", word, r.body, took)
		}
	}
}

// TestCallerGoneCancels: a caller that hangs up cancels its verb.
func TestCallerGoneCancels(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	s := opened(t, map[string]func(context.Context) error{"long": func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	}})
	conn, err := net.Dial("unix", s.cfg.Paths.Socket)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "POST /v1/long HTTP/1.1\r\nHost: vibespace\r\nContent-Length: 2\r\n\r\n{}")
	<-began
	conn.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the verb runs on")
	}
}

// TestBusy: more verbs than there are slots are refused, and the slots come
// back.
func TestBusy(t *testing.T) {
	release := make(chan struct{})
	s := opened(t, map[string]func(context.Context) error{"hold": func(ctx context.Context) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}})
	var all sync.WaitGroup
	for range maxVerbs {
		all.Go(func() { s.post(t, "hold", "") })
	}
	for end := time.Now().Add(patience); len(s.slots) < maxVerbs && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if r := s.post(t, "hold", ""); r.code() != api.Busy {
		t.Errorf("%s", r.body)
	}
	close(release)
	all.Wait()
	if r := s.post(t, "hold", ""); r.code() != "ok" {
		t.Errorf("afterwards: %s", r.body)
	}
}

// TestSlowPeers: a body that never ends and headers that never end do not hold
// anything up for long.
func TestSlowPeers(t *testing.T) {
	s := serve(t)
	for _, text := range []string{"POST /v1/list HTTP/1.1\r\nHost: vibespace\r\nContent-Length: 10\r\n\r\n{", "POST /v1/list HTTP/1.1\r\nHost: vib"} {
		conn, err := net.Dial("unix", s.cfg.Paths.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, text)
		conn.SetReadDeadline(time.Now().Add(patience))
		var b [64]byte
		_, err = conn.Read(b[:])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.20q: still open", text)
		}
	}
}

// FuzzBody: whatever comes, the answer is one JSON object with a code, and
// what is accepted was an object of known fields.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"handle":"w1","ref":"@e1"}`, `{"handle":5}`, `{"x":1}`, `[]`, "null", "{}{}", `{"at":{"x":1,"y":-2},"count":3}`, "\xff", `{"timeoutMs":1e3}`, `{"verb":"click","ref":"@e1"}`, `{"verb":"batch"}`, `{"verb":7}`} {
		f.Add([]byte(seed))
	}
	d := &Daemon{}
	d.routes = d.windowRoutes(nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		for word, rt := range d.routes {
			decode := rt.decode
			if rt.flow != nil {
				decode = func(b []byte) (job, error) { return rt.flow(b, nil) }
			}
			_, err := decode(body)
			if code := api.CodeOf(err); err != nil && code != api.BadRequest {
				t.Errorf("%s: %v", word, err)
			}
		}
		_, _, _, err := d.batchVerb("w1", body)
		if code := api.CodeOf(err); err != nil && code != api.BadRequest && code != api.NotYet {
			t.Errorf("a line of a batch: %v", err)
		}
	})
}
