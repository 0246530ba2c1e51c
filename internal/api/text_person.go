package api

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// text lists grants.
func (a SharesAnswer) text(b *strings.Builder, verb string) {
	switch {
	case verb == "unshare" && len(a.Shares) == 0:
		b.WriteString("unshared: nobody reaches it now\n")
	case len(a.Shares) == 0:
		b.WriteString("shared with nobody\n")
	default:
		fmt.Fprintf(b, "%s\n", plural(len(a.Shares), "share"))
	}
	var whose []string
	if a.Opener != "" {
		whose = append(whose, "opened by "+oneLine(string(a.Opener)))
	}
	if a.Holder != "" {
		whose = append(whose, "held by "+oneLine(string(a.Holder)))
	}
	if verb == "shares" && len(whose) > 0 {
		b.WriteString(strings.Join(whose, ", ") + "\n")
	}
	for _, s := range a.Shares {
		fmt.Fprintf(b, "%s with %s, %s, since %s\n", s.Handle, oneLine(s.With), s.Mode, moment(s.Since))
	}
	remembered(b, "", a.Remembered)
}

// remembered lists remembered shares, a line each.
func remembered(b *strings.Builder, indent string, list []Remembered) {
	for _, r := range list {
		fmt.Fprintf(b, "%sremembered for %s: with %s, %s, since %s\n", indent, oneLine(r.App), oneLine(r.With), r.Mode, moment(r.Since))
	}
}

// text lists remembered shares.
func (a RememberedAnswer) text(b *strings.Builder) {
	if len(a.Remembered) == 0 {
		b.WriteString("nothing is remembered\n")
	}
	remembered(b, "", a.Remembered)
}

// moment is a time as the contract writes it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// text lists sessions.
func (a SessionsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", plural(len(a.Sessions), "session"))
	for _, s := range a.Sessions {
		fmt.Fprintf(b, "%s holds %s", oneLine(string(s.Label)), handles(s.Holds))
		if len(s.Groups) > 0 {
			fmt.Fprintf(b, ", in %s", oneLine(strings.Join(s.Groups, " ")))
		}
		fmt.Fprintf(b, ", since %s\n", moment(s.Created))
	}
	for _, e := range a.Ending {
		fmt.Fprintf(b, "%s has ended: %s at %s", oneLine(string(e.Label)), ends(e.Windows), moment(e.Due))
		if e.Waits > 0 {
			b.WriteString(", put off once because you used one")
		}
		b.WriteByte('\n')
	}
}

// ends says which windows end.
func ends(hs []Handle) string {
	if len(hs) == 1 {
		return string(hs[0]) + " ends"
	}
	return handles(hs) + " end"
}

// text lists groups.
func (a GroupsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", plural(len(a.Groups), "group"))
	for _, g := range a.Groups {
		members := make([]string, len(g.Members))
		for i, m := range g.Members {
			members[i] = oneLine(string(m))
		}
		if len(members) == 0 {
			members = []string{"nobody"}
		}
		fmt.Fprintf(b, "%s: %s\n", oneLine(g.Group), strings.Join(members, " "))
	}
}

// text is a new session as lines to paste into a shell.
func (a SessionAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "session %s is made; its token is shown this once\n", oneLine(string(a.Label)))
	keys := make([]string, 0, len(a.Env))
	for k := range a.Env {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Fprintf(b, "export %s=%s\n", oneLine(k), shellWord(a.Env[k]))
	}
}

// shellWord is s as one word of a POSIX shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r))
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// text lists the audit, a row a line.
func (a AuditAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", plural(len(a.Rows), "row"))
	for _, r := range a.Rows {
		r.line(b)
	}
}

