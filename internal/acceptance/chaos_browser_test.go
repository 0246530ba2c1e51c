package acceptance

import (
	"strings"
	"syscall"
	"time"

	"vibespace/internal/need"
)

// browserFaults are those of a browser we drive over CDP.
func browserFaults() []fault {
	return []fault{
		{
			name: "browser killed", made: "SIGKILL to Chromium's browser process", within: 5 * time.Second, short: true,
			answer: "`browser_stopped`; the next `open` starts it", run: browserKilled,
		},
		{
			name: "browser stopped", made: "SIGSTOP to Chromium's browser process, then SIGCONT", within: 5 * time.Second,
			answer: "`timeout` or `not_responding`; reads again as soon as it runs", run: browserFrozen,
		},
		{
			name: "renderer killed", made: "SIGKILL to Chromium's renderer processes", within: 5 * time.Second,
			answer: "`page_crashed`; `reload` or `open` has it back", run: rendererKilled,
		},
		{
			name: "renderer stopped", made: "SIGSTOP to Chromium's renderer processes, then SIGCONT", within: 5 * time.Second,
			answer: "`timeout` or `not_responding`; reads again as soon as it runs", run: rendererFrozen,
		},
		{
			name: "keeper killed", made: "SIGKILL to the browser's keeper", within: 5 * time.Second,
			answer: "`browser_stopped`; Chromium ends with it; the next `open` starts both", run: keeperKilled,
		},
	}
}

// browse opens a page and gives its caller and what the page has to say.
func (h *harm) browse() (b *Caller, url string) {
	h.t.Helper()
	need.Chromium(h.t)
	url = serveVisits(h.t)
	h.world(headless)
	h.a.page("open", url)
	return h.a.Browsers(), url
}

// chromium finds the process of Chromium whose command line has a word, the
// browser's own for "".
func (h *harm) chromium(word string) int {
	h.t.Helper()
	found := 0
	Eventually(h.t, "there is a process of Chromium "+word, func() bool {
		for _, p := range h.w.scan(false) {
			is := strings.Contains(p.cmdline, "/chromium") && !strings.Contains(p.cmdline, "crashpad")
			if is && (word == "" && !strings.Contains(p.cmdline, "--type=") || word != "" && strings.Contains(p.cmdline, word)) {
				found = p.pid
			}
		}
		return found != 0
	})
	return found
}

// reads checks that the page says what it said.
func (h *harm) reads() {
	h.t.Helper()
	if got := h.a.page("find", "--role", "heading").says(); !strings.HasPrefix(got, "cookie nobody") {
		h.t.Errorf("the page says %q", got)
	}
}

func browserKilled(h *harm) { killedAndOpened(h, "") }
func keeperKilled(h *harm)  { killedAndOpened(h, "keeper") }

// killedAndOpened kills what a browser cannot do without.
func killedAndOpened(h *harm, what string) {
	b, url := h.browse()
	pid := h.chromium("")
	if what != "" {
		if p, ok := h.w.process(pid); ok {
			pid = p.ppid
		}
		if p, ok := h.w.process(pid); !ok || !strings.Contains(p.cmdline, what) {
			h.t.Fatalf("the browser's parent is %v", p)
		}
	}
	h.hurt()
	h.signal(pid, syscall.SIGKILL)
	h.says(b, []string{"browser_stopped", "not_responding"}, "find", "--role", "heading")
	h.healed()
	h.says(b, []string{"browser_stopped"}, "find", "--role", "heading")
	h.a.page("open", url)
	h.reads()
	b.OK(nil, "detach", "ephemeral")
}

func browserFrozen(h *harm) {
	b, url := h.browse()
	h.pause(h.chromium(""), func() {
		h.says(b, hanging, "find", "--role", "heading")
		h.says(b, hanging, "open", url)
	})
	h.hurt()
	// What was asked while it hung comes first.
	Eventually(h.t, "it can be reloaded", func() bool { return h.says(b, []string{"done", "stale_ref"}, "reload").OK })
	h.reads()
	h.healed()
	b.OK(nil, "detach", "ephemeral")
}

func rendererKilled(h *harm) {
	b, url := h.browse()
	h.hurt()
	for _, pid := range h.renderers() {
		h.signal(pid, syscall.SIGKILL)
	}
	h.says(b, []string{"page_crashed"}, "find", "--role", "heading")
	h.healed()
	h.a.page("open", url)
	h.reads()
	b.OK(nil, "detach", "ephemeral")
}

func rendererFrozen(h *harm) {
	b, _ := h.browse()
	pids := h.renderers()
	for _, pid := range pids {
		h.signal(pid, syscall.SIGSTOP)
	}
	h.says(b, hanging, "find", "--role", "heading")
	h.says(b, hanging, "snapshot")
	for _, pid := range pids {
		h.signal(pid, syscall.SIGCONT)
	}
	h.hurt()
	h.reads()
	h.healed()
	b.OK(nil, "detach", "ephemeral")
}

// renderers finds the processes of pages: the page's own, and those that wait
// for the next.
func (h *harm) renderers() (pids []int) {
	h.t.Helper()
	for _, p := range h.w.scan(false) {
		if strings.Contains(p.cmdline, "--type=renderer") {
			pids = append(pids, p.pid)
		}
	}
	if len(pids) == 0 {
		h.t.Fatal("no page has a process")
	}
	return pids
}
