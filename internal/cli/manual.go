package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual prints every command with its flags: what an agent reads once.
func (r *run) manual(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "manual", Short: "every verb with its flags", Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			text := manualText(root)
			return r.say(map[string]any{"ok": true, "manual": text}, text)
		},
	}
}

// manualText is the manual of a command tree.
func manualText(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", root.Short, root.Long)
	b.WriteString("every verb takes:\n")
	flagLines(&b, root.PersistentFlags())
	b.WriteByte('\n')
	commandLines(&b, root)
	return b.String()
}

// commandLines adds each command below one.
func commandLines(b *strings.Builder, parent *cobra.Command) {
	for _, cmd := range parent.Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.HasSubCommands() {
			commandLines(b, cmd)
			continue
		}
		path := strings.TrimPrefix(cmd.UseLine(), parent.Root().Name()+" ")
		fmt.Fprintf(b, "%s\n    %s\n", strings.TrimSuffix(path, " [flags]"), cmd.Short)
		flagLines(b, cmd.LocalNonPersistentFlags())
	}
}

// flagLines adds the flags of a set, a line each.
func flagLines(b *strings.Builder, set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Value.Type() != "bool" {
			kind, _ := pflag.UnquoteUsage(f)
			name += " " + kind
		}
		fmt.Fprintf(b, "    %-20s %s\n", name, f.Usage)
	})
}

// completion prints a shell's completion script.
func (r *run) completion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "a script that completes these commands in a shell", Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var b strings.Builder
			var err error
			switch args[0] {
			case "bash":
				err = root.GenBashCompletionV2(&b, true)
			case "zsh":
				err = root.GenZshCompletion(&b)
			case "fish":
				err = root.GenFishCompletion(&b, true)
			default:
				return misuse(cmd, "bash, zsh or fish")
			}
			if err != nil {
				return err
			}
			return r.say(map[string]any{"ok": true, "script": b.String()}, b.String())
		},
	}
}
