package target

import (
	"bufio"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// entryBytes bounds one desktop entry: the longest ones, with every
// translation, are under 100 KiB.
const entryBytes = 512 << 10

// entry is a desktop entry, as much of it as starting an application needs.
type entry struct {
	id       string // the file's name without .desktop
	name     string
	exec     []string // without field codes
	terminal bool
	icon     string // as the entry names it
	browser  bool
	hidden   bool
}

// catalog is the applications that desktop entries name. It is read when it is
// first asked for, and again when one of its directories changed.
type catalog struct {
	dirs []string

	mu      sync.Mutex
	stamp   string
	entries map[string]entry
}

// applicationDirs lists where desktop entries lie, the person's own first.
func applicationDirs(home, dataHome, dataDirs string) []string {
	if dataHome == "" {
		dataHome = filepath.Join(home, ".local", "share")
	}
	if dataDirs == "" {
		dataDirs = "/usr/local/share:/usr/share"
	}
	dirs := []string{filepath.Join(dataHome, "applications")}
	for _, d := range filepath.SplitList(dataDirs) {
		if filepath.IsAbs(d) {
			dirs = append(dirs, filepath.Join(d, "applications"))
		}
	}
	return dirs
}

// all gives the entries by id.
func (c *catalog) all() map[string]entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamp := c.stampLocked()
	if c.entries != nil && stamp == c.stamp {
		return c.entries
	}
	found := map[string]entry{}
	for _, dir := range c.dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.desktop"))
		for _, f := range files {
			id := strings.TrimSuffix(filepath.Base(f), ".desktop")
			if _, ok := found[id]; ok {
				continue // a directory earlier in the list wins
			}
			if e, ok := readEntry(f); ok {
				e.id = id
				found[id] = e
			}
		}
	}
	c.entries, c.stamp = found, stamp
	return found
}

// stampLocked changes when a directory of the catalog does.
func (c *catalog) stampLocked() string {
	var b strings.Builder
	for _, dir := range c.dirs {
		if info, err := os.Stat(dir); err == nil {
			b.WriteString(info.ModTime().String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// visible gives the entries a menu would show, by name.
func (c *catalog) visible() []entry {
	var list []entry
	for _, e := range c.all() {
		if !e.hidden && !e.terminal {
			list = append(list, e)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].name != list[j].name {
			return list[i].name < list[j].name
		}
		return list[i].id < list[j].id
	})
	return list
}

// find gives the entry an application is called by: its id, with or without a
// reversed domain before it, or its name; letter case aside.
func (c *catalog) find(app string) (entry, bool) {
	all := c.all()
	if e, ok := all[app]; ok {
		return e, true
	}
	var byTail, byName []entry
	for id, e := range all {
		tail := id[strings.LastIndexByte(id, '.')+1:]
		if strings.EqualFold(id, app) || strings.EqualFold(tail, app) {
			byTail = append(byTail, e)
		} else if strings.EqualFold(e.name, app) {
			byName = append(byName, e)
		}
	}
	// Two applications of one name are nobody's meaning: neither is started.
	switch {
	case len(byTail) == 1:
		return byTail[0], true
	case len(byTail) == 0 && len(byName) == 1:
		return byName[0], true
	}
	return entry{}, false
}

// readEntry reads the main group of a desktop entry of type Application.
func readEntry(path string) (entry, bool) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > entryBytes {
		return entry{}, false
	}
	keys := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), entryBytes)
	inside := false
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = line == "[Desktop Entry]"
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if inside && ok && !strings.HasPrefix(line, "#") {
			keys[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	exec := splitExec(keys["Exec"])
	if lines.Err() != nil || keys["Type"] != "Application" || len(exec) == 0 {
		return entry{}, false
	}
	return entry{
		name:     strings.ToValidUTF8(keys["Name"], "�"),
		exec:     exec,
		icon:     keys["Icon"],
		terminal: keys["Terminal"] == "true",
		hidden:   keys["NoDisplay"] == "true" || keys["Hidden"] == "true",
		browser: listHas(keys["Categories"], "WebBrowser") ||
			listHas(keys["MimeType"], "x-scheme-handler/http"),
	}, true
}

// listHas says whether a semicolon separated list holds word.
func listHas(list, word string) bool {
	for item := range strings.SplitSeq(list, ";") {
		if item == word {
			return true
		}
	}
	return false
}

// splitExec splits an Exec line into arguments as the Desktop Entry
// Specification quotes them, without the field codes (%f, %U …), which stand
// for files nobody gave.
func splitExec(line string) []string {
	var args []string
	var word strings.Builder
	quoted, started := false, false
	flush := func() {
		if started {
			args = append(args, word.String())
		}
		word.Reset()
		started = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '"':
			quoted, started = !quoted, true
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			started = true
		case (c == ' ' || c == '\t') && !quoted:
			flush()
		case c == '%' && i+1 < len(line):
			i++
			if line[i] == '%' {
				word.WriteByte('%')
				started = true
			}
		default:
			word.WriteByte(c)
			started = true
		}
	}
	flush()
	return args
}
