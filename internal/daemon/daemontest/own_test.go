package daemontest

import (
	"slices"
	"testing"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/daemon"
)

// lives says which sessions live.
func lives(t *testing.T, d *Daemon) []api.SessionID {
	t.Helper()
	a, err := d.Owner().SessionList(t.Context(), api.SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var labels []api.SessionID
	for _, s := range a.Sessions {
		labels = append(labels, s.Label)
	}
	return labels
}

// session is who a client acts as.
func session(t *testing.T, c *client.Client) api.SessionID {
	t.Helper()
	a, err := c.Status(t.Context(), api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Session
}

// TestOwnSession: two processes without a token are two sessions, neither is
// default, each is the same one across a restart of the daemon, and it ends
// with its process.
func TestOwnSession(t *testing.T) {
	t.Parallel()
	d := New(t)
	mine := func(d *Daemon) *client.Client {
		c := client.New(client.Config{Paths: d.Paths, Version: "test", NoStart: true, Own: true})
		t.Cleanup(func() { c.Close() })
		return c
	}
	one, two := mine(d), mine(d)
	first, second := session(t, one), session(t, two)
	if first == second || first == api.DefaultSession || second == api.DefaultSession {
		t.Fatalf("sessions %q and %q", first, second)
	}
	if again := session(t, one); again != first {
		t.Errorf("%q, then %q", first, again)
	}
	d.Down()
	d = At(t, d.Paths)
	if again := session(t, one); again != first {
		t.Errorf("after a restart %q, before %q", again, first)
	}
	one.Close()
	for end := time.Now().Add(patience); slices.Contains(lives(t, d), first); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s lives on without its process", first)
		}
	}
	if again := session(t, two); again != second {
		t.Errorf("the other one is %q, and was %q", again, second)
	}
}

// TestOwnSessionNeedsNoToken: where tokens are required a process gets no
// session for nothing, and a client that has a token asks for none.
func TestOwnSessionNeedsNoToken(t *testing.T) {
	t.Parallel()
	d := New(t, func(c *daemon.Config) { c.RequireToken = true })
	own := d.As(func(c *client.Config) { c.Own = true })
	if _, err := own.Status(t.Context(), api.StatusRequest{}); api.CodeOf(err) != api.NoSession {
		t.Errorf("%v", err)
	}
	token := d.Token("alice")
	if got := session(t, d.As(func(c *client.Config) { c.Own, c.Tokens = true, []string{token} })); got != "alice" {
		t.Errorf("the session is %q", got)
	}
	if got := lives(t, d); !slices.Equal(got, []api.SessionID{api.DefaultSession, "alice"}) {
		t.Errorf("sessions %q", got)
	}
}
