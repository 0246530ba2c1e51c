package cli

import (
	"github.com/spf13/cobra"
)

// windowLater are the verbs of the contract that have no engine yet. They are
// parsed, so that a wrong line is wrong today as well, and answer not_yet.
func windowLater() []*cobra.Command {
	return []*cobra.Command{
		{Use: "watch <handle>", Short: "see a window live (not built yet)", Args: takes(1, 1), RunE: unbuilt("watch")},
	}
}
