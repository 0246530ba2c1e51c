package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

// words splits a command's arguments at "--": what it names before, and the
// text after. text is nil when there was no "--".
func words(cmd *cobra.Command, args []string) (named, text []string) {
	at := cmd.ArgsLenAtDash()
	if at < 0 {
		return args, nil
	}
	return args[:at], append([]string{}, args[at:]...)
}

// takes is the check of a command that names between least and most things and
// takes no text.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misuse(cmd, "something is missing")
		case most >= 0 && len(args) > most:
			return misuse(cmd, "there is too much: "+api.Quote(args[most], 80))
		}
		return nil
	}
}

// theText finds the one text of a command among what follows its fixed
// arguments: the words after "--", joined by spaces, or one argument.
func theText(cmd *cobra.Command, rest, text []string) (string, error) {
	switch {
	case text != nil && len(rest) > 0:
		return "", misuse(cmd, "there is a text before and after \"--\"")
	case text != nil:
		return strings.Join(text, " "), nil
	case len(rest) == 0:
		return "", misuse(cmd, "the text is missing")
	case len(rest) > 1:
		return "", &usage{message: "there is more than one text", hint: "put it in quotes, or after \"--\""}
	}
	return rest[0], nil
}

var (
	sizeForm  = regexp.MustCompile(`^([0-9]{1,6})x([0-9]{1,6})$`)
	pointForm = regexp.MustCompile(`^(-?[0-9]{1,6}),(-?[0-9]{1,6})$`)
	refForm   = regexp.MustCompile(`^@e[0-9]{1,12}$`)
)

// parseSize reads WxH.
func parseSize(s string) (api.Size, error) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil {
		return api.Size{}, api.Refuse(api.BadSize, "%s is not a size", api.Quote(s, 80)).WithHint("WxH in pixels, 1600x900")
	}
	return api.Size{W: atoi(m[1]), H: atoi(m[2])}, nil
}

// parsePoint reads X,Y.
func parsePoint(s string) (api.Point, error) {
	m := pointForm.FindStringSubmatch(s)
	if m == nil {
		return api.Point{}, api.Refuse(api.BadPoint, "%s is not a point", api.Quote(s, 80)).
			WithHint("X,Y in pixels of the window, 120,48")
	}
	return api.Point{X: atoi(m[1]), Y: atoi(m[2])}, nil
}

// atoi reads digits that a pattern has passed.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("cli: a number the pattern passed is none: " + s)
	}
	return n
}

// parseRef reads @e7. A ref of another form was never given out.
func parseRef(s string) (api.Ref, error) {
	if !refForm.MatchString(s) {
		return "", api.Refuse(api.UnknownRef, "%s is not a ref", api.Quote(s, 80)).
			WithHint("refs look like @e7; snapshot and find give them")
	}
	return api.Ref(s), nil
}

// isRef says whether an argument means a ref: nothing else begins with "@".
func isRef(s string) bool { return strings.HasPrefix(s, "@") }

// modes are the modes of a share.
var modes = map[string]bool{"auto": true, "tree": true, "pixels": true}

// parseMode reads a mode; "" is none.
func parseMode(s string) (string, error) {
	if s != "" && !modes[s] {
		return "", api.Refuse(api.BadMode, "%s is not a mode", api.Quote(s, 80)).WithHint("auto, tree or pixels")
	}
	return s, nil
}

// parseDuration reads a Go duration, or a plain number as milliseconds, the
// unit of every number in the contract.
func parseDuration(s string) (time.Duration, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		if n < 0 || n > api.MaxTimeout.Milliseconds() {
			return 0, fmt.Errorf("it is 1ms to %v", api.MaxTimeout)
		}
		return time.Duration(n) * time.Millisecond, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("it is a duration like 500ms or 2s, or a number of milliseconds")
	}
	return d, nil
}

// oneOf refuses a flag's value that is not among those listed.
func oneOf(cmd *cobra.Command, flag, value string, among ...string) error {
	for _, a := range among {
		if value == a || value == "" {
			return nil
		}
	}
	return misuse(cmd, fmt.Sprintf("--%s is %s: it is one of %s", flag, api.Quote(value, 80), strings.Join(among, ", ")))
}

// notYet is the answer of a word of the contract that is not built.
func notYet(verb string) error {
	return api.Refuse(api.NotYet, "%s is not built yet", verb)
}
