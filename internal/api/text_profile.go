package api

import (
	"fmt"
	"strings"
)

// text tells a browser that was made for a helper.
func (a ChildAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "made %s\nexport %s\n", a.Profile.Line(), oneLine(a.Env))
	a.notices(b)
}

// text lists profiles.
func (a ProfilesAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s", plural(len(a.Profiles), "profile"))
	if a.Others > 0 {
		fmt.Fprintf(b, "; %d of others", a.Others)
	}
	b.WriteByte('\n')
	for _, p := range a.Profiles {
		fmt.Fprintf(b, "%s %s %s, %s, of %s", p.Handle, oneLine(p.Label), oneLine(p.Backend), p.State, oneLine(p.Owner))
		switch {
		case p.Ephemeral:
			b.WriteString(", ends with the session")
		case p.Attached:
			b.WriteString(", attached")
		}
		if p.Others > 0 {
			fmt.Fprintf(b, ", %s more attached", plural(p.Others, "session"))
		}
		b.WriteByte('\n')
	}
	b.WriteString(a.Profile.Line() + "\n")
	a.notices(b)
}

// text lists attachments.
func (a AttachmentsAnswer) text(b *strings.Builder, verb string) {
	switch verb {
	case "use":
		fmt.Fprintf(b, "attached to %s %s\n", a.Profile.Handle, oneLine(a.Profile.Label))
	case "pin":
		fmt.Fprintf(b, "the default is %s %s\n", a.Profile.Handle, oneLine(a.Profile.Label))
	default:
		b.WriteString(plural(len(a.Attachments), "attachment") + "\n")
	}
	attachmentLines(b, a.Attachments)
	b.WriteString(a.Profile.Line() + "\n")
	a.notices(b)
}

// attachmentLines lists attachments, one a line.
func attachmentLines(b *strings.Builder, list []BrowserAttachment) {
	for _, t := range list {
		fmt.Fprintf(b, "%s %s", t.Handle, oneLine(t.Label))
		if t.Alias != "" {
			fmt.Fprintf(b, " (%s)", oneLine(t.Alias))
		}
		fmt.Fprintf(b, " %s, %s, %s", t.Origin, t.State, plural(t.Tabs, "tab"))
		if t.Default {
			b.WriteString(", the default")
		}
		b.WriteByte('\n')
	}
}

// text tells a profile that was let go.
func (a LeaveAnswer) text(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%s %s: %s closed", verb, a.Profile.Handle, plural(a.Closed, "tab"))
	if a.Others > 0 {
		fmt.Fprintf(b, "; %d of other sessions stay", a.Others)
	}
	if a.Stopped {
		b.WriteString("; its browser ended")
	}
	b.WriteByte('\n')
	a.notices(b)
}

// text tells what was deleted.
func (a ProfileDeleteAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "deleted %s %s", a.Profile.Handle, oneLine(a.Profile.Label))
	switch {
	case a.Dir != "" && a.Stays:
		fmt.Fprintf(b, "; its directory was adopted and stays: %s (%d bytes)", oneLine(a.Dir), a.Bytes)
	case a.Dir != "":
		fmt.Fprintf(b, " and its directory %s (%d bytes)", oneLine(a.Dir), a.Bytes)
	}
	b.WriteByte('\n')
	a.notices(b)
}

// text tells how a browser stands.
func (a BrowserStatusAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s", a.Profile.Line(), a.State)
	if a.Paused != nil {
		fmt.Fprintf(b, "; the person drives since %s", a.Paused.Since.UTC().Format("15:04:05"))
	}
	if a.Others > 0 {
		fmt.Fprintf(b, "; %d tabs of other sessions", a.Others)
	}
	b.WriteByte('\n')
	for _, t := range a.Tabs {
		fmt.Fprintf(b, "%s %s of %s\n", t.ID, Quote(t.Title, labelRunes), Quote(t.URL, 0))
	}
	attachmentLines(b, a.Attachments)
	if a.Watch != "" {
		fmt.Fprintf(b, "watch: %s\n", oneLine(a.Watch))
	}
	a.notices(b)
}

// browserWords are the verbs of vibespace-browser that are no acts.
var browserWords = map[string]worded{
	"open": words[PageOpenAnswer], "back": words[PageOpenAnswer], "forward": words[PageOpenAnswer], "reload": words[PageOpenAnswer],
	"snapshot": words[PageSnapshot], "find": words[PageFindAnswer], "get": words[PageGetAnswer], "wait": words[PageWaitAnswer],
	"screenshot": words[PageScreenshotAnswer], "extract": words[ExtractAnswer], "tab": words[TabAnswer],
	"dialog": words[DialogAnswer], "console": words[LoggedAnswer], "errors": words[LoggedAnswer], "requests": words[RequestsAnswer],
	"eval": words[EvalAnswer], "profiles": words[ProfilesAnswer], "attachments": words[AttachmentsAnswer], "use": words[AttachmentsAnswer],
	"detach": words[LeaveAnswer], "close": words[LeaveAnswer], "delete": words[ProfileDeleteAnswer], "status": words[BrowserStatusAnswer], "resume": words[BrowserStatusAnswer],
	"watch": words[BrowserStatusAnswer], "new": words[BrowserNewAnswer], "new-child": words[ChildAnswer], "backend": words[BackendAnswer],
	"blocked": words[BlockedAnswer],
}

// BrowserTextOf is Text for the answer of a browser's verb as it crossed the
// socket: an answer within a batch.
func BrowserTextOf(verb string, raw []byte) (string, error) {
	if f, ok := browserWords[verb]; ok {
		return f(verb, raw)
	}
	return words[PageActed](verb, raw)
}
