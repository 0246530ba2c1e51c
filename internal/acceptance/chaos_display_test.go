package acceptance

import (
	"syscall"
	"time"

	"vibespace/fixtures"
	"vibespace/internal/need"
)

// displayFaults are those of an X server and of an application.
func displayFaults() []fault {
	return []fault{
		{
			name: "X server killed", made: "SIGKILL to Xvfb", within: 2 * time.Second, short: true,
			answer: "`not_live`: its display ended; the neighbour is served", run: serverKilled,
		},
		{
			name: "X server stopped", made: "SIGSTOP to Xvfb, then SIGCONT", within: 5 * time.Second,
			answer: "`not_responding` or `timeout`; acts again as soon as it runs", run: serverStopped,
		},
		{
			name: "application killed", made: "SIGKILL to its first process", within: 2 * time.Second,
			answer: "`not_live`: it ended by that signal; the neighbour is served", run: appKilled,
		},
		{
			name: "application stopped", made: "SIGSTOP, then SIGCONT", within: 5 * time.Second,
			answer: "`not_responding` for its tree, its picture as before; acts again as soon as it runs", run: appStopped,
		},
	}
}

// gone are the answers about a window that has ended, or is about to have.
var gone = []string{"not_live", "app_exited", "not_responding", "window_not_visible", "no_injection"}

// hanging are the answers for what does not answer.
var hanging = []string{"not_responding", "timeout"}

// ended waits until a window is told to have ended.
func (h *harm) ended(handle string) Window {
	h.t.Helper()
	var w Window
	Eventually(h.t, handle+" has ended", func() bool {
		w = h.a.window(handle)
		return w.State == "ended" && w.Ended != nil
	})
	return w
}

// recovered checks that a window of which something hung acts as before, and
// that nothing is down.
func (h *harm) recovered(p program) {
	h.t.Helper()
	h.hurt()
	p.works()
	h.healed()
	h.down = h.w.Record(h.t, p.window).Down()
}

func serverKilled(h *harm) {
	partKilled(h, func(p program) int { return h.pid(p.handle, "Xvfb") })
}

func appKilled(h *harm) {
	partKilled(h, func(p program) int { return p.window.PID })
}

// partKilled kills what a window cannot live without.
func partKilled(h *harm, victim func(program) int) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("gtk3.py")
	pid := victim(p)
	h.hurt()
	h.signal(pid, syscall.SIGKILL)
	h.says(h.a, gone, "key", p.handle, "a")
	h.ended(p.handle)
	h.healed()
	h.says(h.a, []string{"not_live"}, "snapshot", p.handle)
	served()
	h.stopAll()
}

func serverStopped(h *harm) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("gtk3.py")
	h.pause(h.pid(p.handle, "Xvfb"), func() {
		for _, args := range [][]string{{"key", p.handle, "a"}, {"screenshot", p.handle}, {"click", p.handle, "--at", "5,5"}} {
			h.says(h.a, hanging, args...)
		}
		served()
	})
	h.recovered(p)
	h.stopAll()
}

func appStopped(h *harm) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("gtk3.py")
	alpha := p.ref("Alpha")
	h.pause(p.window.PID, func() {
		h.says(h.a, hanging, "snapshot", p.handle, "--all")
		h.says(h.a, hanging, "click", p.handle, alpha)
		h.says(h.a, []string{"done"}, "screenshot", p.handle)
		served()
	})
	h.recovered(p)
	h.stopAll()
}

// busFaults are those of a display's buses.
func busFaults() []fault {
	return []fault{
		{
			name: "session bus killed", made: "SIGKILL to its dbus-daemon", within: 5 * time.Second,
			answer: "`no_tree` for the tree, pixels and keys as before; the application and the neighbour live on",
			run:    func(h *harm) { busKilled(h, sessionBus) },
		},
		{
			name: "session bus stopped", made: "SIGSTOP, then SIGCONT", within: 5 * time.Second,
			answer: "done or `not_responding` meanwhile; acts again as soon as it runs",
			run:    func(h *harm) { busStopped(h, sessionBus) },
		},
		{
			name: "accessibility bus killed", made: "SIGKILL to its dbus-daemon", within: 5 * time.Second, short: true,
			answer: "`no_tree` for the tree, pixels and keys as before; the application and the neighbour live on",
			run:    func(h *harm) { busKilled(h, treeBus) },
		},
		{
			name: "accessibility bus stopped", made: "SIGSTOP, then SIGCONT", within: 5 * time.Second,
			answer: "done or `not_responding` meanwhile; acts again as soon as it runs",
			run:    func(h *harm) { busStopped(h, treeBus) },
		},
		{
			name: "registry killed", made: "SIGKILL to at-spi2-registryd", within: 5 * time.Second,
			answer: "`no_tree` or done at once, then the tree as before; pixels and keys as before all the time",
			run:    registryKilled,
		},
		{
			name: "registry stopped", made: "SIGSTOP, then SIGCONT", within: 5 * time.Second,
			answer: "done or `not_responding` meanwhile; acts again as soon as it runs",
			run:    func(h *harm) { busStopped(h, registry) },
		},
	}
}

// The processes of a display's buses.
func sessionBus(h *harm, handle string) int { return h.busOf(handle, false) }
func treeBus(h *harm, handle string) int    { return h.busOf(handle, true) }
func registry(h *harm, handle string) int   { return h.pid(handle, "at-spi2-registr") }

