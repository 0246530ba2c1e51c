package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// batchArgs are the arguments of the batch tool.
type batchArgs struct {
	api.BatchRequest
	Verbs []map[string]json.RawMessage `json:"verbs"`
}

// batched is what the batch tool answers.
type batched struct {
	OK      bool            `json:"ok"`
	Answers []api.BatchLine `json:"answers"`
}

// batchTool does several verbs as one. Its answers so far come with a refusal
// too: they were done.
func batchTool() Tool {
	return Tool{
		name: "batch", kind: destroys, schema: schemaOf[batchArgs](how{}),
		about: `Do verbs in order as one; stops at the first refusal. Each: {"verb":"click","ref":"@e7"}`,
		call: func(ctx context.Context, c *client.Client, args []byte) (*sdk.CallToolResult, error) {
			var q batchArgs
			if err := read(args, &q); err != nil {
				return nil, err
			}
			var lines bytes.Buffer
			for _, v := range q.Verbs {
				raw, err := json.Marshal(v)
				if err != nil {
					return nil, err
				}
				lines.Write(append(raw, '\n'))
			}
			var words strings.Builder
			done := batched{OK: true, Answers: []api.BatchLine{}}
			err := c.Batch(ctx, q.BatchRequest, &lines, func(line api.BatchLine) error {
				done.Answers = append(done.Answers, line)
				text, err := api.TextOf(line.Verb, line.Answer)
				words.WriteString(text)
				return err
			})
			if err == nil {
				return &sdk.CallToolResult{StructuredContent: done, Content: []sdk.Content{&sdk.TextContent{Text: words.String()}}}, nil
			}
			return done.stopped(words.String(), err), nil
		},
	}
}

// stopped is the result of a batch that was refused: what was done before is
// told with the refusal.
func (b batched) stopped(words string, err error) *sdk.CallToolResult {
	result := refused(err)
	if words != "" {
		result.Content = append([]sdk.Content{&sdk.TextContent{Text: words}}, result.Content...)
	}
	result.StructuredContent.(api.Refusal).With("answers", b.Answers)
	return result
}
