package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/proc"
)

// defaultIdle is how long a browser that no daemon asks for is kept.
const defaultIdle = 15 * time.Minute

// Spec says which browser to keep, and where.
type Spec struct {
	// Program is the command that runs Serve, without its arguments:
	// {"/usr/lib/vibespace/vibespaced", "keeper"}.
	Program []string `json:"program"`
	// Dir is the keeper's own directory: socket, record and log. It is made 0700.
	Dir string `json:"dir"`
	// Chromium is the browser, absolute.
	Chromium string `json:"chromium"`
	// Profile is the user data directory, made 0700.
	Profile string `json:"profile"`
	// Env is the browser's whole environment; a headed one needs DISPLAY and
	// XAUTHORITY in it. HOME, PATH and LANG are added when they are missing.
	Env []string `json:"env"`
	// Headless: without a window.
	Headless bool `json:"headless"`
	// Size is the window's (headless: the screen's); zero is 1280x800.
	Size api.Size `json:"size"`
	// Idle is how long the keeper waits for a daemon before it ends; 0 is 15
	// minutes.
	Idle time.Duration `json:"idle"`
	// Args are added to the browser's command line.
	Args []string `json:"args"`
}

// Status is what a keeper says of itself.
type Status struct {
	Keeper  proc.Ident `json:"keeper"`
	Browser proc.Ident `json:"browser"`
	Profile string     `json:"profile"`
	// Product is the browser and its version, "Chrome/156.0.8078.114"; Major is
	// its first number.
	Product  string    `json:"product"`
	Major    int       `json:"major"`
	Headless bool      `json:"headless"`
	Since    time.Time `json:"since"`
	// Attached says that a daemon is connected.
	Attached bool `json:"attached"`
}

// record is what a keeper leaves on disk for the next daemon.
type record struct {
	Status
	// Mark is the value of the mark in the environment of every process of the
	// browser.
	Mark string `json:"mark"`
}

// request is the one line a caller of the keeper's socket says.
type request struct {
	Do string `json:"do"` // status, attach, stop
}

// answer is the one line it gets; after an attach the DevTools messages follow.
type answer struct {
	OK      bool       `json:"ok"`
	Status  *Status    `json:"status,omitempty"`
	Session string     `json:"session,omitempty"`
	Ended   int        `json:"ended,omitempty"`
	Error   *api.Error `json:"error,omitempty"`
}

// The files in a keeper's directory.
func socketFile(dir string) string { return filepath.Join(dir, "keeper.sock") }
func recordFile(dir string) string { return filepath.Join(dir, "keeper.json") }
func logFile(dir string) string    { return filepath.Join(dir, "keeper.log") }

// Keeper is a kept browser, as the daemon sees it: an address. It holds
// nothing open.
type Keeper struct {
	dir string
}

// Find gives the keeper that lives in dir, or browser_stopped when none does.
// What a dead one left there is removed, its processes ended.
func Find(ctx context.Context, dir string) (*Keeper, error) {
	k := &Keeper{dir: dir}
	_, err := k.Status(ctx)
	if err == nil {
		return k, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("find the browser in %s: %w", dir, err)
	}
	rec, readErr := readRecord(dir)
	if readErr == nil && rec.Keeper.Alive() {
		// Stopped by a signal, or starved: it still holds its browser.
		return nil, api.Refuse(api.NotResponding, "the browser's keeper (process %d) does not answer", rec.Keeper.PID).
			WithHint("try again")
	}
	if readErr == nil {
		if _, err := endBrowser(ctx, rec); err != nil {
			return nil, err
		}
	}
	for _, path := range []string{socketFile(dir), recordFile(dir)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("clear away what a browser left: %w", err)
		}
	}
	return nil, api.Refuse(api.BrowserStopped, "the browser is stopped").WithHint("vibespace-browser open <url> starts it")
}

// At is the keeper of a directory, whether one lives there or not.
func At(dir string) *Keeper { return &Keeper{dir: dir} }

