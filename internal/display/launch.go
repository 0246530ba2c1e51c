package display

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vibespace/internal/proc"
)

// App is one program launched on a display. Its process is the one that was
// started; what it started in turn are processes of the display.
type App struct {
	*proc.Process
	// LogFile has its stdout and stderr, the last MiB at most. Where the file
	// system cannot shorten a file at its beginning that is a hole; Output reads
	// around it.
	LogFile string
}

// Output is the end of what it wrote to stdout and stderr, n bytes at most and
// never more than is kept.
func (a *App) Output(n int) ([]byte, error) {
	f, err := os.Open(a.LogFile)
	if err != nil {
		return nil, fmt.Errorf("output of the application: %w", err)
	}
	defer f.Close()
	// A log that was shortened meanwhile is looked at again.
	for {
		info, err := f.Stat()
		if err != nil {
			return nil, fmt.Errorf("output of the application: %w", err)
		}
		take := min(int64(max(n, 0)), info.Size(), maxLog)
		text, err := io.ReadAll(io.NewSectionReader(f, info.Size()-take, take))
		if err != nil {
			return nil, fmt.Errorf("output of the application: %w", err)
		}
		if int64(len(text)) == take {
			return bytes.TrimLeft(text, "\x00"), nil
		}
	}
}

// Launch starts a program on the display. ctx bounds the call, not the
// program's life. A program that is not there is an error that wraps
// fs.ErrNotExist.
func (d *Display) Launch(ctx context.Context, spec AppSpec) (*App, error) {
	app, err := d.launch(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("launch %s on display %s: %w", spec.Path, d.id, err)
	}
	return app, nil
}

func (d *Display) launch(ctx context.Context, spec AppSpec) (*App, error) {
	if !filepath.IsAbs(spec.Path) {
		return nil, errors.New("the program's path is not absolute")
	}
	d.gate.RLock()
	defer d.gate.RUnlock()
	if closed(d.quit) {
		return nil, errors.New("the display was ended")
	}
	if closed(d.done) {
		return nil, fmt.Errorf("the display is dead: %s", d.Why())
	}
	env := d.Env(spec)
	if err := d.makeHome(spec); err != nil {
		return nil, err
	}
	// What the session bus starts for this program works in its HOME.
	if err := d.session.SetServiceEnv(ctx, serviceEnv(env)); err != nil {
		return nil, err
	}
	log, err := d.logs.append(d.at.appLog())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	dir := spec.Dir
	if dir == "" {
		dir = d.home(spec)
	}
	p, err := proc.Start(proc.Spec{Path: spec.Path, Args: spec.Args, Env: env, Dir: dir, Log: log, NewSession: true})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.children = append(d.children, p)
	d.mu.Unlock()
	d.find.add(p.Ident(), WhatApp)
	if err := d.writeRecord(ctx); err != nil {
		return nil, errors.Join(err, p.Stop(ctx, 0))
	}
	return &App{Process: p, LogFile: d.at.appLog()}, nil
}

// makeHome makes a HOME of ours with its XDG tree; the person's own is theirs.
func (d *Display) makeHome(spec AppSpec) error {
	if spec.OwnHome && spec.Home != "" {
		return nil
	}
	home := d.home(spec)
	for _, x := range xdgTree {
		if err := os.MkdirAll(filepath.Join(home, x.below), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// serviceEnv is the part of an application's environment that a bus service
// needs to work on the same files.
func serviceEnv(env []string) map[string]string {
	out := map[string]string{}
	for _, entry := range env {
		key, value, _ := strings.Cut(entry, "=")
		switch {
		case key == "HOME", key == "LANG", key == "DISPLAY", key == "XAUTHORITY", strings.HasPrefix(key, "XDG_"):
			out[key] = value
		}
	}
	return out
}
