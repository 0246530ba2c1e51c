package reach

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// agentsWindow is how long an agent that acted as the session default counts
// as one of its users.
const agentsWindow = 10 * time.Minute

// maxAgents bounds how many are remembered; who acted longest ago is forgotten
// first.
const maxAgents = 64

// agents is who acted as the session default lately.
type agents struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

// Default notes that an agent acts as the session default and gives the
// sentence its answer must carry when another agent did so within the last ten
// minutes: all of them share one identity without knowing. "" when it is alone.
//
// Two agents are two programs, or two processes of one program that run at the
// same time. A process that has ended and another of the same program are one
// user that runs it again: nothing tells a person's ten scripts from that, and
// none of them gets in another's way.
func (b *Book) Default(agent string) string {
	var others []string
	for _, other := range b.agents.note(agent, b.now()) {
		if programOf(other) != programOf(agent) || b.lives(other) {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("the session default is shared: %s used it within %d minutes, and each sees and takes the others' windows; "+
		"vibespace session new gives an agent its own", strings.Join(others, ", "), int(agentsWindow.Minutes()))
}

// programOf is the program of an agent, which is described as "claude[1234]".
func programOf(agent string) string {
	program, _, _ := strings.Cut(agent, "[")
	return program
}

// note remembers an agent and lists the others, in order of name.
func (a *agents) note(agent string, now time.Time) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]time.Time{}
	}
	a.seen[agent] = now
	others := []string{}
	oldest := agent
	for other, at := range a.seen {
		switch {
		case now.Sub(at) >= agentsWindow:
			delete(a.seen, other)
			continue
		case other != agent:
			others = append(others, other)
		}
		if at.Before(a.seen[oldest]) {
			oldest = other
		}
	}
	if len(a.seen) > maxAgents {
		delete(a.seen, oldest)
	}
	slices.Sort(others)
	return others
}
