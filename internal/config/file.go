package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"vibespace/internal/api"
)

// file is a configuration file that was read, kept to say where things stand
// in it: viper folds the case of keys and forgets their lines.
type file struct{ path, body string }

// collect takes the settings and applications out of what viper read.
func (f file) collect(v *viper.Viper, apps map[string]string, said settings) error {
	names := map[string]string{}
	for _, k := range keys {
		names[strings.ToLower(k.Name)] = k.Name
	}
	for _, folded := range slices.Sorted(slices.Values(v.AllKeys())) {
		if folded == appsKey || strings.HasPrefix(folded, appsKey+".") {
			continue
		}
		where, spelt := f.find(strings.Split(folded, "."))
		name, ok := names[folded]
		if !ok {
			return fmt.Errorf("%s: %s is not a setting", where, api.Quote(spelt, 60))
		}
		value, ok := scalar(v.Get(folded))
		if !ok {
			return fmt.Errorf("%s: %s has to be one value", where, name)
		}
		said[name] = setting{value, where}
	}
	return f.applications(v.Get(appsKey), apps)
}

// applications takes the names and command lines under apps, in the spelling
// of the file.
func (f file) applications(under any, apps map[string]string) error {
	if under == nil {
		return nil
	}
	where, _ := f.find([]string{appsKey})
	entries, ok := under.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %s has to map names to command lines, as in\n%s:\n  editor: /usr/bin/mousepad", where, appsKey, appsKey)
	}
	for _, folded := range slices.Sorted(maps.Keys(entries)) {
		where, spelt := f.find([]string{appsKey, folded})
		name := spelt[strings.Index(spelt, ".")+1:]
		command, ok := entries[folded].(string)
		if !ok || strings.TrimSpace(command) == "" {
			return fmt.Errorf("%s: %s.%s has to be a command line", where, appsKey, name)
		}
		if name == "" || strings.ContainsAny(name, "/\x00") {
			return fmt.Errorf("%s: %s.%s has a slash in its name", where, appsKey, name)
		}
		apps[name] = command
	}
	return nil
}

// scalar writes one YAML value as a person does; false for a list or a map.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case []any, map[string]any, map[any]any:
		return "", false
	default:
		return fmt.Sprint(v), true
	}
}

// find says where a key stands ("config.yaml:7") and how the file spells it.
// It follows the indentation of block style; in any other style the place is
// the file and the spelling viper's.
func (f file) find(path []string) (where, spelt string) {
	// within are the keys of the path met so far, each with how far in it and
	// what is directly under it stand (under is -1 until that is seen).
	type level struct {
		key           string
		indent, under int
	}
	within := []level{{indent: -1, under: -1}}
	for i, line := range strings.Split(f.body, "\n") {
		key, indent, ok := keyOf(line)
		if !ok {
			continue
		}
		for len(within) > 1 && indent <= within[len(within)-1].indent {
			within = within[:len(within)-1]
		}
		last := &within[len(within)-1]
		if last.under < 0 {
			last.under = indent
		}
		if indent != last.under {
			continue
		}
		rest := path[len(within)-1:]
		switch {
		case strings.EqualFold(key, strings.Join(rest, ".")):
			for _, l := range slices.Backward(within[1:]) {
				key = l.key + "." + key
			}
			return fmt.Sprintf("%s:%d", f.path, i+1), key
		case strings.EqualFold(key, rest[0]):
			within = append(within, level{key: key, indent: indent, under: -1})
		}
	}
	return f.path, strings.Join(path, ".")
}

// keyOf reads the key of a line in block style and how far in it stands.
func keyOf(line string) (key string, indent int, ok bool) {
	rest := strings.TrimLeft(line, " ")
	indent = len(line) - len(rest)
	if strings.HasPrefix(rest, "#") {
		return "", 0, false
	}
	if quote := strings.IndexAny(rest, `"'`); quote == 0 {
		key, rest, ok = strings.Cut(rest[1:], rest[:1])
		ok = ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
		return key, indent, ok
	}
	key, _, ok = strings.Cut(rest, ":")
	return strings.TrimRight(key, " "), indent, ok && key != ""
}
