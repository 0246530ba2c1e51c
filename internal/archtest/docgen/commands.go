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
	{"vibespace, for the person", []string{"./cmd/vibespace", "--help"}},
}

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
	return b.Bytes(), nil
}
