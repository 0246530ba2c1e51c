// Command vibespace-browser is the agent's command line for browsers. What it
// does is in package cli, and in package mcp for agents that speak MCP.
package main

import (
	"context"
	"io"
	"os"

	"vibespace/internal/cli"
	"vibespace/internal/client"
	"vibespace/internal/mcp"
)

// version is the build, set by the linker.
var version = "dev"

func main() {
	p := cli.FromOS("vibespace-browser", version)
	p.MCP = func(ctx context.Context, c *client.Client, in io.ReadCloser, out io.WriteCloser) error {
		dir, err := p.Getwd()
		if err != nil {
			dir = "" // the directory is gone: only a relative path needs it, and is refused for it
		}
		return mcp.Serve(ctx, mcp.Config{
			Name: p.Name, Version: version, About: mcp.BrowsersAbout, Tools: mcp.Browsers(dir), Client: c,
		}, in, out)
	}
	os.Exit(cli.Browser(p))
}
