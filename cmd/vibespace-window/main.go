// Command vibespace-window is the agent's command line for windows. What it does is in package cli.
package main

import (
	"os"

	"vibespace/internal/cli"
)

// version is the build, set by the linker.
var version = "dev"

func main() { os.Exit(cli.Window(cli.FromOS("vibespace-window", version))) }
