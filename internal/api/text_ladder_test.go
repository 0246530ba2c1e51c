package api

import (
	"strings"
	"testing"
)

// TestProfileLine: a profile is named once.
func TestProfileLine(t *testing.T) {
	for want, p := range map[string]Profile{
		"profile: ephemeral":        {Label: "ephemeral", Origin: "ephemeral"},
		"profile: b1 ephemeral":     {Handle: "b1", Label: "ephemeral", Origin: "ephemeral"},
		"profile: b2 bank (chosen)": {Handle: "b2", Label: "bank", Origin: "chosen"},
	} {
		if got := p.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhoseBrowser: the person reads who opened a browser and who drives it.
func TestWhoseBrowser(t *testing.T) {
	if got, want := Text("shares", SharesAnswer{Opener: "alice", Holder: "bob"}), "shared with nobody\nopened by alice, held by bob\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w := Window{Handle: "b1", App: "chromium", Origin: "agent-browser", Opener: "alice", Holder: some(SessionID("alice")), Input: "agent"}
	if got := strings.Join(w.roles(), ", "); !strings.HasPrefix(got, "opened by alice, held by alice, agent drives") || !strings.HasSuffix(got, "shared with nobody else") {
		t.Errorf("%q", got)
	}
}
