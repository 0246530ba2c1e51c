package api

import (
	"encoding/json"
	"fmt"
)

// worded makes the words of a verb's answer from its JSON.
type worded func(verb string, raw []byte) (string, error)

// words is worded for an answer of one type.
func words[A any](verb string, raw []byte) (string, error) {
	var a A
	if err := json.Unmarshal(raw, &a); err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", verb, err)
	}
	return Text(verb, a), nil
}

// wordedBy are the verbs of a session that are no acts.
var wordedBy = map[string]worded{
	"apps": words[AppsAnswer], "open": words[OpenAnswer], "list": words[ListAnswer], "attach": words[OpenAnswer],
	"detach": words[HandleAnswer], "stop": words[HandleAnswer], "snapshot": words[Snapshot], "find": words[FindAnswer],
	"get": words[GetAnswer], "screenshot": words[ScreenshotAnswer], "wait": words[WaitAnswer], "size": words[OpenAnswer],
	"mode": words[OpenAnswer], "clipboard": words[ClipboardAnswer], "logs": words[LogsAnswer], "status": words[StatusAnswer],
	"probe": words[ProbeAnswer], "ask": words[AskAnswer],
}

// TextOf is Text for the answer of a session's verb as it crossed the socket: an
// answer within a batch.
func TextOf(verb string, raw []byte) (string, error) {
	if f, ok := wordedBy[verb]; ok {
		return f(verb, raw)
	}
	return words[Acted](verb, raw)
}
