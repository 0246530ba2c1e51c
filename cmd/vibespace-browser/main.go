// Command vibespace-browser is the agent's command line for browsers. What it does is in package cli.
package main

import (
	"os"

	"vibespace/internal/cli"
)

// version is the build, set by the linker.
var version = "dev"

func main() { os.Exit(cli.Browser(cli.FromOS("vibespace-browser", version))) }
