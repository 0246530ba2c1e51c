package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"vibespace/internal/api"
	"vibespace/internal/proc"
)

// maxSocketPath is what a unix socket's address may hold.
const maxSocketPath = 107

// Start starts a keeper and its browser, and returns when the browser answers.
// ctx bounds the call; both live on without us. A profile that another browser
// has open is profile_in_use with details.pid; one written by a newer browser is
// downgrade_refused; a browser that does not start is start_failed with its last
// words.
func Start(ctx context.Context, spec Spec) (*Keeper, error) {
	if len(spec.Program) == 0 {
		return nil, fmt.Errorf("start a browser: no program keeps it")
	}
	if len(socketFile(spec.Dir)) > maxSocketPath {
		return nil, api.Refuse(api.StartFailed, "the directory %s is too long a path for a socket", spec.Dir)
	}
	if err := os.MkdirAll(spec.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	if k, err := Find(ctx, spec.Dir); err == nil {
		st, err := k.Status(ctx)
		if err != nil {
			return nil, err
		}
		return nil, api.Refuse(api.ProfileInUse, "the browser runs already").With("pid", st.Browser.PID)
	} else if api.CodeOf(err) != api.BrowserStopped {
		return nil, err
	}
	return run(ctx, spec)
}

// run starts the keeper's process and waits for the line it says on its ready
// descriptor.
func run(ctx context.Context, spec Spec) (*Keeper, error) {
	orders, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	stdin, err := given(orders)
	if err != nil {
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	defer stdin.Close()
	ready, tell, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	defer ready.Close()
	log, err := os.OpenFile(logFile(spec.Dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		tell.Close()
		return nil, fmt.Errorf("start a browser: %w", err)
	}
	defer log.Close()
	p, err := proc.Start(proc.Spec{
		Path: spec.Program[0], Args: spec.Program[1:], Env: []string{"PATH=" + defaultPath, "LANG=C.UTF-8"},
		Log: log, Stdin: stdin, ExtraFiles: []*os.File{tell}, NewSession: true,
	})
	tell.Close()
	if err != nil {
		return nil, api.Refuse(api.StartFailed, "%v", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = ready.Close() })
	defer stop()
	line, err := bufio.NewReader(ready).ReadBytes('\n')
	var a answer
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err == nil && a.OK {
		return &Keeper{dir: spec.Dir}, nil
	}
	end(ctx, p)
	switch {
	case a.Error != nil:
		return nil, a.Error
	case ctx.Err() != nil:
		return nil, fmt.Errorf("start a browser: %w", context.Cause(ctx))
	}
	return nil, api.Refuse(api.StartFailed, "the browser's keeper ended: %s", strings.Join(p.LastWords(), " / "))
}

// end makes sure of a keeper that did not become ready, and of its browser.
func end(ctx context.Context, p *proc.Process) {
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	// The keeper ends its browser when it is asked to end; Stop insists.
	_ = p.Stop(clean, endLimit/2)
}

// given is a file from which data can be read once, in memory.
func given(data []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// A pipe holds 64 KiB; orders are far smaller, and larger ones are refused
	// rather than written into a full pipe nobody reads yet.
	if len(data) > 32<<10 {
		r.Close()
		w.Close()
		return nil, fmt.Errorf("%d bytes of orders are too many", len(data))
	}
	_, err = w.Write(data)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}
