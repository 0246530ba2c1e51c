package main

import (
	"bytes"
	"fmt"
	"os/exec"
)

// spoken are the commands whose own words make the page.
var spoken = []struct {
	title string
	args  []string
}{
	{"vibespace-window, for agents", []string{"./cmd/vibespace-window", "manual"}},
	{"vibespace-browser, for agents", []string{"./cmd/vibespace-browser", "manual"}},
	{"vibespace, for the person", []string{"./cmd/vibespace", "manual"}},
	{"vibespaced, the daemon", []string{"./cmd/vibespaced", "--help"}},
}

// desktop is the desktop app's usage: it has no words of its own, and building
// it takes a C compiler.
const desktop = `
## vibespace-desktop, for the person

` + "```" + `
vibespace-desktop                    every window live; vibespace without a command shows it
vibespace-desktop --window <handle>  that window first; vibespace watch <handle> shows it
vibespace-desktop --version          the version of this build
` + "```" + `
`

// commands renders what the command lines say of themselves.
func commands(root string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# The command lines\n\nWritten from the programs by `make docs`; do not edit.\n")
	for _, s := range spoken {
		cmd := exec.Command("go", append([]string{"run"}, s.args...)...)
		cmd.Dir = root
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%v: %w %s", s.args, err, stderr.Bytes())
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", s.title, bytes.TrimSpace(out))
	}
	b.WriteString(desktop)
	return b.Bytes(), nil
}
