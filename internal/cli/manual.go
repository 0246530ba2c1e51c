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
	if root.Example != "" {
		fmt.Fprintf(&b, "It goes like this; handles and refs are those of your own answers:\n%s\n\n", root.Example)
	}
	b.WriteString("every verb takes:\n")
	flagLines(&b, root.PersistentFlags(), nil)
	if act := anAct(root); act != nil {
		b.WriteString("every act, marked *, takes:\n")
		flagLines(&b, act.LocalNonPersistentFlags(), func(name string) bool { return !actFlag[name] })
	}
	b.WriteByte('\n')
	commandLines(&b, root)
	return b.String()
}

// actFlag are the flags that every act has: said once, not thirty times.
var actFlag = map[string]bool{"expect": true, "no-observe": true, "snapshot": true}

// isAct says whether a command is an act: one that has their flags.
func isAct(cmd *cobra.Command) bool {
	for name := range actFlag {
		if cmd.Flags().Lookup(name) == nil {
			return false
		}
	}
	return true
}

// anAct is one of the acts below a command, nil where there is none.
func anAct(root *cobra.Command) *cobra.Command {
	for _, cmd := range root.Commands() {
		if isAct(cmd) {
			return cmd
		}
	}
	return nil
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
		mark, except := "", func(string) bool { return false }
		if isAct(cmd) {
			mark, except = " *", func(name string) bool { return actFlag[name] }
		}
		fmt.Fprintf(b, "%s%s\n    %s\n", strings.TrimSuffix(path, " [flags]"), mark, cmd.Short)
		flagLines(b, cmd.LocalNonPersistentFlags(), except)
	}
}

// flagLines adds the flags of a set, a line each, but those that except names.
func flagLines(b *strings.Builder, set *pflag.FlagSet, except func(name string) bool) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden || except != nil && except(f.Name) {
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
