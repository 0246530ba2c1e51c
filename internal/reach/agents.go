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
func (b *Book) Default(agent string) string {
	others := b.agents.note(agent, b.now())
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("the session default is shared: %s used it within %d minutes, and each sees and takes the others' windows; "+
		"vibespace session new gives an agent its own", strings.Join(others, ", "), int(agentsWindow.Minutes()))
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
