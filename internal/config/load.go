package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"vibespace/internal/api"
)

// fileBytes bounds the file that is read.
const fileBytes = 1 << 20

// Source is where a configuration comes from.
type Source struct {
	// File is the file --config names; it must be there. "" is the default
	// place, where there need not be one.
	File string
	// Flags are the settings given as flags, by key.
	Flags map[string]string
	// Getenv is os.Getenv when nil.
	Getenv func(string) string
}

// settings are values as they are written, by key, each with where it stands.
type settings map[string]setting

// setting is one value and where it was found, for the error that names it.
type setting struct{ value, where string }

// Load reads the configuration. The error of a value says where it stands:
// "/home/a/.config/vibespace/config.yaml:7: displays.max is …".
func Load(src Source) (Config, error) {
	if src.Getenv == nil {
		src.Getenv = os.Getenv
	}
	c := Config{Apps: map[string]string{}}
	said, err := c.gather(src)
	if err != nil {
		return Config{}, err
	}
	return c, c.fill(src, said)
}

// said are the settings of a source as they are written.
func (src Source) said() (settings, error) {
	c := Config{Apps: map[string]string{}}
	return c.gather(src)
}

// Where a value stands that is in no file and no variable.
const (
	fromDefault = "default"
	fromFlags   = "flags"
)

// gather reads file, environment and flags, the later over the earlier.
func (c *Config) gather(src Source) (settings, error) {
	said := settings{}
	if err := c.readFile(src, said); err != nil {
		return nil, err
	}
	for _, k := range keys {
		if v := src.Getenv(k.Env); v != "" {
			said[k.Name] = setting{v, k.Env}
		}
	}
	for name, v := range src.Flags {
		if !known(name) {
			return nil, fmt.Errorf("%s: %s is not a setting", fromFlags, name)
		}
		said[name] = setting{v, fromFlags}
	}
	return said, nil
}

// fill puts the settings into the struct, the default where nothing was said.
func (c *Config) fill(src Source, said settings) error {
	for _, k := range keys {
		s, ok := said[k.Name]
		if !ok {
			s = setting{k.Default, fromDefault}
		}
		if k.parse == nil {
			continue
		}
		if err := k.parse(c, s.value); err != nil {
			return fmt.Errorf("%s: %s is %s: it has to be %w", s.where, k.Name, api.Quote(s.value, 60), err)
		}
	}
	paths := map[string]string{}
	for _, k := range keys {
		s, ok := said[k.Name]
		if k.parse != nil || !ok {
			continue
		}
		if !filepath.IsAbs(s.value) {
			return fmt.Errorf("%s: %s is %s: it has to be an absolute path", s.where, k.Name, api.Quote(s.value, 200))
		}
		paths[k.Env] = s.value
	}
	var err error
	c.Paths, err = api.PathsFrom(func(name string) string {
		if v, ok := paths[name]; ok {
			return v
		}
		return src.Getenv(name)
	}, os.Getuid())
	return err
}

// known reports whether a key is one, in the spelling of the table.
func known(name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name })
}

// DefaultFile is where the configuration file lies when nothing names one, ""
// for somebody without a home.
func DefaultFile(getenv func(string) string) string {
	if x := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "vibespace", "config.yaml")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "vibespace", "config.yaml")
	}
	return ""
}

// readFile reads the configuration file into said and the applications.
func (c *Config) readFile(src Source, said settings) error {
	path := src.File
	if path == "" {
		path = DefaultFile(src.Getenv)
	}
	body, err := readBounded(path)
	if src.File == "" && (path == "" || errors.Is(err, fs.ErrNotExist)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	return c.read(path, body, said)
}

// readBounded reads a file that a person may have named by mistake.
func readBounded(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > fileBytes {
		return "", fmt.Errorf("%s is no configuration: it is no file, or larger than %d bytes", path, fileBytes)
	}
	body, err := os.ReadFile(path)
	return string(body), err
}

// yamlLine is how the YAML reader says where it stopped.
var yamlLine = regexp.MustCompile(`(?s)yaml: (?:unmarshal errors:\s+)?line (\d+): (.*)`)

// parseFault names file and line of a file that is no YAML.
func parseFault(path string, err error) error {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s: %s", path, m[1], m[2])
	}
	return fmt.Errorf("%s: %w", path, err)
}
