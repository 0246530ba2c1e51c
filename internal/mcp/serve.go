package mcp

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// Config is what a server is made of. Every field is required.
type Config struct {
	// Name and Version are how it presents itself; About is what a model should
	// know before it uses a tool.
	Name, Version, About string
	Tools                []Tool
	// Client is whom it acts as.
	Client *client.Client
}

// maxLine bounds one message of the peer: the largest request, and what is
// around it.
const maxLine = api.MaxBatchBytes + 1<<20

// Serve speaks MCP on in and out until in ends or ctx does; neither is a fault.
func Serve(ctx context.Context, cfg Config, in io.ReadCloser, out io.WriteCloser) error {
	server := sdk.NewServer(&sdk.Implementation{Name: cfg.Name, Version: cfg.Version}, &sdk.ServerOptions{
		Instructions: cfg.About, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	for _, t := range cfg.Tools {
		server.AddTool(t.declare(), func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			result, err := t.call(ctx, cfg.Client, r.Params.Arguments)
			if err != nil {
				return refused(err), nil
			}
			return result, nil
		})
	}
	both := &shared{WriteCloser: out}
	err := server.Run(ctx, &sdk.IOTransport{Reader: newLines(in, both), Writer: both, MaxLineLength: maxLine + 1})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
