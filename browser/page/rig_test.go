package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"vibespace/browser/devtools"
	"vibespace/browser/keeper"
	"vibespace/fixtures"
	"vibespace/internal/api"
	"vibespace/internal/need"
)

// TestMain is a keeper when a test's keeper runs this program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "keeper" {
		if err := keeper.Serve(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	need.MainWith(m, need.Config{After: shared.end})
}

// shared is the one browser the tests of this package drive, a tab each: a
// start takes longer than a test.
var shared sharedBrowser

type sharedBrowser struct {
	once sync.Once
	k    *keeper.Keeper
	b    *Browser
	err  error
}

// start starts the browser.
func (s *sharedBrowser) start(t testing.TB) *Browser {
	t.Helper()
	chromium, dir := need.Chromium(t), need.Shared(t)
	s.once.Do(func() { s.k, s.b, s.err = launch(chromium, dir, Config{Eval: true, AllowSecret: allowed}) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.b
}

// allowed is the person's word of the tests: secrets may be typed on localhost.
func allowed(origin string) bool { return strings.HasPrefix(origin, "http://localhost:") }

// exe is this program, which is the keeper as well.
func exe(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// launch starts a browser in a directory and connects to it.
func launch(chromium, dir string, cfg Config) (*keeper.Keeper, *Browser, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	k, err := keeper.Start(ctx, keeper.Spec{
		Program: []string{exe, "keeper"}, Dir: filepath.Join(dir, "k"), Profile: filepath.Join(dir, "p"),
		Chromium: chromium, Headless: true, Env: []string{"TMPDIR=" + dir},
	})
	if err != nil {
		return nil, nil, err
	}
	link, err := k.Attach(ctx)
	if err != nil {
		return k, nil, err
	}
	b, err := Connect(ctx, link, link.Session, cfg)
	return k, b, err
}

// end ends the browser.
func (s *sharedBrowser) end() {
	if s.b != nil {
		s.b.Close()
	}
	if s.k != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, err := s.k.Stop(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// own starts a browser of the test's own.
func own(t *testing.T, cfg Config) (*keeper.Keeper, *Browser) {
	t.Helper()
	return ownIn(t, need.Chromium(t), need.Dir(t), cfg)
}

// ownIn starts a browser of the test's own in a directory.
func ownIn(t *testing.T, chromium, dir string, cfg Config) (*keeper.Keeper, *Browser) {
	t.Helper()
	k, b, err := launch(chromium, dir, cfg)
	if k != nil {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if b != nil {
				b.Close()
			}
			if _, err := k.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return k, b
}

// tab is a page under test.
type tab struct {
	*Page
	t    *testing.T
	site *fixtures.Site
	ctx  context.Context
}

// open opens a page of the fixtures in a tab of its own.
func open(t *testing.T, path string) *tab {
	t.Helper()
	t.Parallel()
	return openIn(t, shared.start(t), path)
}

// openIn opens a page of the fixtures in a browser.
func openIn(t *testing.T, b *Browser, path string) *tab {
	t.Helper()
	site := fixtures.Pages(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	url := site.URL + "/" + path
	if path == "" {
		url = ""
	}
	p, _, err := b.NewTab(ctx, "", url)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(context.Background(), patience) // others have their turn before
		defer cancel()
		if err := p.Close(end); err != nil && api.CodeOf(err) != api.TabGone && api.CodeOf(err) != api.BrowserStopped {
			t.Errorf("close: %v", err)
		}
	})
	return &tab{p, t, site, ctx}
}

// snap takes a snapshot.
func (p *tab) snap() *api.PageSnapshot {
	p.t.Helper()
	s, err := p.Snapshot(p.ctx, api.PageSnapshotRequest{})
	if err != nil {
		p.t.Fatalf("snapshot: %v", err)
	}
	return s
}

// whole takes snapshots until one has all that a page will come to: frames of
// other processes are read when those have started.
func (p *tab) whole(what string, is func(*api.PageSnapshot) bool) *api.PageSnapshot {
	p.t.Helper()
	s := p.snap()
	if err := p.until1(func() bool {
		if is(s) {
			return true
		}
		s = p.snap()
		return is(s)
	}); err != nil {
		p.t.Fatalf("never %s: %+v\n%s", what, s.Frames, lines(s))
	}
	return s
}

// names counts the elements of a role and a name.
func names(s *api.PageSnapshot, role, name string) int {
	n := 0
	for _, have := range s.Nodes {
		if (role == "" || have.Role == role) && have.Name == name {
			n++
		}
	}
	return n
}

// node finds one element by role and name in a new snapshot.
func (p *tab) node(role, name string) api.Node {
	p.t.Helper()
	s := p.snap()
	for _, n := range s.Nodes {
		if n.Role == role && n.Name == name {
			return n
		}
	}
	p.t.Fatalf("no %s %q in\n%s", role, name, lines(s))
	return api.Node{}
}

// ref is the ref of one element.
func (p *tab) ref(role, name string) api.Ref { p.t.Helper(); return p.node(role, name).Ref }

// lines is a snapshot as text.
func lines(s *api.PageSnapshot) string {
	var b strings.Builder
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", n.Depth), n.PageLine())
	}
	return b.String()
}

// js asks the page itself, by a script of its own world: the oracle.
func (p *tab) js(script string) string {
	p.t.Helper()
	got, err := devtools.Call(p.ctx, p.main.s, runtime.Evaluate, runtime.EvaluateParams{Expression: "JSON.stringify(" + script + ")", ReturnByValue: yes()})
	if err != nil || got.ExceptionDetails != nil || got.Result == nil {
		p.t.Fatalf("%s: %v %v", script, err, exception(got.ExceptionDetails))
	}
	return plain(got.Result.Value)
}

// click clicks and must succeed.
func (p *tab) click(ref api.Ref) *api.PageActed {
	p.t.Helper()
	a, err := p.Click(p.ctx, api.PageClickRequest{Ref: ref})
	if err != nil {
		p.t.Fatalf("click %s: %v", ref, err)
	}
	if a.Applied != "yes" {
		p.t.Errorf("click %s: applied %s", ref, a.Applied)
	}
	return a
}

// kinds are the kinds of effects.
func kinds(list []api.Effect) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = e.Kind
	}
	return strings.Join(words, " ")
}

// refusal must be a refusal of that code.
func refusal(t *testing.T, err error, code api.Code) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		data, _ := json.Marshal(e)
		t.Fatalf("%v (%s), want %s", err, data, code)
	}
	return e
}

// patience is how long a loaded machine may take for what comes by itself.
const patience = 90 * time.Second

// until1 waits until the page has come to something.
func (p *tab) until1(holds func() bool) error {
	end := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(end) {
			return context.DeadlineExceeded
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}
