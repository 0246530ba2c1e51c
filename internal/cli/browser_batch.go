package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
)

// noBatch are the words that make no sense as a line of a batch.
var noBatch = map[string]bool{"batch": true, "mcp": true, "manual": true, "completion": true}

func (r *run) browserBatch() *cobra.Command {
	return &cobra.Command{
		Use: "batch -", Short: "verbs as JSON lines on standard input",
		Long: "batch reads verbs from standard input, one JSON object a line, and does them in order: each is answered on a\n" +
			"line as it ends, and the first refusal stops it. A line is the verb with the fields of its request (docs/api.md):\n" +
			`{"verb":"click","ref":"@e7"}. A line without a profile or a tab is about those named here.`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "-" {
				return misuse(cmd, "the verbs come from standard input: the argument is -")
			}
			return r.batchBrowser(cmd)
		},
	}
}

// batchBrowser does the lines of standard input.
func (r *run) batchBrowser(cmd *cobra.Command) error {
	c, err := r.dial()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(io.LimitReader(r.Stdin, api.MaxBatchBytes+1))
	lines.Buffer(make([]byte, 64<<10), api.MaxBody)
	done := 0
	for lines.Scan() {
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		if done >= api.MaxBatchLines {
			return api.Refuse(api.TooLarge, "a batch has %d lines at the most", api.MaxBatchLines).WithHint("send the rest as another batch")
		}
		word, body, err := r.batchVerb(raw)
		if err == nil {
			raw, err = c.BrowserVerb(cmd.Context(), word, body)
		}
		if err != nil {
			e := asRefusal(err)
			return e.With("done", done).With("line", done+1)
		}
		if err := r.browserLine(word, raw); err != nil {
			return err
		}
		done++
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return api.Refuse(api.TooLarge, "line %d is longer than %d bytes", done+1, api.MaxBody).WithHint("split it")
	}
	return lines.Err()
}

// browserLine writes the answer of one verb: its own object, or its own words.
func (r *run) browserLine(word string, raw []byte) error {
	if r.json {
		return r.line(append(raw, '\n'))
	}
	words, err := api.BrowserTextOf(word, raw)
	if err != nil {
		return err
	}
	return r.line([]byte(words))
}

// batchVerb reads one line: the verb, and the body of its request with the
// profile and the tab named for the whole batch where it names none.
func (r *run) batchVerb(raw []byte) (string, []byte, error) {
	fields := map[string]json.RawMessage{}
	var word string
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", nil, api.Refuse(api.BadRequest, "a line is no JSON object: %s", api.Quote(string(raw), 80)).WithHint(`{"verb":"click","ref":"@e7"}`)
	}
	if err := json.Unmarshal(fields["verb"], &word); err != nil || word == "" || noBatch[word] {
		return "", nil, api.Refuse(api.BadRequest, "a line names no verb: %s", api.Quote(string(raw), 80)).WithHint(`{"verb":"click","ref":"@e7"}`)
	}
	delete(fields, "verb")
	word = lineOf(word, fields)
	for key, value := range map[string]string{"profile": r.attachment, "tab": r.tabNamed} {
		if value != "" && fields[key] == nil && (key == "profile" && word != "new" || onPage(word)) {
			fields[key], _ = json.Marshal(value)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return "", nil, fmt.Errorf("write line: %w", err)
	}
	return word, body, nil
}

// lineOf makes a verb of a batch what the daemon is asked, with what its fields
// imply.
func lineOf(word string, fields map[string]json.RawMessage) string {
	switch {
	case word == "uncheck":
		word = "check"
		fields["checked"] = json.RawMessage("false")
	case word == "check" && fields["checked"] == nil:
		fields["checked"] = json.RawMessage("true")
	case word == "tab":
		fields["inBatch"] = json.RawMessage("true")
	}
	return word
}

// onPage says whether a verb is about a tab.
func onPage(word string) bool {
	switch word {
	case "backend", "blocked", "new", "new-child", "profiles", "attachments", "use", "detach", "close", "delete", "status", "resume", "watch", "cdp-url":
		return false
	}
	return true
}
