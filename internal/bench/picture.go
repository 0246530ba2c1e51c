package main

import (
	"context"
	"fmt"
	"path/filepath"

	"vibespace/internal/api"
)

// pictureSize is the window a picture is taken of.
var pictureSize = api.Size{W: 1600, H: 900}

// pictureApps are a window that is nearly empty and one that is full: what a
// PNG costs depends on what is in it.
var pictureApps = []string{"mousepad", "gtk3-widget-factory"}

// screenshots measures a PNG of a whole window against ImageMagick's import.
func screenshots(ctx context.Context, r *rig) error {
	for _, app := range pictureApps {
		if err := screenshotsOf(ctx, r, app); err != nil {
			return err
		}
	}
	return nil
}

// screenshotsOf measures one application's window.
func screenshotsOf(ctx context.Context, r *rig, app string) error {
	w, err := r.open(ctx, api.OpenRequest{App: app, Size: &pictureSize})
	if err != nil {
		return err
	}
	defer r.stop(w)
	if w.Size != pictureSize {
		return fmt.Errorf("%s is %dx%d", app, w.Size.W, w.Size.H)
	}
	id, _, err := w.xid(ctx)
	if err != nil {
		return err
	}
	var verb, command, theirs series
	path := filepath.Join(r.dir, "ours.png")
	for range r.rounds {
		took, err := clocked(func() error {
			_, err := r.agent.Screenshot(ctx, api.ScreenshotRequest{Handle: w.Handle, Out: path})
			return err
		})
		if err != nil {
			return err
		}
		verb = append(verb, took)
		_, took, err = r.command(ctx, filepath.Join(r.bin, "vibespace-window"), "screenshot", string(w.Handle), "--out", path, "--json")
		if err != nil {
			return err
		}
		command = append(command, took)
		_, spent, err := w.peer(ctx, "import", "-silent", "-window", id, "png:"+filepath.Join(r.dir, "theirs.png"))
		if err != nil {
			return err
		}
		theirs = append(theirs, ms(spent))
	}
	if err := r.tell(compare("screenshot", app, "ms", verb, "import", theirs)); err != nil {
		return err
	}
	return r.tell(compare("screenshot.command", app, "ms", command, "import", theirs))
}
