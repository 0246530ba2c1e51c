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
	case interface{ text(*strings.Builder) }:
		a.text(&b)
	case interface {
		text(*strings.Builder, string)
	}:
		a.text(&b, verb)
	default:
		fmt.Fprintf(&b, "%s: done\n", verb)
	}
	return b.String()
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
		if key == "handedBack" && handedBack(&b, e.Details[key]) {
			continue
		}
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
