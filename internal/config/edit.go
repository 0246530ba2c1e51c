package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/viper"

	"vibespace/internal/api"
)

// Editor tells the settings of a daemon that runs, and changes those of the
// file: what a person wrote around them stays as it is.
type Editor struct {
	src     Source
	put     func(path string, body []byte) error
	running settings

	mu sync.Mutex // one change at a time
}

// Edit makes the editor of what Load read a moment ago. put writes a file.
func Edit(src Source, put func(path string, body []byte) error) (*Editor, error) {
	if src.Getenv == nil {
		src.Getenv = os.Getenv
	}
	if src.File != "" {
		whole, err := filepath.Abs(src.File)
		if err != nil {
			return nil, fmt.Errorf("find the configuration: %w", err)
		}
		src.File = whole
	}
	running, err := src.said()
	return &Editor{src: src, put: put, running: running}, err
}

// File is where the settings are written.
func (e *Editor) File() string {
	if e.src.File != "" {
		return e.src.File
	}
	return DefaultFile(e.src.Getenv)
}

// List tells every setting as the file, the environment and the flags have it
// now.
func (e *Editor) List() ([]api.Setting, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	said, err := e.src.said()
	if err != nil {
		return nil, api.Refuse(api.BadRequest, "%v", err)
	}
	list := make([]api.Setting, 0, len(keys))
	for _, k := range keys {
		if k.parse != nil {
			list = append(list, e.tell(k, said))
		}
	}
	return list, nil
}

// tell is one setting.
func (e *Editor) tell(k Key, said settings) api.Setting {
	now, running := of(said, k), of(e.running, k)
	return api.Setting{
		Key: k.Name, Value: now.value, Default: k.Default, Running: running.value, From: now.where,
		Fixed: now.fixed(k), Personal: k.Personal, Doc: k.Doc,
	}
}

// of is a key's setting, its default where nothing was said.
func of(said settings, k Key) setting {
	if s, ok := said[k.Name]; ok {
		return s
	}
	return setting{k.Default, fromDefault}
}

// fixed says that a setting stands where the file does not reach.
func (s setting) fixed(k Key) bool { return s.where == k.Env || s.where == fromFlags }

// Set writes a setting into the file. It is refused when it is none, or none of
// that value, or when something that goes over the file says it too.
func (e *Editor) Set(key, value string) (api.Setting, error) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == key && k.parse != nil })
	if i < 0 {
		return api.Setting{}, api.Refuse(api.BadRequest, "%s is no setting that can be changed here", api.Quote(key, 60)).WithHint("vibespace config lists them")
	}
	k, value := keys[i], strings.TrimSpace(value)
	if err := k.parse(&Config{}, value); err != nil {
		return api.Setting{}, api.Refuse(api.BadRequest, "%s is %s: it has to be %v", key, api.Quote(value, 60), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	said, err := e.src.said()
	if err != nil {
		return api.Setting{}, api.Refuse(api.BadRequest, "%v", err).WithHint("mend the file first")
	}
	if was := of(said, k); was.fixed(k) {
		return api.Setting{}, api.Refuse(api.BadRequest, "%s is set by %s, which goes over the file: change it there", key, was.where)
	}
	if of(said, k).where == e.File() { // in a style that has no line to a key
		return api.Setting{}, byHand(e.File(), k, value)
	}
	if err := e.write(k, value); err != nil {
		return api.Setting{}, err
	}
	if said, err = e.src.said(); err != nil {
		return api.Setting{}, err
	}
	return e.tell(k, said), nil
}

// write changes the file, once it is sure that the changed one says what is
// meant.
func (e *Editor) write(k Key, value string) error {
	path := e.File()
	if path == "" {
		return api.Refuse(api.BadRequest, "there is no home to keep a configuration in").WithHint("name a file with --config")
	}
	body, err := readBounded(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the configuration: %w", err)
	}
	changed := file{path: path, body: body}.with(k.Name, value)
	said := settings{}
	c := Config{Apps: map[string]string{}}
	err = c.read(path, changed, said)
	if err == nil {
		err = c.fill(e.src, said)
	}
	if err != nil || said[k.Name].value != value {
		return byHand(path, k, value)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if err := e.put(path, []byte(changed)); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// byHand refuses to change a file that is not written a key a line.
func byHand(path string, k Key, value string) error {
	return api.Refuse(api.BadRequest, "%s is written in a way that only a person can change", path).WithHint("write %s: %s into it", k.Name, value)
}

// with is the file's text with a key of another value: on the line where it
// stands, else under its part, else at the end.
func (f file) with(key, value string) string {
	lines := strings.SplitAfter(f.body, "\n")
	if at, ok := f.line(strings.Split(key, ".")); ok {
		head, _, _ := strings.Cut(lines[at], ":")
		tail := strings.TrimRight(lines[at], "\n")
		comment := ""
		if i := strings.Index(tail, " #"); i >= 0 {
			comment = " " + strings.TrimLeft(tail[i:], " ")
		}
		lines[at] = head + ": " + value + comment + "\n"
		return strings.Join(lines, "")
	}
	if part, rest, nested := strings.Cut(key, "."); nested {
		if at, ok := f.line([]string{part}); ok && strings.HasSuffix(strings.TrimSpace(lines[at]), ":") {
			indent := "  "
			for _, below := range lines[at+1:] {
				if _, n, ok := keyOf(below); ok {
					indent = strings.Repeat(" ", max(n, 1))
					break
				}
			}
			if !strings.HasSuffix(lines[at], "\n") {
				lines[at] += "\n"
			}
			return strings.Join(slices.Insert(lines, at+1, indent+rest+": "+value+"\n"), "")
		}
	}
	body := f.body
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return body + key + ": " + value + "\n"
}

// line is the line a key stands on, from 0.
func (f file) line(path []string) (int, bool) {
	where, _ := f.find(path)
	number, ok := strings.CutPrefix(where, f.path+":")
	n, err := strconv.Atoi(number)
	return n - 1, ok && err == nil
}

// read reads a configuration from its text.
func (c *Config) read(path, body string, said settings) error {
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(strings.NewReader(body)); err != nil {
		return parseFault(path, err)
	}
	c.File = path
	f := file{path: path, body: body}
	return f.collect(v, c.Apps, said)
}
