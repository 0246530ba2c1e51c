package display

import (
	"maps"
	"os"
	"slices"
	"testing"

	"vibespace/internal/proc"
)

// entry makes a process for a table.
func entry(pid, parent, group, session int, start uint64) proc.Entry {
	return proc.Entry{Ident: proc.Ident{PID: pid, Start: start}, Parent: parent, Group: group, Session: session, State: 'S'}
}

// table makes a table with this process in it, whose parent is 3.
func table(entries ...proc.Entry) proc.Table {
	t := proc.Table{}
	self := os.Getpid()
	for _, e := range append(entries, entry(1, 0, 1, 1, 1), entry(3, 1, 3, 3, 10), entry(self, 3, self, 3, 20)) {
		t[e.PID] = e
	}
	return t
}

func TestFinderGrowsFromEachSign(t *testing.T) {
	t.Parallel()
	const big = 9_000_000 // no pid of this machine
	self := os.Getpid()
	server := entry(big, self, big, 3, 100)
	app := entry(big+1, self, big+1, big+1, 110)
	for _, c := range []struct {
		name   string
		extra  []proc.Entry
		signed []int
		asked  []int
		want   []int // besides server and app
	}{
		{name: "nothing else"},
		{name: "a child", extra: []proc.Entry{entry(big+2, big+1, big+1, big+1, 120)}, want: []int{big + 2}},
		{name: "an orphan in the app's session", extra: []proc.Entry{entry(big+2, 1, big+2, big+1, 120)}, want: []int{big + 2}},
		{name: "an orphan in the app's group", extra: []proc.Entry{entry(big+2, 1, big+1, 77, 120)}, want: []int{big + 2}},
		{name: "an orphan with a mark, its child and its session", extra: []proc.Entry{
			entry(big+2, 1, big+2, big+2, 120), entry(big+3, big+2, big+3, big+3, 121), entry(big+4, 1, big+4, big+2, 122), entry(big+5, 1, big+5, big+3, 123),
		}, signed: []int{big + 2}, want: []int{big + 2, big + 3, big + 4, big + 5}},
		{name: "a client", extra: []proc.Entry{entry(big+2, 1, big+2, big+2, 120)}, asked: []int{big + 2}, want: []int{big + 2}},
		{name: "a client that was there before", extra: []proc.Entry{entry(big+2, 1, big+2, big+2, 99)}, asked: []int{big + 2}},
		{name: "we and our ancestors are clients", asked: []int{self, 3, 1}},
		{name: "we and our ancestors carry the mark", signed: []int{self, 3}},
		{name: "a sibling of ours", extra: []proc.Entry{entry(big+2, 3, big+2, 3, 120), entry(big+3, self, big+3, 3, 120)}},
	} {
		all := table(append(c.extra, server, app)...)
		f := newFinder("m", layout{})
		f.add(server.Ident, WhatServer)
		f.add(app.Ident, WhatApp)
		var signed []proc.Ident
		for _, pid := range c.signed {
			signed = append(signed, all[pid].Ident)
		}
		set := f.seedLocked(all, signed, c.asked)
		f.growLocked(all, set)
		got := slices.Sorted(maps.Keys(set))
		if want := append([]int{big, big + 1}, c.want...); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", c.name, got, want)
		}
	}
}

func TestFinderForgetsAReusedLeader(t *testing.T) {
	t.Parallel()
	const big = 9_000_000
	f := newFinder("m", layout{})
	f.add(proc.Ident{PID: big, Start: 100}, WhatApp)
	all := table(entry(big, 1, big, big, 500), entry(big+1, 1, big, big, 501))
	set := f.seedLocked(all, nil, nil)
	f.growLocked(all, set)
	if len(set) != 0 {
		t.Errorf("found %v in a stranger's session", set)
	}
}

// What an app started stays findable by its session when the app is gone.
func TestFinderRemembersALeaderThatEnded(t *testing.T) {
	t.Parallel()
	const big = 9_000_000
	f := newFinder("m", layout{})
	f.add(proc.Ident{PID: big, Start: 100}, WhatApp)
	inner := entry(big+1, big, big+1, big+1, 110)
	first := table(entry(big, 1, big, big, 100), inner)
	f.growLocked(first, f.seedLocked(first, nil, nil))
	second := table(entry(big+2, 1, big+2, big+1, 120))
	set := f.seedLocked(second, nil, nil)
	f.growLocked(second, set)
	if !set[big+2] {
		t.Error("lost a member of a session whose leader ended")
	}
}

func TestFinderLabels(t *testing.T) {
	t.Parallel()
	const big = 9_000_000
	self := os.Getpid()
	f := newFinder("m", layout{})
	f.add(proc.Ident{PID: big, Start: 100}, WhatBus)
	f.add(proc.Ident{PID: big + 1, Start: 100}, WhatApp)
	all := table(entry(big, self, big, big, 100), entry(big+1, self, big+1, big+1, 100),
		entry(big+2, big, big, big, 101), entry(big+3, big+1, big+1, big+1, 101), entry(big+4, 1, big+4, big, 102), entry(big+5, 1, big+5, big+5, 103))
	set := f.seedLocked(all, nil, []int{big + 5})
	f.growLocked(all, set)
	want := map[int]What{big: WhatBus, big + 1: WhatApp, big + 2: WhatBus, big + 3: WhatApp, big + 4: WhatBus, big + 5: WhatApp}
	for _, p := range f.labelLocked(all, set) {
		if p.What != want[p.PID] {
			t.Errorf("%d is %q, want %q", p.PID-big, p.What, want[p.PID])
		}
		delete(want, p.PID)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