// busOf finds the dbus-daemon of a display, the accessibility bus's or the
// session's.
func (h *harm) busOf(handle string, tree bool) int {
	h.t.Helper()
	launcher := h.pid(handle, "at-spi-bus-laun")
	for _, pid := range h.pids(handle, "dbus-daemon") {
		if p, ok := h.w.process(pid); ok && (p.ppid == launcher) == tree {
			return pid
		}
	}
	h.t.Fatalf("%s has no such bus", handle)
	return 0
}

// treeless are the answers of tree verbs while a bus hangs.
var treeless = []string{"done", "not_responding", "no_tree", "timeout"}

// busKilled ends a bus of a window whose application does not need it, and of
// its neighbour nothing.
func busKilled(h *harm, which func(*harm, string) int) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("qt5.py")
	n := p.node("Alpha")
	x, y := n.Bounds.Middle()
	pid := which(h, p.handle)
	h.hurt()
	h.signal(pid, syscall.SIGKILL)
	Eventually(h.t, "its tree is told to be gone", func() bool {
		return h.a.Run("snapshot", p.handle, "--all", "--timeout", "3s").Code == "no_tree"
	})
	h.healed()
	h.says(h.a, []string{"no_tree"}, "click", p.handle, n.Ref)
	p.log.Mark()
	h.says(h.a, []string{"done"}, "click", p.handle, "--at", point(x, y))
	p.log.Wait(h.t, fixtures.Clicked("Alpha"), seen)
	h.says(h.a, []string{"done"}, "screenshot", p.handle)
	h.says(h.a, []string{"done"}, "key", p.handle, "Tab")
	h.down = h.w.Record(h.t, p.window).Down()
	served()
	h.stopAll()
}

// registryKilled: who is on the bus is asked of the registry, so a new one has
// to be told, or nobody can be read.
func registryKilled(h *harm) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("gtk3.py")
	pid := registry(h, p.handle)
	h.hurt()
	h.signal(pid, syscall.SIGKILL)
	h.says(h.a, []string{"done", "no_tree", "not_responding"}, "snapshot", p.handle, "--all")
	h.healed()
	h.says(h.a, []string{"done"}, "screenshot", p.handle)
	h.says(h.a, []string{"done"}, "key", p.handle, "a", "--no-observe")
	served()
	h.recovered(p)
	h.stopAll()
}

func busStopped(h *harm, which func(*harm, string) int) {
	h.world()
	served, p := h.neighbour(), h.a.fixture("gtk3.py")
	h.pause(which(h, p.handle), func() {
		h.says(h.a, treeless, "snapshot", p.handle, "--all")
		h.says(h.a, []string{"done"}, "screenshot", p.handle)
		// GTK 3 asks the registry about every key, and freezes for good without an answer.
		h.says(h.a, append([]string{"done"}, hanging...), "key", p.handle, "a", "--no-observe")
		served()
	})
	h.recovered(p)
	h.stopAll()
}

// daemonFaults are those of the daemon itself.
func daemonFaults() []fault {
	return []fault{
		{
			name: "daemon killed", made: "SIGKILL in the middle of a `type`", within: 2 * time.Second, short: true,
			answer: "`unreachable`; the next command has every window back as it was, with its lease", run: daemonKilled,
		},
		{
			name: "daemon stopped", made: "SIGSTOP, then SIGCONT", within: 2 * time.Second,
			answer: "`unreachable` (exit 3) when the verb's time is over; acts again as soon as it runs", run: daemonStopped,
		},
	}
}

func daemonKilled(h *harm) {
	need.Xterm(h.t)
	h.world()
	p := h.a.fixture("gtk3.py")
	rec := h.w.Record(h.t, p.window)
	p.focus(p.node("Notes"))
	pid := h.w.daemonPID()
	reply := make(chan Reply, 1)
	text := make([]byte, 20_000)
	for i := range text {
		text[i] = 'x'
	}
	go func() {
		reply <- h.w.run(h.w.program("vibespace-window"), append(h.w.env[:len(h.w.env):len(h.w.env)], h.a.env...), nil,
			[]string{"--json", "type", p.handle, string(text), "--keys"})
	}()
	presses := func() bool { return len(rec.Of(keyPress)) > 20 }
	Eventually(h.t, "it is typing", presses)
	h.hurt()
	h.w.kill(pid)
	r := <-reply
	r.Into(h.t, &r)
	h.got = append(h.got, "type: "+r.Code)
	if r.Code != "unreachable" || r.Status != 3 {
		h.t.Errorf("%v", r)
	}
	is := h.a.window(p.handle)
	h.healed()
	if is.State != "ready" || is.PID != p.window.PID || is.Holder == nil || *is.Holder != "agent" {
		h.t.Errorf("it came back as %+v", is)
	}
	h.down = rec.Down()
	p.works()
	h.stopAll()
}

func daemonStopped(h *harm) {
	h.world()
	p := h.a.fixture("gtk3.py")
	h.pause(h.w.daemonPID(), func() {
		h.says(h.a, []string{"unreachable"}, "key", p.handle, "a")
		h.says(h.w.Owner(), []string{"unreachable"}, "list")
	})
	h.recovered(p)
	h.stopAll()
}