// Claim gives the keeper that an earlier daemon left in dir, once it is proven:
// the process that answers is the one that its record names, as its kernel
// identity and its start time say, and its browser lives. It is browser_stopped
// when none lives there, and start_failed when it is somebody else.
func Claim(ctx context.Context, dir string) (*Keeper, Status, error) {
	k, err := Find(ctx, dir)
	if err != nil {
		return nil, Status{}, err
	}
	conn, _, a, err := k.ask(ctx, "status")
	if err != nil {
		return nil, Status{}, err
	}
	defer conn.Close()
	rec, err := readRecord(dir)
	if err != nil {
		return nil, Status{}, api.Refuse(api.StartFailed, "the browser that was left has no record: %v", err)
	}
	switch pid, ok := peer(conn); {
	case !ok || pid != rec.Keeper.PID || !rec.Keeper.Alive():
		return nil, Status{}, api.Refuse(api.StartFailed, "process %d answers where the browser's keeper was process %d", pid, rec.Keeper.PID)
	case a.Status == nil || a.Status.Keeper != rec.Keeper || a.Status.Browser != rec.Browser || !rec.Browser.Alive():
		return nil, Status{}, api.Refuse(api.StartFailed, "the browser that was left is not the one of its record")
	}
	return k, *a.Status, nil
}

// readRecord reads what the keeper of a directory wrote.
func readRecord(dir string) (record, error) {
	var rec record
	data, err := os.ReadFile(recordFile(dir))
	if err != nil {
		return rec, err
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		return rec, fmt.Errorf("read %s: %w", recordFile(dir), err)
	}
	return rec, nil
}

// Dir is where the keeper lives.
func (k *Keeper) Dir() string { return k.dir }

// Status asks the keeper.
func (k *Keeper) Status(ctx context.Context) (Status, error) {
	conn, _, a, err := k.ask(ctx, "status")
	if err != nil {
		return Status{}, err
	}
	conn.Close()
	if a.Status == nil {
		return Status{}, api.Refuse(api.Internal, "the browser's keeper said nothing of itself")
	}
	return *a.Status, nil
}

// Link is a connection to the browser's DevTools: what page.Connect takes.
type Link struct {
	io.ReadWriteCloser
	// Session is the DevTools session of this link; all of it ends with the link.
	Session string
}

// link reads what the answer's reader has read ahead, then the connection.
type link struct {
	net.Conn
	r *bufio.Reader
}

// Read reads on after the answer.
func (l *link) Read(p []byte) (int, error) { return l.r.Read(p) }

// Attach connects to the browser. There is one link at a time: a second is
// held.
func (k *Keeper) Attach(ctx context.Context) (*Link, error) {
	conn, r, a, err := k.ask(ctx, "attach")
	if err != nil {
		return nil, err
	}
	return &Link{ReadWriteCloser: &link{conn, r}, Session: a.Session}, nil
}

// Stop ends the browser and its keeper and returns how many processes ended
// with them. One that is gone already is no error.
func (k *Keeper) Stop(ctx context.Context) (int, error) {
	rec, readErr := readRecord(k.dir)
	conn, _, a, err := k.ask(ctx, "stop")
	if err == nil {
		conn.Close()
		if readErr == nil {
			if err := proc.Await(ctx, []proc.Ident{rec.Keeper}); err != nil {
				return a.Ended, fmt.Errorf("stop the browser: %w", err)
			}
		}
		return a.Ended + 1, nil
	}
	if readErr != nil {
		return 0, nil // nothing lives here
	}
	if rec.Keeper.Alive() {
		if _, err := proc.EndAll(ctx, func() ([]proc.Ident, error) { return []proc.Ident{rec.Keeper}, nil }); err != nil {
			return 0, fmt.Errorf("stop the browser's keeper: %w", err)
		}
	}
	n, err := endBrowser(ctx, rec)
	if err == nil {
		_ = os.Remove(socketFile(k.dir))
		_ = os.Remove(recordFile(k.dir))
	}
	return n, err
}

// ask connects, says what is wanted and reads the answer's line. The reader
// holds what came after it.
func (k *Keeper) ask(ctx context.Context, do string) (net.Conn, *bufio.Reader, answer, error) {
	var a answer
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socketFile(k.dir))
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, a, fmt.Errorf("%s the browser: %w", do, context.Cause(ctx))
		}
		return nil, nil, a, api.Refuse(api.BrowserStopped, "the browser is stopped").WithHint("vibespace-browser open <url> starts it")
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	r := bufio.NewReaderSize(conn, 64<<10)
	line, err := json.Marshal(request{Do: do})
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = r.ReadSlice('\n')
	}
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	switch {
	case ctx.Err() != nil:
		conn.Close()
		return nil, nil, a, fmt.Errorf("%s the browser: %w", do, context.Cause(ctx))
	case err != nil:
		conn.Close()
		return nil, nil, a, api.Refuse(api.BrowserStopped, "the browser ended: %v", err)
	case a.Error != nil:
		conn.Close()
		return nil, nil, a, a.Error
	}
	return conn, r, a, nil
}
