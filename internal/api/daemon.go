package api

import "time"

// The headers of the daemon's socket, beside the usual ones.
const (
	// HeaderVersion carries the build both ways, so that a daemon of another
	// build is noticed.
	HeaderVersion = "Vibespace-Version"
	// HeaderOwner carries the owner credential of the person's commands.
	HeaderOwner = "Vibespace-Owner"
	// HeaderSession names the session the caller means to be (--session). It
	// chooses among the caller's own and gives nothing.
	HeaderSession = "Vibespace-Session"
	// Host is the one host name the daemon answers to besides "localhost".
	Host = "vibespace"
)

// MaxBody bounds the JSON of a request: a type of 100,000 characters, each
// escaped in full, fits; nothing else comes near.
const MaxBody = 1 << 20

// MaxTimeout bounds --timeout. Nothing in VibeSpace waits for a day.
const MaxTimeout = 24 * time.Hour

// DaemonAnswer answers hello, up and down.
type DaemonAnswer struct {
	OK      bool   `json:"ok"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
	Socket  string `json:"socket"`
	// Started is true when this very command started it.
	Started bool `json:"started"`
	// Ended counts the processes that ended with it (down).
	Ended int `json:"ended"`
}

// HelloRequest asks which daemon answers.
type HelloRequest struct {
	Common
}

// DownRequest asks the daemon to end its displays and itself.
type DownRequest struct {
	Common
}

// Timed is any request: Common gives it.
type Timed interface{ Timing() time.Duration }

// Limit is how long the verb of a request may take: what it asks for, or its
// own default (open 30 s; type 10 s and 2 ms a character; 10 s otherwise).
func Limit(r Timed) time.Duration {
	if t := r.Timing(); t > 0 {
		return t
	}
	if own, ok := r.(interface{ ownLimit() time.Duration }); ok {
		return own.ownLimit()
	}
	return 10 * time.Second
}

func (OpenRequest) ownLimit() time.Duration { return 30 * time.Second }

// ownLimit is longer than a move that fails takes to go back.
func (RungRequest) ownLimit() time.Duration { return time.Minute }

// ownLimit leaves a display time to end in order.
func (DownRequest) ownLimit() time.Duration { return 30 * time.Second }

func (r TypeRequest) ownLimit() time.Duration {
	return 10*time.Second + time.Duration(len([]rune(r.Text)))*2*time.Millisecond
}

// CheckTiming refuses a timeout that cannot be meant.
func (c Common) CheckTiming() error {
	if c.TimeoutMs < 0 || int64(c.TimeoutMs) > MaxTimeout.Milliseconds() {
		return Refuse(BadRequest, "timeoutMs is %d; it is 1 to %d, or absent", c.TimeoutMs, MaxTimeout.Milliseconds())
	}
	return nil
}
