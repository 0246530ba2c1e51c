package browser

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"vibespace/browser/provider"
	"vibespace/browser/remote"
	"vibespace/internal/api"
	"vibespace/internal/lease"
	"vibespace/internal/store"
)

// New makes a named profile. It is attached with use.
func (e *Engine) New(ctx context.Context, c api.Caller, r api.BrowserNewRequest) (api.BrowserNewAnswer, error) {
	p, err := e.plan(ctx, c, r)
	if err != nil {
		return api.BrowserNewAnswer{}, err
	}
	if p.Handle, err = e.cfg.Store.NextBrowser(ctx); err != nil {
		return api.BrowserNewAnswer{}, err
	}
	if p.Dir == "" && p.Address == "" {
		p.Dir = filepath.Join(e.cfg.StateDir, "browsers", string(p.Handle))
		if err := os.MkdirAll(p.Dir, 0o700); err != nil {
			return api.BrowserNewAnswer{}, api.Refuse(api.StoreFailed, "the profile's directory cannot be made: %v", cause(err)).WithHint("vibespace doctor")
		}
	}
	if err := e.cfg.Store.AddProfile(ctx, p); err != nil {
		return api.BrowserNewAnswer{}, err
	}
	made := seat{Profile: p, origin: originChosen, session: c.Session}
	return api.BrowserNewAnswer{Answer: e.answer(ctx, c), Profile: made.shown()}, nil
}

// plan checks what is asked of a new profile.
func (e *Engine) plan(ctx context.Context, c api.Caller, r api.BrowserNewRequest) (store.Profile, error) {
	p := store.Profile{
		Label: r.Label, Backend: cmp.Or(r.Backend, provider.Chromium), Headless: r.Headless, Address: r.Address,
		OwnerKind: store.KindSession, Owner: string(c.Session), Created: time.Now().UTC().Truncate(time.Millisecond),
	}
	b, err := e.ladder.Use(p.Backend)
	if err == nil {
		err = fits(b, r)
	}
	if err == nil {
		err = e.freeLabel(ctx, c, r.Label)
	}
	if err != nil {
		return p, err
	}
	if r.Group != "" {
		p.OwnerKind, p.Owner = store.KindGroup, r.Group
		if mine, err := e.mine(ctx, c, p); err != nil {
			return p, err
		} else if !mine {
			return p, api.Refuse(api.NotOwner, "this session is not in a group %s", api.Quote(r.Group, 60)).WithHint("ask the person: vibespace group add")
		}
	}
	if r.Adopt != "" {
		p.Adopted = true
		p.Dir, err = e.adopt(ctx, c, r)
	}
	return p, err
}

// fits refuses what a backend's cells do not carry.
func fits(b api.Backend, r api.BrowserNewRequest) error {
	switch {
	case r.AllowedDomains != "":
		return api.Refuse(api.MethodRefused, "a profile that is kept cannot be held to a list of domains: what it holds already could leave another way").
			WithHint("use it without, or ask the person for an egress rule of this machine")
	case r.Sharing != "" && r.Sharing != "owner":
		return api.Refuse(api.MethodRefused, "a profile is shared among its owner's sessions only: whoever reaches its pages has its logins").
			WithHint("--group <name> makes the owner a group that this session is in")
	case r.Address != "" && b.Starts:
		return api.Refuse(api.BadRequest, "%s starts its own browser: it takes no address", b.Name).WithHint("--backend cdp --address U")
	case r.Address == "" && !b.Starts:
		return api.Refuse(api.BadRequest, "%s wants the address of the browser", b.Name).WithHint("--address http://127.0.0.1:9222")
	case r.Adopt != "" && !b.OwnsDir:
		return api.Refuse(api.CannotSet, "%s has no directory of ours to adopt", b.Name).WithHint("--backend chromium")
	}
	if r.Address == "" {
		return nil
	}
	_, err := remote.Check(r.Address)
	return err
}

// freeLabel refuses a label that one of the caller's profiles has already.
func (e *Engine) freeLabel(ctx context.Context, c api.Caller, label string) error {
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Label != label {
			continue
		}
		if mine, err := e.mine(ctx, c, p); err != nil {
			return err
		} else if mine {
			return api.Refuse(api.ProfileInUse, "%s is the label of %s already", api.Quote(label, 80), p.Handle).
				WithHint("vibespace-browser use %s, or another label", p.Handle)
		}
	}
	return nil
}

