package cli

import (
	"github.com/spf13/cobra"
)

// windowLater are the verbs of the contract that have no engine yet. They are
// parsed, so that a wrong line is wrong today as well, and answer not_yet.
func windowLater() []*cobra.Command {
	list := []*cobra.Command{
		{Use: "menu <handle> 'File>Save As'", Short: "walk a menu by name", Args: takes(2, 2), RunE: unbuilt("menu")},
		selectLater(), dragLater(), hoverLater(),
		{Use: "watch <handle>", Short: "see a window live", Args: takes(1, 1), RunE: unbuilt("watch")},
		{Use: "clipboard <handle> get | set TEXT", Short: "the clipboard of that display", RunE: unbuilt("clipboard", clipboardForm)},
		logsLater(),
		{Use: `ask <handle> "question"`, Short: "ask the person; the answer comes with a later command", RunE: unbuilt("ask", askForm)},
		{Use: "batch <handle> -", Short: "verbs as JSON lines on standard input", Args: takes(2, 2), RunE: unbuilt("batch")},
		{Use: "mcp", Short: "speak MCP on standard input and output", Args: takes(0, 0), RunE: unbuilt("mcp")},
	}
	for _, cmd := range list {
		switch cmd.Name() {
		case "menu", "select", "drag", "hover":
			(&actFlags{}).add(cmd)
		}
	}
	return list
}

func selectLater() *cobra.Command {
	from, to := &number{}, &number{}
	cmd := &cobra.Command{
		Use: "select <handle> @e7 --from N --to M", Short: "select text, in characters", Args: takes(2, 2),
		RunE: unbuilt("select", func(cmd *cobra.Command, args []string) error {
			if !from.set || !to.set {
				return misuse(cmd, "--from and --to are needed")
			}
			_, err := parseRef(args[1])
			return err
		}),
	}
	cmd.Flags().Var(from, "from", "the first character")
	cmd.Flags().Var(to, "to", "the character after the last")
	return cmd
}

func dragLater() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "drag <handle> --from X,Y --to X,Y", Short: "press, move and release the pointer", Args: takes(1, 1),
		RunE: unbuilt("drag", func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("from") || !cmd.Flags().Changed("to") {
				return misuse(cmd, "--from and --to are needed")
			}
			if _, err := parsePoint(from); err != nil {
				return err
			}
			_, err := parsePoint(to)
			return err
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "where it is pressed")
	cmd.Flags().StringVar(&to, "to", "", "where it is released")
	return cmd
}

func hoverLater() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use: "hover <handle> --at X,Y", Short: "move the pointer", Args: takes(1, 1),
		RunE: unbuilt("hover", func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("at") {
				return misuse(cmd, "--at is needed")
			}
			_, err := parsePoint(at)
			return err
		}),
	}
	cmd.Flags().StringVar(&at, "at", "", "the point")
	return cmd
}

func logsLater() *cobra.Command {
	cmd := &cobra.Command{Use: "logs <handle>", Short: "the application's own output", Args: takes(1, 1), RunE: unbuilt("logs")}
	cmd.Flags().Var(&number{}, "tail", "only the last N lines")
	return cmd
}

// clipboardForm checks "get" and "set TEXT".
func clipboardForm(cmd *cobra.Command, args []string) error {
	named, text := words(cmd, args)
	switch {
	case len(named) == 2 && named[1] == "get" && text == nil:
		return nil
	case len(named) >= 2 && named[1] == "set":
		_, err := theText(cmd, named[2:], text)
		return err
	}
	return misuse(cmd, "say get, or set and a text")
}

// askForm checks the question.
func askForm(cmd *cobra.Command, args []string) error {
	named, text := words(cmd, args)
	if len(named) == 0 {
		return misuse(cmd, "the handle is missing")
	}
	_, err := theText(cmd, named[1:], text)
	return err
}
