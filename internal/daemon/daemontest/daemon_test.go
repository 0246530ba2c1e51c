package daemontest

import (
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/daemon"
	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// TestNamedActors: the person, two sessions and the default one are who they
// say, on one daemon.
func TestNamedActors(t *testing.T) {
	t.Parallel()
	d := New(t)
	for label, c := range map[api.SessionID]*client.Client{"alice": d.Session("alice"), "bob": d.Session("bob"), api.DefaultSession: d.Default()} {
		a, err := c.Status(t.Context(), api.StatusRequest{})
		if err != nil || a.Session != label {
			t.Errorf("%s acts as %q: %v", label, a.Session, err)
		}
	}
	first, again := d.Token("alice"), d.Token("alice")
	if first != again {
		t.Error("a session asked for twice is two")
	}
	list, err := d.Owner().SessionList(t.Context(), api.SessionRequest{})
	if err != nil || len(list.Sessions) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestRestart: what is stored outlives the daemon, and its token still works.
func TestRestart(t *testing.T) {
	t.Parallel()
	first := New(t)
	token := first.Token("alice")
	first.Down()
	first.Down()
	second := At(t, first.Paths)
	c := second.As(func(c *client.Config) { c.Tokens = []string{token} })
	if a, err := c.Status(t.Context(), api.StatusRequest{}); err != nil || a.Session != "alice" {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestConfigured: a change of the configuration is heeded.
func TestConfigured(t *testing.T) {
	t.Parallel()
	d := New(t, func(c *daemon.Config) { c.RequireToken = true })
	if _, err := d.Default().Status(t.Context(), api.StatusRequest{}); api.CodeOf(err) != api.NoSession {
		t.Errorf("%v", err)
	}
	if _, err := d.Owner().Down(t.Context(), api.DownRequest{Common: api.Common{TimeoutMs: 5000}}); err == nil {
		<-d.Done()
	} else {
		t.Error(err)
	}
}
