package acceptance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// theirBrowser starts a Chromium that is not ours, with its endpoint open, and
// gives the endpoint's address.
func theirBrowser(t *testing.T) string {
	t.Helper()
	dir := need.Dir(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, need.Chromium(t), "--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--user-data-dir="+dir+"/p",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	var address string
	Eventually(t, "their browser's endpoint is open", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "p", "DevToolsActivePort"))
		port, _, _ := strings.Cut(string(text), "\n")
		address = "http://127.0.0.1:" + port
		return err == nil && port != ""
	})
	return address
}

// theirTabs lists the addresses of a browser's tabs, as its endpoint tells them.
func theirTabs(t *testing.T, address string) []string {
	t.Helper()
	resp, err := http.Get(address + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Type, URL string }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	urls := []string{}
	for _, tab := range list {
		if tab.Type == "page" {
			urls = append(urls, tab.URL)
		}
	}
	return urls
}

// TestBrowserOfSomebodyElse: in a browser that is not ours the session has a
// tab of its own, its owner's are counted and left alone, and it runs on when
// we have gone, without our tab.
func TestBrowserOfSomebodyElse(t *testing.T) {
	t.Parallel()
	address, url := theirBrowser(t), serveVisits(t)
	w := NewWorld(t)
	agent := w.Session("a")
	a := agent.Browsers()
	a.Refused("bad_request", "new", "their", "--backend", "cdp")
	a.Refused("provider_local_only", "new", "their", "--backend", "cdp", "--address", "http://shop.example:9222")
	a.Refused("bad_request", "new", "mine", "--address", address)
	a.OK(nil, "new", "their", "--backend", "cdp", "--address", address)
	a.OK(nil, "use", "their")
	p := agent.page("open", url, "--profile", "their")
	if got := agent.page("find", "--role", "heading", "--profile", "their").says(); !strings.HasPrefix(got, "cookie nobody") {
		t.Errorf("the page says %q", got)
	}
	tabs := agent.page("tab", "--profile", "their")
	if len(tabs.Tabs) != 1 || tabs.Others != 1 || tabs.Tabs[0].ID != p.Tab {
		t.Errorf("the tabs are %+v", tabs)
	}
	if got := theirTabs(t, address); len(got) != 2 {
		t.Errorf("they have %q", got)
	}
	a.OK(nil, "detach", "their")
	Eventually(t, "their browser is as it was", func() bool {
		got := theirTabs(t, address)
		return len(got) == 1 && got[0] == "about:blank"
	})
}
