package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// Person runs vibespace, the person's command line, and gives its exit status.
func Person(p Program) int { return p.main(personTree) }

// personTree is the commands of vibespace.
func personTree(r *run) *cobra.Command {
	root := &cobra.Command{
		Use:   "vibespace [command]",
		Short: "the person's side of VibeSpace: launch, share, watch, take over",
		Long: "vibespace starts applications of yours on displays of their own, shares them with your agents, and takes\n" +
			"them back. Without a command it shows the desktop app.\n\n" +
			"Exit status: 0 done, 1 refused, 2 wrong usage, 3 no daemon, 4 a condition was not met, 130 interrupted.",
		Example: personExample,
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if v, err := cmd.Flags().GetBool("version"); err == nil && v {
			return r.say(map[string]any{"ok": true, "version": r.Version}, r.Version+"\n")
		}
		return r.desktop()
	}
	root.PersistentFlags().StringVar(&r.config, "config", r.Getenv("VIBESPACE_CONFIG"), "the configuration of a daemon that is started")
	root.AddCommand(r.up(), r.down(), r.ps(), r.logs(), r.doctor(), r.configs())
	root.AddCommand(r.personList(), r.launch(), r.share(), r.unshare(), r.shares(), r.takeover(), r.handback())
	root.AddCommand(r.sizeCommand((*client.Client).PersonSize, asOwner), r.closeCommand((*client.Client).PersonClose, asOwner))
	root.AddCommand(r.rung(), r.attachHere())
	root.AddCommand(&cobra.Command{
		Use: "stop <handle>", Short: "end a window now: what is not saved is lost; close asks first", Args: takes(1, 1), RunE: handleVerb(r, "stop", (*client.Client).PersonStop, asOwner),
	}, &cobra.Command{
		Use: "end-hold <handle>", Short: "end a session's lease of a window", Args: takes(1, 1),
		RunE: handleVerb(r, "end-hold", (*client.Client).EndHold, asOwner),
	})
	root.AddCommand(r.sessions(), r.groups(), r.runAs(), r.questions(), r.reply(), r.audit(), r.trace(), r.demo(), r.watch())
	root.AddCommand(r.manual(root), r.completion(root))
	return root
}

// personExample is how a person goes about it; a test runs every line.
const personExample = `  vibespace session new helper              # an agent's identity, with the lines to export
  vibespace launch mousepad                 # w1: mine, and no agent sees it
  vibespace share w1 --with session:helper  # this one may ask for it now, with attach
  vibespace takeover w1                     # mine again: what runs is cut, and the agent is told
  vibespace handback w1 --note "go on"      # the note reaches the agent with its next command
  vibespace unshare w1                      # hidden again
  vibespace ps                              # what runs for which window
  vibespace doctor                          # what is wrong here, and what mends it
  vibespace stop w1`

// needsWord is the run of a command that only groups others.
func needsWord(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse(cmd, "there is no "+cmd.Name()+" "+api.Quote(args[0], 80))
	}
	return misuse(cmd, "say which: "+strings.Join(childNames(cmd), ", "))
}

// childNames are the words a command is followed by.
func childNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

func (r *run) personList() *cobra.Command {
	var ended bool
	cmd := &cobra.Command{
		Use: "list", Short: "every window: who opened, holds and drives it, and who reaches it", Args: takes(0, 0),
		RunE: verb(r, "person list", (*client.Client).PersonList, func(*cobra.Command, []string) (api.ListRequest, error) {
			return api.ListRequest{Common: r.common(), Ended: ended}, nil
		}, asOwner),
	}
	cmd.Flags().BoolVar(&ended, "ended", false, "the windows that ended lately, too")
	return cmd
}

func (r *run) launch() *cobra.Command {
	o := &openFlags{}
	remember := false
	cmd := &cobra.Command{
		Use: "launch <app|path> [flags] [-- args…]", Short: "start an application of yours, hidden unless it is shared here",
		RunE: verb(r, "launch", (*client.Client).Launch, func(cmd *cobra.Command, args []string) (api.OpenRequest, error) {
			if o.with != "" && o.with != "remembered" && !isGrantee(o.with) {
				return api.OpenRequest{}, misuse(cmd, withForm)
			}
			if remember && !isGrantee(o.with) {
				return api.OpenRequest{}, misuse(cmd, "--remember needs --with session:<label> or group:<name>")
			}
			q, err := o.request(r, cmd, args)
			q.Remember = remember
			return q, err
		}, asOwner),
	}
	o.add(cmd)
	cmd.Flags().StringVar(&o.url, "url", "", "the page a browser opens")
	cmd.Flags().StringVar(&o.with, "with", "", "share it with session:<label>, group:<name>, or as is remembered")
	cmd.Flags().BoolVar(&remember, "remember", false, "keep --with for later windows of the application")
	return cmd
}

func (r *run) audit() *cobra.Command {
	var q api.AuditRequest
	var handle, since string
	limit := &number{}
	cmd := &cobra.Command{
		Use: "audit", Short: "what was done, by whom, and how it was answered", Args: takes(0, 0),
		RunE: verb(r, "audit", (*client.Client).Audit, func(cmd *cobra.Command, _ []string) (api.AuditRequest, error) {
			q.Common, q.Handle, q.Limit = r.common(), api.Handle(handle), limit.n
			var err error
			if cmd.Flags().Changed("since") {
				if q.Since, err = parseSince(since, time.Now()); err != nil {
					return q, misuse(cmd, fmt.Sprintf("--since is %s: it is a time like 2026-03-01T12:00:00Z or a duration like 2h", api.Quote(since, 80)))
				}
			}
			return q, nil
		}, asOwner),
	}
	f := cmd.Flags()
	f.StringVar(&handle, "handle", "", "only this window")
	f.StringVar(&since, "since", "", "only from this time on, or from so long ago")
	f.Var(limit, "limit", "the last N rows")
	return cmd
}

// parseSince reads a time, or a duration before now.
func parseSince(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC(), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return time.Time{}, fmt.Errorf("neither a time nor a duration: %s", s)
	}
	return now.Add(-d).UTC(), nil
}
