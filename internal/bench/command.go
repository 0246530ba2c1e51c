package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"vibespace/internal/api"
)

// command runs one of our programs as an agent's shell does and gives the
// handle in its answer and its milliseconds.
func (r *rig) command(ctx context.Context, program string, args ...string) (api.Handle, float64, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = r.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var out []byte
	took, err := clocked(func() (err error) {
		out, err = cmd.Output()
		return err
	})
	if err != nil {
		return "", took, fmt.Errorf("%s %v: %w %s%s", program, args, err, bytes.TrimSpace(out), bytes.TrimSpace(stderr.Bytes()))
	}
	var answer struct {
		Handle api.Handle `json:"handle"`
		Window api.Window `json:"window"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", took, fmt.Errorf("%s %v: %w", program, args, err)
	}
	if answer.Handle == "" {
		answer.Handle = answer.Window.Handle
	}
	return answer.Handle, took, nil
}
