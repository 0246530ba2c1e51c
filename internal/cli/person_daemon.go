package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) up() *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "start the daemon", Args: takes(0, 0),
		RunE: verb(r, "up", (*client.Client).Hello, func(*cobra.Command, []string) (api.HelloRequest, error) {
			return api.HelloRequest{Common: r.common()}, nil
		}),
	}
}

func (r *run) down() *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "end every display and the daemon", Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := r.dial(asOwner, onlyLook)
			if err != nil {
				return err
			}
			a, err := c.Down(cmd.Context(), api.DownRequest{Common: r.common()})
			if api.CodeOf(err) == api.Unreachable && !c.Listens(cmd.Context()) {
				a, err = r.endLeft(cmd.Context()) // it is down already
			}
			return answer(r, "down", a, err)
		},
	}
}

// endLeft ends the displays that a daemon left which died: the next one takes
// them back and ends them. Without any, or where none may be started, everything
// is down.
func (r *run) endLeft(ctx context.Context) (api.DaemonAnswer, error) {
	down := api.DaemonAnswer{OK: true}
	paths, err := api.PathsFrom(r.Getenv, os.Getuid())
	if err != nil {
		return down, &usage{message: err.Error()}
	}
	if left, err := os.ReadDir(filepath.Join(paths.Runtime, "displays")); err != nil || len(left) == 0 {
		return down, nil //nolint:nilerr // what is not there holds no display
	}
	c, err := r.dial(asOwner)
	if err != nil {
		return down, err
	}
	a, err := c.Down(ctx, api.DownRequest{Common: r.common()})
	if api.CodeOf(err) == api.Unreachable && !c.Listens(ctx) {
		return down, nil
	}
	return a, err
}

func (r *run) ps() *cobra.Command {
	return &cobra.Command{
		Use: "ps", Short: "what runs", Args: takes(0, 0),
		RunE: verb(r, "ps", (*client.Client).Ps, func(*cobra.Command, []string) (api.ListRequest, error) {
			return api.ListRequest{Common: r.common()}, nil
		}, asOwner, onlyLook),
	}
}

// logTail bounds what logs reads of the file.
const logTail = 1 << 20

// logsAnswer answers logs.
type logsAnswer struct {
	OK    bool              `json:"ok"`
	Path  string            `json:"path"`
	Lines []json.RawMessage `json:"lines"`
}

// logs reads the daemon's log from its file: it is wanted most when no daemon
// runs.
func (r *run) logs() *cobra.Command {
	tail := &number{n: 50}
	cmd := &cobra.Command{
		Use: "logs", Short: "the daemon's log", Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			paths, err := api.PathsFrom(r.Getenv, os.Getuid())
			if err != nil {
				return &usage{message: err.Error()}
			}
			lines, err := lastLines(paths.LogFile(), tail.n)
			if err != nil {
				return api.Refuse(api.StoreFailed, "the log cannot be read: %v", err).WithHint("vibespace doctor")
			}
			a := logsAnswer{OK: true, Path: paths.LogFile(), Lines: []json.RawMessage{}}
			var words strings.Builder
			fmt.Fprintf(&words, "%s\n", a.Path)
			for _, line := range lines {
				if json.Valid(line) {
					a.Lines = append(a.Lines, line)
					words.Write(append(line, '\n'))
				}
			}
			return r.say(a, words.String())
		},
	}
	cmd.Flags().Var(tail, "tail", "only the last N lines (50)")
	return cmd
}

// lastLines reads the last n lines of a file; one that is not there has none.
func lastLines(path string, n int) ([][]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-logTail)
	raw, err := io.ReadAll(io.NewSectionReader(f, from, logTail))
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimRight(raw, "\n")
	if len(raw) == 0 {
		return nil, nil
	}
	lines := bytes.Split(raw, []byte("\n"))
	return lines[max(0, len(lines)-n):], nil
}

// mcpText is the configuration an MCP client takes for a new session.
func mcpText(a api.SessionAnswer) string {
	command := "vibespace-window"
	if exe, err := os.Executable(); err == nil {
		command = filepath.Join(filepath.Dir(exe), command)
	}
	raw, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{
		"vibespace": map[string]any{"command": command, "args": []string{"mcp"}, "env": a.Env},
	}}, "", "  ")
	if err != nil {
		return ""
	}
	return "\nfor an MCP client:\n" + string(raw) + "\n"
}
