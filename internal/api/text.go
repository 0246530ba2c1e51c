package api

import (
	"fmt"
	"strconv"
	"strings"
)

// The rules of text answers. The reader pays by the token: no frames, no
// padding, no colour. The first line says what happened to which handle; what
// follows is indented detail or one item a line. Every string that an
// application chose is quoted by Quote, so that it stays on its line and
// cannot pass for one of ours.

// labelRunes bounds a title or a label on a line.
const labelRunes = 120

// Text is an answer in words, ending in a line break. The verb chooses the
// words of an answer that several verbs share. What it has no words for, an
// answer added later say, is told as "done".
func Text(verb string, answer any) string {
	var b strings.Builder
	switch a := answer.(type) {
	case AppsAnswer:
		a.text(&b)
	case OpenAnswer:
		a.text(&b, verb)
	case ListAnswer:
		a.text(&b, verb)
	case HandleAnswer:
		a.text(&b, verb)
	case Snapshot:
		a.text(&b)
	case FindAnswer:
		a.text(&b)
	case GetAnswer:
		a.text(&b)
	case ScreenshotAnswer:
		a.text(&b)
	case WaitAnswer:
		a.text(&b)
	case ProbeAnswer:
		a.text(&b)
	case StatusAnswer:
		a.text(&b)
	case Acted:
		a.text(&b)
	case ClipboardAnswer:
		a.text(&b)
	case LogsAnswer:
		a.text(&b)
	case AskAnswer:
		a.text(&b)
	default:
		if !browserText(&b, verb, answer) {
			personText(&b, verb, answer)
		}
	}
	return b.String()
}

// personText is Text for the person's answers.
func personText(b *strings.Builder, verb string, answer any) {
	switch a := answer.(type) {
	case SharesAnswer:
		a.text(b, verb)
	case SessionsAnswer:
		a.text(b)
	case GroupsAnswer:
		a.text(b)
	case SessionAnswer:
		a.text(b)
	case AuditAnswer:
		a.text(b)
	case PsAnswer:
		a.text(b)
	case DoctorAnswer:
		a.text(b)
	case QuestionsAnswer:
		a.text(b)
	case ReplyAnswer:
		a.text(b)
	case DaemonAnswer:
		a.text(b, verb)
	case TakeoverAnswer:
		a.text(b)
	case HandbackAnswer:
		a.text(b)
	default:
		fmt.Fprintf(b, "%s: done\n", verb)
	}
}

// Text is a refusal in words: the code and the sentence, then the way out and
// the details, a line each.
func (e *Error) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Code, oneLine(e.Message))
	if e.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", oneLine(e.Hint))
	}
	for _, key := range sortedKeys(e.Details) {
		fmt.Fprintf(&b, "%s: %s\n", oneLine(key), detail(e.Details[key]))
	}
	return b.String()
}

// notices adds what is said once: windows that came back, and sentences.
func (a Answer) notices(b *strings.Builder) {
	for _, h := range a.HandedBack {
		h.text(b)
	}
	for _, n := range a.Notices {
		fmt.Fprintf(b, "notice: %s\n", oneLine(n))
	}
}

// oneLine keeps a sentence of ours on its line, whatever was put into it.
func oneLine(s string) string {
	q := Quote(s, 0)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return strings.ReplaceAll(q, `\\`, `\`)
}

// String is "WxH".
func (s Size) String() string { return strconv.Itoa(s.W) + "x" + strconv.Itoa(s.H) }

// String is "X,Y".
func (p Point) String() string { return strconv.Itoa(p.X) + "," + strconv.Itoa(p.Y) }

// plural is "1 window" or "3 windows".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// handles is "w1 w2", or "none".
func handles(hs []Handle) string {
	if len(hs) == 0 {
		return "none"
	}
	words := make([]string, len(hs))
	for i, h := range hs {
		words[i] = string(h)
	}
	return strings.Join(words, " ")
}
