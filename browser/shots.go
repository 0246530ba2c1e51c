package browser

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vibespace/browser/page"
	"vibespace/internal/api"
	"vibespace/internal/store"
)

// The bounds of the pictures of a session: which come first.
const (
	maxShots     = 32
	maxShotBytes = 64 << 20
)

// shots is what each session's pictures take, the oldest first.
type shots struct {
	mu   sync.Mutex
	kept map[api.SessionID][]shot
}

// shot is one picture that was kept.
type shot struct {
	path  string
	bytes int
}

// Screenshot takes a picture of the page.
func (e *Engine) Screenshot(ctx context.Context, c api.Caller, r api.PageScreenshotRequest) (api.PageScreenshotAnswer, error) {
	began := time.Now()
	return onPage(ctx, e, c, r, "screenshot", reads, func(p *page.Page, ctx context.Context, r api.PageScreenshotRequest) (*api.PageScreenshotAnswer, error) {
		if r.Out != "" && !filepath.IsAbs(r.Out) {
			return nil, api.Refuse(api.BadRequest, "%s is no whole path", api.Quote(r.Out, 200)).WithHint("--out /path/to/picture.png")
		}
		got, err := p.Screenshot(ctx, r)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(got.Data)
		answer := &api.PageScreenshotAnswer{
			PageAnswer: p.Answer(), W: got.W, H: got.H, Origin: got.Origin, Scale: got.Scale, SHA256: hex.EncodeToString(sum[:]),
			Bytes: len(got.Data), Clipped: got.Clipped,
		}
		if answer.Path, err = e.keepShot(c.Session, r.Out, got, answer.SHA256); err != nil {
			return nil, err
		}
		answer.TookMs = int(time.Since(began).Milliseconds())
		return answer, nil
	})
}

// keepShot writes a picture where it was asked for, or among the session's
// own, by its content.
func (e *Engine) keepShot(session api.SessionID, out string, got *page.Picture, sum string) (string, error) {
	if out != "" {
		if err := store.PutFile(out, got.Data); err != nil {
			return "", unwritten(out, err)
		}
		return out, nil
	}
	dir := filepath.Join(e.cfg.StateDir, "pictures")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unwritten(dir, err)
	}
	ext := got.Format
	if ext == "jpeg" {
		ext = "jpg"
	}
	path := filepath.Join(dir, sum+"."+ext)
	if _, err := os.Stat(path); err != nil {
		if err := store.PutFile(path, got.Data); err != nil {
			return "", unwritten(path, err)
		}
	}
	for _, old := range e.shots.add(session, shot{path, len(got.Data)}) {
		_ = os.Remove(old)
	}
	return path, nil
}

// add keeps a picture and gives the paths of those it is too much for. One
// that another session has too stays.
func (s *shots) add(session api.SessionID, one shot) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[api.SessionID][]shot{}
	}
	list := append(s.kept[session], one)
	var gone []string
	for total(list) > maxShotBytes || len(list) > maxShots {
		gone = append(gone, list[0].path)
		list = list[1:]
	}
	s.kept[session] = list
	var alone []string
	for _, path := range gone {
		if !s.hasLocked(path) {
			alone = append(alone, path)
		}
	}
	return alone
}

// hasLocked says whether any session still has a picture.
func (s *shots) hasLocked(path string) bool {
	for _, list := range s.kept {
		for _, one := range list {
			if one.path == path {
				return true
			}
		}
	}
	return false
}

// total is how many bytes pictures have together.
func total(list []shot) int {
	n := 0
	for _, one := range list {
		n += one.bytes
	}
	return n
}

// unwritten refuses a picture that cannot be written.
func unwritten(path string, err error) error {
	return api.Refuse(api.StoreFailed, "%s cannot be written: %v", api.Quote(path, 200), cause(err)).WithHint("--out names another place")
}
