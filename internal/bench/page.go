package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vibespace/internal/api"
)

// benchPage is a page of five hundred controls with a text a row, and three
// hundred options in a closed list.
func benchPage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><meta charset=utf-8><title>Bench</title><h1>Orders</h1><select aria-label=Customer>")
	for i := range 300 {
		fmt.Fprintf(&b, "<option>Customer %d", i)
	}
	b.WriteString("</select><table>")
	for i := range 166 {
		fmt.Fprintf(&b, `<tr><td>Order %d<td><input aria-label="Note %d"><td><button>Send %d</button><td><input type=checkbox aria-label="Done %d">`, i, i, i, i)
	}
	b.WriteString(`</table><button>Save</button><p id=said></p><script>document.addEventListener('click', e => { if (e.target.localName === 'button') said.textContent = e.target.textContent; })</script>`)
	return b.String()
}

// bare is a Chromium over its own pipe, asked for no more than its
// accessibility tree: what no reader of a page over CDP can be faster than.
type bare struct {
	cmd     *exec.Cmd
	in      *bufio.Reader
	out     *os.File
	close   func()
	id      int
	session string
}

// newBare starts a browser without a window.
func newBare(ctx context.Context, dir string) (*bare, error) {
	theirIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + dir, "--no-first-run", "--password-store=basic", "--disable-background-networking"}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, "chromium", append(args, "about:blank")...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	err = cmd.Start()
	theirIn.Close()
	theirOut.Close()
	b := &bare{cmd: cmd, in: bufio.NewReaderSize(in, 1<<20), out: out}
	b.close = func() {
		out.Close() // which ends it
		_ = cmd.Wait()
		in.Close()
	}
	return b, err
}

// call runs one command and gives its answer as it came.
func (b *bare) call(method string, params map[string]any) ([]byte, error) {
	b.id++
	command := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	line, err := json.Marshal(command)
	if err == nil {
		_, err = b.out.Write(append(line, 0))
	}
	for err == nil {
		var said []byte
		if said, err = b.in.ReadBytes(0); err == nil && bytes.HasPrefix(said, fmt.Appendf(nil, `{"id":%d,`, b.id)) {
			return said[:len(said)-1], nil
		}
	}
	return nil, fmt.Errorf("%s: %w", method, err)
}

// open opens a page and waits until it is loaded.
func (b *bare) open(url string) error {
	said, err := b.call("Target.createTarget", map[string]any{"url": url})
	if err != nil {
		return err
	}
	var made struct {
		Result struct{ TargetID, SessionID string }
	}
	if err := json.Unmarshal(said, &made); err != nil {
		return err
	}
	if said, err = b.call("Target.attachToTarget", map[string]any{"targetId": made.Result.TargetID, "flatten": true}); err != nil {
		return err
	}
	if err := json.Unmarshal(said, &made); err != nil {
		return err
	}
	b.session = made.Result.SessionID
	for range 200 {
		said, err := b.call("Runtime.evaluate", map[string]any{"expression": "document.readyState + document.title"})
		if err != nil {
			return err
		}
		if bytes.Contains(said, []byte("completeBench")) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s was not loaded", url)
}

// pages measures reading and acting on a page, and reading against the bare
// protocol on the same page in another browser.
func pages(ctx context.Context, r *rig) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, benchPage())
	})}
	go func() { _ = server.Serve(listener) }() // Close ends it
	defer server.Close()
	url := "http://" + listener.Addr().String() + "/"
	peer, err := newBare(ctx, filepath.Join(r.dir, "bare"))
	if err != nil {
		return err
	}
	defer peer.close()
	if err := peer.open(url); err != nil {
		return err
	}
	if _, err := r.agent.BrowserOpen(ctx, api.PageOpenRequest{URL: url}); err != nil {
		return err
	}
	defer func() {
		if _, err := r.agent.BrowserClose(context.WithoutCancel(ctx), api.LeaveRequest{}); err != nil {
			fmt.Fprintln(r.words, "bench: close the browser:", err)
		}
	}()
	return r.pageRounds(ctx, peer)
}

// pageRounds takes turns.
func (r *rig) pageRounds(ctx context.Context, peer *bare) error {
	first, err := r.agent.BrowserSnapshot(ctx, api.PageSnapshotRequest{})
	if err != nil {
		return err
	}
	refs := map[string]api.Ref{}
	for _, n := range first.Nodes {
		refs[n.Name] = n.Ref
	}
	var ours, theirs, click, fill, size, diffed series
	// Nothing is done to the page while it is read: the peer's is not acted on, and
	// it is one tree that both read.
	for range r.rounds {
		if err := timed(&theirs, func() error { _, err := peer.call("Accessibility.getFullAXTree", nil); return err }); err != nil {
			return err
		}
		var s api.PageSnapshot
		if err := timed(&ours, func() (err error) { s, err = r.agent.BrowserSnapshot(ctx, api.PageSnapshotRequest{}); return err }); err != nil {
			return err
		}
		d, err := r.agent.BrowserSnapshot(ctx, api.PageSnapshotRequest{Diff: true})
		if err != nil {
			return err
		}
		size = append(size, float64(len(api.Text("snapshot", s)))/1024)
		diffed = append(diffed, float64(len(api.Text("snapshot", d)))/1024)
	}
	for i := range r.rounds {
		if err := r.pictured(ctx, first.Profile.Handle); err != nil { // a picture is taken after the answer
			return err
		}
		if err := timed(&click, func() error {
			_, err := r.agent.BrowserClick(ctx, api.PageClickRequest{Ref: refs[fmt.Sprintf("Send %d", i%166)]})
			return err
		}); err != nil {
			return err
		}
		if err := timed(&fill, func() error {
			_, err := r.agent.BrowserFill(ctx, api.PageFillRequest{Ref: refs[fmt.Sprintf("Note %d", i%166)], Text: "some text"})
			return err
		}); err != nil {
			return err
		}
	}
	for _, result := range []Result{
		compare("page.snapshot", "chromium", "ms", ours, "cdp", theirs),
		compare("page.click", "chromium", "ms", click, "none", nil),
		compare("page.fill", "chromium", "ms", fill, "none", nil),
		compare("page.bytes", "chromium", "KB", size, "none", nil),
		compare("page.diff", "chromium", "KB", diffed, "none", nil),
	} {
		if err := r.tell(result); err != nil {
			return err
		}
	}
	return nil
}

// pictured waits until the pictures of what was done to a page are kept.
func (r *rig) pictured(ctx context.Context, h api.Handle) error {
	for range 500 {
		trace, err := r.person.Trace(ctx, api.TraceRequest{Handle: h})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(trace.Rows, func(row api.TraceRow) bool { return row.Pending }) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the pictures of acts on a page were never kept")
}

// timed adds the milliseconds of one measurement to a series. What the
// measurements before left behind is cleared away first: the trees of the peer's
// are megabytes, and clearing them falls into whatever comes next.
func timed(to *series, do func() error) error {
	runtime.GC()
	took, err := clocked(do)
	*to = append(*to, took)
	return err
}
