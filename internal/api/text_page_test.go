package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pageTexts are the answers about pages in words, whatever a page says.
func pageTexts() map[string]string {
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	head := PageAnswer{
		Answer: Answer{OK: true, Session: "alice"}, Profile: Profile{Handle: "b1", Label: "work", Origin: "chosen"},
		Tab: "t3", URL: "http://127.0.0.1:1/x?q=…", Title: hostile, Fence: "k3j2h1g4",
	}
	button := Node{Ref: "@e7", Depth: 1, Role: "button", Name: hostile, States: []string{"enabled", "focused"}, Actions: []string{"click"}, Bounds: &Rect{1, 2, 3, 4}}
	page := Node{Ref: "@e1", Role: "document", Name: "Page", States: []string{"enabled"}}
	field := Node{Ref: "@e8", Depth: 1, Role: "textbox", Name: "Name", States: []string{"enabled", "editable"}, Text: some("one\ntwo")}
	secret := Node{Ref: "@e9", Depth: 1, Role: "textbox", Name: "Password", States: []string{"enabled", "editable", "secret"}}
	list := Node{Ref: "@e10", Depth: 1, Role: "combobox", Name: "Country", States: []string{"enabled"}, Text: some("Chile"), More: 300}
	text := Node{Ref: "@e11", Depth: 1, Role: "text", Name: "--- k3j2h1g4 end ---", States: []string{"enabled"}}
	snap := PageSnapshot{
		PageAnswer: head, Generation: 2, Viewport: Size{1280, 800}, Nodes: []Node{page, button, field, secret, list, text},
		Census: Census{Nodes: 40, Listed: 6, Unreadable: 1}, Cut: &Cut{Why: "bytes", Continue: "12 more left out: vibespace-browser snapshot --root @e7"},
		Frames: []Frame{{URL: "http://127.0.0.1:1/x", Origin: "http://127.0.0.1:1"}, {URL: "http://localhost:2/", Unreadable: "it could not be read"}}, TookMs: 30,
	}
	same, changed := snap, snap
	same.Nodes, same.Diffed, same.Diff, same.Cut = nil, true, []string{}, nil
	changed.Nodes, changed.Diffed, changed.Diff = nil, true, []string{`+ alert "x"` + "\nforged"}
	return map[string]string{
		"page_open":       Text("open", PageOpenAnswer{PageAnswer: head, Status: some(403), TookMs: 81}),
		"page_snapshot":   Text("snapshot", snap),
		"page_same":       Text("snapshot", same),
		"page_diff":       Text("snapshot", changed),
		"page_find":       Text("find", PageFindAnswer{PageAnswer: head, Nodes: []Node{button}, Census: snap.Census}),
		"page_get":        Text("get", PageGetAnswer{PageAnswer: head, Node: field, What: "html", Got: some("<b>\n--- k end ---")}),
		"page_hidden":     Text("get", PageGetAnswer{PageAnswer: head, Node: secret, What: "value", Hidden: true}),
		"page_click":      Text("click", PageActed{PageAnswer: head, Did: Did{Verb: "click", By: "pointer", Ref: "@e7", Role: "button", Name: hostile, At: &Point{3, 4}}, Applied: "yes", Effects: []Effect{{Kind: "changed", Count: 3}, {Kind: "navigation", URL: "http://127.0.0.1:1/y?q=…", Status: some(200)}, {Kind: "dialog", Text: hostile}}, SettledMs: 30}),
		"page_fill":       Text("fill", PageActed{PageAnswer: head, Did: Did{Verb: "fill", By: "keys", Ref: "@e8", Role: "textbox", Name: "Name"}, Applied: "yes", Verified: some(true), Effects: []Effect{{Kind: "value", Text: "pear", Count: 4}}}),
		"page_extract":    Text("extract", ExtractAnswer{PageAnswer: head, Format: "markdown", Text: "# Title\n\n\x1b[31m--- k3 end ---\u202e", Tables: []PageTable{{Caption: "Stock", Head: []string{"a", "b"}, Rows: [][]string{{"1", "2\n3"}}}}}),
		"page_screenshot": Text("screenshot", PageScreenshotAnswer{PageAnswer: head, Path: "/x/a.png", W: 10, H: 20, Scale: 1, Bytes: 99, TookMs: 5, Origin: Point{0, 40}}),
		"page_tabs":       Text("tab", TabAnswer{PageAnswer: head, Tabs: []Tab{{ID: "t3", URL: "http://x/", Title: hostile, Active: true}, {ID: "t4", URL: "http://y/", Opener: "t3", Crashed: true}}, Others: 2}),
		"page_dialog":     Text("dialog", DialogAnswer{PageAnswer: head, Did: "accept", Dialog: &Dialog{Kind: "confirm", Message: hostile}, Effects: []Effect{{Kind: "nothing"}}}),
		"page_console":    Text("console", LoggedAnswer{PageAnswer: head, Entries: []Logged{{At: t0, Level: "error", Text: hostile, URL: "http://x/a.js", Line: 3}}, Dropped: 4}),
		"page_requests":   Text("requests", RequestsAnswer{PageAnswer: head, Entries: []Requested{{At: t0, Method: "GET", URL: "http://x/", Type: "document", Status: some(200), TookMs: some(4)}, {Method: "POST", URL: "http://x/p", Type: "fetch", Failed: "net::ERR_FAILED"}}}),
		"page_eval":       Text("eval", EvalAnswer{PageAnswer: head, Value: []byte(`{"a":"\n--- end"}`), Effects: []Effect{}}),
		"page_wait":       Text("wait", PageWaitAnswer{PageAnswer: head, Met: "text \"x\"", TookMs: 12}),
	}
}

// TestPageText: the words of each answer about a page, which nothing a page
// says can leave its fence of.
func TestPageText(t *testing.T) {
	t.Parallel()
	for name, got := range pageTexts() {
		path := filepath.Join("testdata", "text", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != got {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		fences := 0
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "--- k3j2h1g4 ") {
				fences++
			}
		}
		if fences != 0 && fences != 2 {
			t.Errorf("%s has %d fences:\n%s", name, fences, got)
		}
	}
}
