package proc

import (
	"strings"
	"sync"
	"unicode"
)

// What is kept of a process's last words: enough for a toolkit's complaint and a
// short traceback, small enough to stand in a refusal.
const (
	maxWordLines = 20
	maxWordBytes = 4 << 10
)

// tail is a writer that keeps the end of what it is given.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails and keeps the last maxWordBytes.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= maxWordBytes {
		t.data = append(t.data[:0], p[len(p)-maxWordBytes:]...)
		return len(p), nil
	}
	if over := len(t.data) + len(p) - maxWordBytes; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	t.data = append(t.data, p...)
	return len(p), nil
}

// words are the lines kept.
func (t *tail) words() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLines(string(t.data))
}

// lastLines cuts text to its last lines that say something: valid UTF-8, no
// control characters (a program's colours and carriage returns are its terminal's).
func lastLines(text string) []string {
	if len(text) > maxWordBytes {
		text = text[len(text)-maxWordBytes:]
	}
	lines := []string{}
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		line = strings.TrimRightFunc(strings.Map(printable, line), unicode.IsSpace)
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-maxWordLines):]
}

// printable drops control characters, tabs excepted.
func printable(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return -1
	}
	return r
}
