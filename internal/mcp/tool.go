package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// Tool is one verb as a tool.
type Tool struct {
	name, about string
	kind        kind
	schema      json.RawMessage
	// call does the verb: args is a JSON object.
	call func(ctx context.Context, c *client.Client, args []byte) (*sdk.CallToolResult, error)
}

// kind says what a verb does to the world, for whoever asks the person before
// it is done.
type kind int

const (
	reads    kind = iota // changes nothing
	acts                 // changes what can be changed back, as a rule
	destroys             // may lose what is not kept
)

// how changes a tool as it is made.
type how struct {
	hide []string            // fields that are not offered
	enum map[string][]string // the words a field takes
	need []string            // fields that are required although they may be absent on the wire
	// fill sets what the caller cannot know, before the arguments are read.
	fill func(request any)
	// more adds content to a success.
	more func(answer any) ([]sdk.Content, error)
}

// verb makes the tool of a client's method.
func verb[Q, A any](name, about string, k kind, do func(*client.Client, context.Context, Q) (A, error), h how) Tool {
	t := Tool{name: name, about: about, kind: k, schema: schemaOf[Q](h)}
	t.call = func(ctx context.Context, c *client.Client, args []byte) (*sdk.CallToolResult, error) {
		var q Q
		if h.fill != nil {
			h.fill(&q)
		}
		if err := read(args, &q); err != nil {
			return nil, err
		}
		a, err := do(c, ctx, q)
		if err != nil {
			return nil, err
		}
		result := &sdk.CallToolResult{StructuredContent: a, Content: []sdk.Content{&sdk.TextContent{Text: api.Text(name, a)}}}
		if h.more != nil {
			more, err := h.more(a)
			if err != nil {
				return nil, err
			}
			result.Content = append(result.Content, more...)
		}
		return result, nil
	}
	return t
}

// read reads the arguments of a tool. What is no argument of it is refused by
// name: one that was meant and is ignored does something else.
func read(args []byte, into any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); errors.Is(end, io.EOF) {
			return nil
		}
		err = errors.New("something follows the object")
	}
	return api.Refuse(api.BadRequest, "the arguments cannot be read: %s", strings.TrimPrefix(err.Error(), "json: ")).
		WithHint("the tool's schema names them")
}

// refused is a refusal as a result: an error to the model, with everything it
// can act on.
func refused(err error) *sdk.CallToolResult {
	e := *api.AsError(err, api.Internal)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	return &sdk.CallToolResult{
		IsError: true, StructuredContent: api.Refusal{Error: &e},
		Content: []sdk.Content{&sdk.TextContent{Text: e.Text()}},
	}
}

// declare is the tool as the protocol lists it.
func (t Tool) declare() *sdk.Tool {
	yes, no := true, false
	a := &sdk.ToolAnnotations{ReadOnlyHint: t.kind == reads}
	switch t.kind {
	case acts:
		a.DestructiveHint = &no
	case destroys:
		a.DestructiveHint = &yes
	}
	return &sdk.Tool{Name: t.name, Description: t.about, Annotations: a, InputSchema: t.schema}
}