// line is a row of the audit on one line.
func (r AuditRow) line(b *strings.Builder) {
	who := oneLine(string(r.Session))
	if who == "" {
		who = "the person:"
	}
	// Handles and refs are whatever a caller wrote.
	fmt.Fprintf(b, "%s %s %s", moment(r.At), who, oneLine(r.Verb))
	if r.Handle != "" {
		fmt.Fprintf(b, " %s", clip(oneLine(string(r.Handle)), labelRunes))
	}
	if r.Ref != "" {
		fmt.Fprintf(b, " %s", clip(oneLine(string(r.Ref)), labelRunes))
	}
	if r.Role != "" {
		fmt.Fprintf(b, " %s %s", oneLine(r.Role), Quote(r.Name, labelRunes))
	}
	if r.By != "" {
		fmt.Fprintf(b, " by %s", oneLine(r.By))
	}
	fmt.Fprintf(b, ": %s, %d ms\n", oneLine(r.Verdict), r.TookMs)
}

// text lists acts with their pictures.
func (a TraceAnswer) text(b *strings.Builder) {
	if d := a.Deleted; d != nil {
		fmt.Fprintf(b, "deleted the pictures of %s of %s: %s, %d bytes\n", plural(d.Acts, "act"), a.Handle, plural(d.Files, "file"), d.Bytes)
		return
	}
	fmt.Fprintf(b, "%s: %s\n", a.Handle, plural(len(a.Rows), "act"))
	if a.Page != "" {
		fmt.Fprintf(b, "page: %s\n", oneLine(a.Page))
	}
	if a.Unshown != "" {
		fmt.Fprintf(b, "nothing shows it: %s\n", oneLine(a.Unshown))
	}
	for _, r := range a.Rows {
		r.line(b)
		if r.Box != nil {
			fmt.Fprintf(b, "  at %s\n", r.Box)
		}
		for _, p := range []struct{ what, path string }{{"before", r.Before}, {"after", r.After}} {
			if p.path != "" {
				fmt.Fprintf(b, "  %s %s\n", p.what, oneLine(p.path))
			}
		}
		if r.Note != "" {
			fmt.Fprintf(b, "  %s\n", oneLine(r.Note))
		}
		if r.Pending {
			b.WriteString("  its pictures are still being written: ask again\n")
		}
	}
}

// text lists what runs.
func (a PsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "vibespaced %s, pid %d: %s\n", oneLine(a.Version), a.Daemon, processes(len(a.Processes)))
	for _, p := range a.Processes {
		fmt.Fprintf(b, "%s %s %d %s (%s)\n", p.Handle, p.Display, p.PID, oneLine(p.Name), oneLine(p.What))
	}
}

// text lists findings, the faults with the command that mends each.
func (a DoctorAnswer) text(b *strings.Builder) {
	faults := 0
	for _, f := range a.Findings {
		if !f.OK {
			faults++
		}
	}
	if faults == 0 {
		fmt.Fprintf(b, "everything is in order (%s)\n", plural(len(a.Findings), "look"))
	} else {
		fmt.Fprintf(b, "%s of %d\n", plural(faults, "fault"), len(a.Findings))
	}
	for _, f := range a.Findings {
		if f.OK {
			fmt.Fprintf(b, "ok    %s: %s\n", oneLine(f.What), oneLine(f.Why))
			continue
		}
		fmt.Fprintf(b, "fault %s: %s\n", oneLine(f.What), oneLine(f.Why))
		if f.Mend != "" {
			fmt.Fprintf(b, "      mend: %s\n", oneLine(f.Mend))
		}
	}
}

// text tells how the daemon stands after up or down.
func (a DaemonAnswer) text(b *strings.Builder, verb string) {
	switch {
	case verb == "down" && a.PID == 0:
		b.WriteString("no daemon runs here\n")
	case verb == "down":
		fmt.Fprintf(b, "vibespaced %s, pid %d, is down: %s ended\n", oneLine(a.Version), a.PID, processes(a.Ended))
	case a.Started:
		fmt.Fprintf(b, "vibespaced %s is up, pid %d, on %s\n", oneLine(a.Version), a.PID, oneLine(a.Socket))
	default:
		fmt.Fprintf(b, "vibespaced %s was up already, pid %d, on %s\n", oneLine(a.Version), a.PID, oneLine(a.Socket))
	}
}
