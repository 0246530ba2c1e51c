//go:build gles

package main

import (
	"context"
	"image"
	"path/filepath"
	"sync"
	"time"

	"vibespace/gui"
	"vibespace/x11"
)

// planeTime bounds what is asked of the window system: a frame's time, and many
// times that on a machine that swaps.
const planeTime = 2 * time.Second

// planes makes planes over the app's window, by a connection that is made for
// the first and lasts as long as the app.
func planes(getenv func(string) string) func(window uintptr) (gui.Plane, error) {
	dial := sync.OnceValues(func() (*x11.Conn, error) {
		display, file := getenv("DISPLAY"), getenv("XAUTHORITY")
		if file == "" {
			file = filepath.Join(getenv("HOME"), ".Xauthority")
		}
		cookie, _ := x11.Cookie(file, display) // a server may want none
		ctx, cancel := context.WithTimeout(context.Background(), planeTime)
		defer cancel()
		return x11.Dial(ctx, display, cookie)
	})
	return func(window uintptr) (gui.Plane, error) {
		c, err := dial()
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), planeTime)
		defer cancel()
		p, err := c.NewPlane(ctx, x11.WindowID(window))
		if err != nil {
			return nil, err
		}
		return plane{p}, nil
	}
}

// plane is one of x11's, with its time.
type plane struct{ p *x11.Plane }

// Show and the methods below are x11.Plane's.
func (p plane) Show(at image.Point, img *image.RGBA) error {
	return timed(func(ctx context.Context) error { return p.p.Show(ctx, at, img) })
}

// Hide hides it.
func (p plane) Hide() error { return timed(p.p.Hide) }

// Close ends it.
func (p plane) Close() error { return timed(p.p.Close) }

func timed(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), planeTime)
	defer cancel()
	return f(ctx)
}
