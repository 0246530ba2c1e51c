package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// personal are the places, below a home, where a person's own browsers keep
// their profiles. A directory there holds their logins.
var personal = []string{
	".config/chromium", ".config/google-chrome", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".mozilla", ".librewolf",
	"snap/chromium", "snap/firefox", ".var/app",
}

// adopt checks a directory that is to become a profile's own, and gives its
// real path: what two paths lead to is one directory.
func (e *Engine) adopt(ctx context.Context, c api.Caller, r api.BrowserNewRequest) (string, error) {
	path := r.Adopt
	if !filepath.IsAbs(path) {
		if r.Dir == "" {
			return "", api.Refuse(api.BadRequest, "%s is a relative path", api.Quote(path, 200)).WithHint("give it whole")
		}
		path = filepath.Join(r.Dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", api.Refuse(api.BadRequest, "%s cannot be adopted: %v", api.Quote(path, 200), cause(err)).WithHint("name a directory that is there")
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return "", api.Refuse(api.BadRequest, "%s is no directory", api.Quote(path, 200)).WithHint("name a directory that is there")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return "", notYoursToAdopt(path)
	}
	return real, e.mayAdopt(ctx, c, real)
}

// mayAdopt refuses a directory that is somebody else's, or a profile already.
func (e *Engine) mayAdopt(ctx context.Context, c api.Caller, real string) error {
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Dir == "" || !overlap(real, p.Dir) {
			continue
		}
		if mine, err := e.mine(ctx, c, p); err != nil {
			return err
		} else if mine {
			return api.Refuse(api.ProfileInUse, "%s is the profile %s (%s) already", api.Quote(real, 200), p.Handle, p.Label).
				WithHint("vibespace-browser use %s", p.Handle)
		}
		return notYoursToAdopt(real)
	}
	kept, err := e.cfg.Store.KeptProfiles(ctx)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if same(real, k.Dir) && k.Owner == c.Session {
			return nil
		}
	}
	for _, dir := range e.forbidden() {
		if overlap(real, dir) {
			return notYoursToAdopt(real)
		}
	}
	return nil
}

// forbidden are the directories that hold what is others': ours, and a
// person's own browsers'.
func (e *Engine) forbidden() []string {
	dirs := []string{e.cfg.StateDir, e.cfg.RuntimeDir}
	if home := e.cfg.PersonHome; home != "" {
		for _, below := range personal {
			dirs = append(dirs, filepath.Join(home, below))
		}
	}
	return dirs
}

// notYoursToAdopt refuses a directory that is somebody else's.
func notYoursToAdopt(path string) error {
	return api.Refuse(api.AdoptNotYours, "%s belongs to somebody else", api.Quote(path, 200)).
		WithHint("vibespace-browser new <label> makes a directory of its own")
}

// real is what a path leads to, itself where it leads nowhere.
func real(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return filepath.Clean(path)
}

// same says whether two paths lead to one directory.
func same(a, b string) bool { return real(a) == real(b) }

// overlap says whether one of two directories is the other or in it. A
// directory that holds another's would give it away.
func overlap(a, b string) bool {
	a, b = real(a), real(b)
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// cause is a path error's own reason, without the path.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ownerWords is an owner as lists show it.
func ownerWords(p store.Profile) string {
	if p.Owner == "" {
		return p.OwnerKind + " that ended"
	}
	return p.OwnerKind + ":" + p.Owner
}
