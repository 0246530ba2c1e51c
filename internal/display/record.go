package display

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"vibespace/internal/proc"
)

// recordVersion is the shape of the record below. A later build reads older
// ones; one that is newer than the reader is left alone.
const recordVersion = 1

// record is what a later daemon needs to prove that a display is its own, to
// adopt or to end it. It holds no secret: the cookie is a path.
type record struct {
	Version    int       `json:"version"`
	ID         ID        `json:"id"`
	Mark       string    `json:"mark"`
	Rung       string    `json:"rung"`
	RungWhy    string    `json:"rungWhy,omitempty"`
	Started    time.Time `json:"started"`
	Number     int       `json:"number"` // of the X display, 0 before it is known
	CookieFile string    `json:"cookieFile,omitempty"`
	SessionBus string    `json:"sessionBus"`
	AccessBus  string    `json:"accessibilityBus,omitempty"`
	// For is what the owner says it is for.
	For string `json:"for,omitempty"`
	// Boot is the kernel's boot id: pids and start times repeat after a reboot.
	Boot string `json:"boot,omitempty"`
	// Owner is the daemon that holds it; Before are the pids of those that held it
	// and died, whose shared memory may be left.
	Owner  proc.Ident `json:"owner"`
	Before []int      `json:"before,omitempty"`
	// Processes are those we started ourselves, each leading a session of its own.
	Processes []recorded `json:"processes"`
}

// recorded is one process of a record.
type recorded struct {
	proc.Ident
	What What `json:"what"`
}

// write puts the record in its place, whole or not at all. The first one is
// written before anything is started and needs no exchange: nobody reads it.
func (r record) write(at layout, first bool) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if first {
		return os.WriteFile(at.recordFile(), data, 0o600)
	}
	return renameio.WriteFile(at.recordFile(), data, 0o600)
}

// readRecord reads a display's record.
func readRecord(at layout) (record, error) {
	data, err := os.ReadFile(at.recordFile())
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, fmt.Errorf("record %s: %w", at.recordFile(), err)
	}
	if r.Version < 1 || r.Mark == "" {
		return record{}, fmt.Errorf("record %s: not one of ours", at.recordFile())
	}
	return r, nil
}
