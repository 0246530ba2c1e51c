package config

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
)

// boolean reads true or false as YAML and people write them.
func boolean(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, errors.New("true or false")
}

// between makes a reader of whole numbers within bounds.
func between(least, most int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// within makes a reader of durations within bounds.
func within(least, most time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < least || d > most {
			return 0, fmt.Errorf("a duration from %v to %v, as in 90s, 15m or 2h", least, most)
		}
		return d, nil
	}
}

// screenForm is a size as it is written.
var screenForm = regexp.MustCompile(`^(\d{1,5})x(\d{1,5})$`)

// screen reads the size of a display.
func screen(s string) (api.Size, error) {
	m := screenForm.FindStringSubmatch(s)
	if m != nil {
		w, _ := strconv.Atoi(m[1]) // five digits at most
		h, _ := strconv.Atoi(m[2])
		if w >= 640 && h >= 480 && w <= 7680 && h <= 4320 {
			return api.Size{W: w, H: h}, nil
		}
	}
	return api.Size{}, errors.New("a size from 640x480 to 7680x4320, as in 3840x2160")
}

// level reads the level of the log.
func level(s string) (slog.Level, error) {
	switch strings.ToLower(s) {
	case "debug", "info", "warn", "error":
		var l slog.Level
		return l, l.UnmarshalText([]byte(s))
	}
	return 0, errors.New("debug, info, warn or error")
}
