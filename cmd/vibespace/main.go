// Command vibespace is the person's command line. What it does is in package cli.
package main

import (
	"os"

	"vibespace/internal/cli"
)

// version is the build, set by the linker.
var version = "dev"

func main() { os.Exit(cli.Person(cli.FromOS("vibespace", version))) }