// Profiles lists the profiles the caller may attach to, and counts the others.
func (e *Engine) Profiles(ctx context.Context, c api.Caller, _ api.ProfilesRequest) (api.ProfilesAnswer, error) {
	all, err := e.cfg.Store.Profiles(ctx)
	if err != nil {
		return api.ProfilesAnswer{}, err
	}
	answer := api.ProfilesAnswer{Profile: e.profile(ctx, c), Profiles: []api.BrowserProfile{}}
	for _, p := range all {
		mine, err := e.mine(ctx, c, p)
		switch {
		case err != nil:
			return api.ProfilesAnswer{}, err
		case !mine:
			answer.Others++
			continue
		}
		shown, err := e.profileShown(ctx, c, p)
		if err != nil {
			return api.ProfilesAnswer{}, err
		}
		answer.Profiles = append(answer.Profiles, shown)
	}
	for _, s := range e.privatesOf(c.Session) {
		answer.Profiles = append(answer.Profiles, api.BrowserProfile{
			Handle: s.Handle, Label: s.Label, Backend: s.Backend, Owner: ownerWords(s.Profile), Mine: true, Ephemeral: true,
			Headless: s.Headless, State: e.state(s.Handle), Attached: true,
		})
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// profileShown is a profile of the caller's as a list shows it.
func (e *Engine) profileShown(ctx context.Context, c api.Caller, p store.Profile) (api.BrowserProfile, error) {
	shown := api.BrowserProfile{
		Handle: p.Handle, Label: p.Label, Backend: p.Backend, Owner: ownerWords(p), Mine: true, Headless: p.Headless, State: e.state(p.Handle), Dir: p.Dir,
	}
	if p.LastMajor > 0 {
		shown.Major = &p.LastMajor
	}
	attached, err := e.cfg.Store.Attached(ctx, p.Handle)
	for _, s := range attached {
		if s == c.Session {
			shown.Attached = true
		} else {
			shown.Others++
		}
	}
	return shown, err
}

// Attachments lists what the caller is attached to.
func (e *Engine) Attachments(ctx context.Context, c api.Caller, _ api.AttachmentsRequest) (api.AttachmentsAnswer, error) {
	answer := api.AttachmentsAnswer{Profile: e.profile(ctx, c)}
	var err error
	if answer.Attachments, err = e.attachments(ctx, c); err != nil {
		return api.AttachmentsAnswer{}, err
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// attachments lists a session's seats as answers show them.
func (e *Engine) attachments(ctx context.Context, c api.Caller) ([]api.BrowserAttachment, error) {
	seats, _, err := e.seats(ctx, c)
	if err != nil {
		return nil, err
	}
	list := []api.BrowserAttachment{}
	for _, s := range append(seats, e.privatesOf(c.Session)...) {
		a := api.BrowserAttachment{Profile: s.shown(), Alias: s.alias, Default: s.isDefault, State: e.state(s.Handle), Since: s.Created}
		if r := e.run(s.Handle); r != nil && a.State == isUp {
			mine, _ := r.pages(c.Session)
			a.Tabs = len(mine)
		}
		list = append(list, a)
	}
	return list, nil
}

// Use attaches the session to a profile, or changes the alias it has there.
// Pin makes it the session's default too, or leaves the session without one.
func (e *Engine) Use(ctx context.Context, c api.Caller, r api.UseRequest) (api.AttachmentsAnswer, error) {
	if r.None {
		return e.unpin(ctx, c)
	}
	if looksLikePath(r.Use) {
		return api.AttachmentsAnswer{}, e.pathGiven(ctx, c, r.Use, r.Dir)
	}
	if r.Alias != "" {
		if err := checkLabel(r.Alias); err != nil {
			return api.AttachmentsAnswer{}, err
		}
	}
	seats, _, err := e.seats(ctx, c)
	if err != nil {
		return api.AttachmentsAnswer{}, err
	}
	s, err := e.usable(ctx, c, r, seats)
	if err != nil {
		return api.AttachmentsAnswer{}, err
	}
	a := store.Attachment{
		Profile: s.Handle, Alias: cmp.Or(r.Alias, s.alias), Origin: cmp.Or(s.origin, originChosen),
		Default: s.isDefault || r.Pin || len(seats) == 0, Since: time.Now().UTC(),
	}
	if r.Pin {
		a.Origin = originConversation
	}
	if err := e.cfg.Store.PutAttachment(ctx, c.Session, a); err != nil {
		return api.AttachmentsAnswer{}, err
	}
	s.origin = a.Origin
	answer, err := e.Attachments(ctx, c, api.AttachmentsRequest{})
	answer.Profile = s.shown()
	return answer, err
}

// usable finds the profile that a session wants to attach to, or is attached
// to already.
func (e *Engine) usable(ctx context.Context, c api.Caller, r api.UseRequest, seats []seat) (seat, error) {
	s, err := e.named(ctx, c, r.Use, seats)
	switch {
	case err == nil && s.ephemeral:
		return s, api.Refuse(api.CannotSet, "%s is the session's own already: it is named, and not attached", s.Handle).WithHint("--profile %s", s.Handle)
	case api.CodeOf(err) == api.NotAttached:
		s.Profile, err = e.find(ctx, c, r.Use)
	}
	if err != nil {
		return s, err
	}
	for _, other := range seats {
		if r.Alias != "" && other.Handle != s.Handle && (other.alias == r.Alias || other.Label == r.Alias) {
			return s, api.Refuse(api.ProfileInUse, "%s means %s already", api.Quote(r.Alias, 80), other.Handle).WithHint("another --alias")
		}
	}
	return s, nil
}

// unpin leaves a session without a default.
func (e *Engine) unpin(ctx context.Context, c api.Caller) (api.AttachmentsAnswer, error) {
	seats, _, err := e.seats(ctx, c)
	if err != nil {
		return api.AttachmentsAnswer{}, err
	}
	for _, s := range seats {
		if !s.isDefault {
			continue
		}
		a := store.Attachment{Profile: s.Handle, Alias: s.alias, Origin: originChosen, Since: time.Now().UTC()}
		if err := e.cfg.Store.PutAttachment(ctx, c.Session, a); err != nil {
			return api.AttachmentsAnswer{}, err
		}
	}
	return e.Attachments(ctx, c, api.AttachmentsRequest{})
}

// Detach closes the caller's tabs in a browser and lets its profile go. An
// ephemeral one, which is the caller's alone, ends with it.
func (e *Engine) Detach(ctx context.Context, c api.Caller, r api.LeaveRequest) (api.LeaveAnswer, error) {
	return e.leave(ctx, c, r, true)
}

// Close closes the caller's tabs, and nobody else's; the attachment stays.
func (e *Engine) Close(ctx context.Context, c api.Caller, r api.LeaveRequest) (api.LeaveAnswer, error) {
	return e.leave(ctx, c, r, false)
}

// leave closes a session's tabs in a browser, and detaches it there.
func (e *Engine) leave(ctx context.Context, c api.Caller, r api.LeaveRequest, detach bool) (api.LeaveAnswer, error) {
	s, err := e.resolve(ctx, c, r.Profile)
	if err != nil {
		return api.LeaveAnswer{}, err
	}
	v := &visit{e: e, seat: s, verb: "detach"}
	if err := v.paused(); err != nil {
		return api.LeaveAnswer{}, err
	}
	answer := api.LeaveAnswer{Profile: s.shown()}
	if run := e.run(s.Handle); run != nil {
		mine, others := 0, 0
		if e.state(s.Handle) == isUp {
			pages, n := run.pages(c.Session)
			mine, others = len(pages), n
		}
		answer.Closed, answer.Others = mine, others
		if s.ephemeral {
			e.stop(ctx, run)
			answer.Stopped = true
		} else if answer.Closed, err = run.closeTabs(ctx, c.Session); err != nil {
			return api.LeaveAnswer{}, err
		}
	}
	switch {
	case detach && s.ephemeral:
		e.forget(ctx, s)
	case detach:
		if _, err := e.cfg.Store.DeleteAttachment(ctx, c.Session, s.Handle); err != nil {
			return api.LeaveAnswer{}, err
		}
		if run := e.run(s.Handle); run != nil {
			run.left(c.Session)
		}
		if answer.Stopped, err = e.stopUnheld(ctx, s); err != nil {
			return api.LeaveAnswer{}, err
		}
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// stopUnheld stops a browser whose profile nobody is attached to any more.
func (e *Engine) stopUnheld(ctx context.Context, s seat) (bool, error) {
	left, err := e.cfg.Store.Attached(ctx, s.Handle)
	run := e.run(s.Handle)
	if err != nil || len(left) > 0 || run == nil || s.ephemeral || e.driven(s.Handle) {
		return false, err
	}
	e.stop(ctx, run)
	return true, nil
}

// Status says how the session's browser stands. It starts nothing, and goes
// while the person drives.
func (e *Engine) Status(ctx context.Context, c api.Caller, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	answer := api.BrowserStatusAnswer{Profile: e.profile(ctx, c), Tabs: []api.Tab{}, State: stopped}
	var err error
	if answer.Attachments, err = e.attachments(ctx, c); err != nil {
		return api.BrowserStatusAnswer{}, err
	}
	if r.Profile != "" {
		s, err := e.resolve(ctx, c, r.Profile)
		if err != nil {
			return api.BrowserStatusAnswer{}, err
		}
		answer.Profile = s.shown()
	}
	h := answer.Profile.Handle
	answer.State = e.state(h)
	if run := e.run(h); run != nil && answer.State == isUp {
		_ = e.tell(ctx, run) // a list of tabs tells no number
		answer.Watch = "vibespace watch " + string(h)
		mine, others := run.pages(c.Session)
		run.mu.Lock()
		active := run.active[c.Session]
		run.mu.Unlock()
		for _, p := range mine {
			t := p.Tab()
			t.Active = t.ID == active
			answer.Tabs = append(answer.Tabs, t)
		}
		answer.Others = others
	}
	if s := e.cfg.Leases.State(h); s.Input == lease.InputUser {
		answer.Paused = &api.BrowserPause{By: lease.InputUser, Since: s.Paused.UTC()}
	}
	answer.Answer = e.answer(ctx, c)
	return answer, nil
}

// Resume says how things stand after the person, or that they still drive.
func (e *Engine) Resume(ctx context.Context, c api.Caller, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	answer, err := e.Status(ctx, c, r)
	if err != nil {
		return answer, err
	}
	v := &visit{e: e, verb: "resume", seat: seat{Profile: store.Profile{Handle: answer.Profile.Handle, Label: answer.Profile.Label}, session: c.Session}}
	if err := v.paused(); err != nil {
		return api.BrowserStatusAnswer{}, err
	}
	if v.run = e.run(v.seat.Handle); v.run != nil {
		head := api.PageAnswer{}
		for _, t := range answer.Tabs {
			if t.Active {
				head.URL = t.URL
			}
		}
		answer.Notices = append(answer.Notices, v.handback(head)...)
	}
	return answer, nil
}

// Watch names the person's command that shows the browser.
func (e *Engine) Watch(ctx context.Context, c api.Caller, r api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	answer, err := e.Status(ctx, c, r)
	switch {
	case err != nil:
		return answer, err
	case answer.Watch == "":
		return api.BrowserStatusAnswer{}, stoppedRefusal(seat{Profile: store.Profile{Handle: answer.Profile.Handle, Label: answer.Profile.Label}})
	case !e.shown(answer.Profile.Handle):
		return api.BrowserStatusAnswer{}, api.Refuse(api.WindowNotVisible, "%s has no window: it was made headless", answer.Profile.Handle).
			WithHint("vibespace-browser screenshot shows its page")
	}
	return answer, nil
}

// shown says whether a running browser has a window.
func (e *Engine) shown(h api.Handle) bool {
	r := e.run(h)
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen != nil
}

// CDPURL refuses an address that would go past every rule.
func (e *Engine) CDPURL(context.Context, api.Caller, api.BrowserStatusRequest) (api.BrowserStatusAnswer, error) {
	return api.BrowserStatusAnswer{}, api.Refuse(api.MethodRefused, "there is no CDP address: who had it could drive every tab, also while the person does").
		WithHint("the page verbs do what it is wanted for: vibespace-browser --help")
}
