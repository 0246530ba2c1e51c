package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vibespace/internal/api"
)

// usage is a command line that cannot be meant: exit status 2.
type usage struct{ message, hint string }

func (u *usage) Error() string { return u.message }

// asRefusal turns whatever a command ended with into the refusal that is
// shown: a refusal as it is, anything else as wrong usage, which is what cobra
// has to say.
func asRefusal(err error) *api.Error {
	var e *api.Error
	if errors.As(err, &e) {
		return e
	}
	var u *usage
	if errors.As(err, &u) {
		refusal := api.Refuse(api.BadRequest, "%s", u.message)
		refusal.Hint = u.hint
		return refusal
	}
	return api.Refuse(api.BadRequest, "%s", firstLine(err.Error())).WithHint("--help says what there is")
}

// firstLine keeps cobra's sentence and drops its suggestions.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// misuse is wrong usage of a command, with how it goes as the hint.
func misuse(cmd *cobra.Command, message string) error {
	return &usage{message: message, hint: "usage: " + cmd.UseLine()}
}

// dashHint is the way out for a text that begins with a dash.
const dashHint = `a text that begins with "-" goes after "--"`

// flagFault words what the flag parser met. What looks like a flag may be a
// text, and then it says where a text goes.
func flagFault(cmd *cobra.Command, err error) error {
	message := err.Error()
	var unknown *pflag.NotExistError
	hint := "usage: " + cmd.UseLine()
	switch {
	case errors.Is(err, pflag.ErrHelp):
		// A shorthand with an h in it, "-hello": -h alone is taken before.
		message = "there are no flags with one dash"
		hint = dashHint
	case errors.As(err, &unknown):
		message = "there is no flag " + unknownFlag(unknown)
		hint = dashHint
		if unknown.GetSpecifiedShortnames() == "" {
			hint = "usage: " + cmd.UseLine() + `; ` + dashHint
		}
	}
	return &usage{message: message, hint: hint}
}

// unknownFlag is the flag as it was written.
func unknownFlag(e *pflag.NotExistError) string {
	if short := e.GetSpecifiedShortnames(); short != "" {
		return api.Quote("-"+short, 80)
	}
	return api.Quote("--"+e.GetSpecifiedName(), 80)
}
