package mcp

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/client"
	"vibespace/internal/need"
)

// TestBadLines: a line that is no message is answered with JSON-RPC's error, and
// the next message as if it had not been there. The program once ended with it.
func TestBadLines(t *testing.T) {
	t.Parallel()
	dir := need.Dir(t)
	c := client.New(client.Config{Paths: api.Paths{Socket: dir + "/s", Runtime: dir, State: dir}, NoStart: true})
	defer c.Close()
	in, say := io.Pipe()
	heard, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), Config{Name: "test", Version: "1", Client: c}, in, out) }()
	r := bufio.NewReader(heard)
	answer := func() (a struct {
		ID     *int
		Result *struct{ ServerInfo struct{ Name string } }
		Error  *struct {
			Code    int
			Message string
		}
	},
	) {
		t.Helper()
		line, err := r.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &a)
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		return a
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for line, code := range map[string]int{
		"hello": parseError, `{"jsonrpc":`: parseError, `{} {}`: parseError, "\xff": parseError, `[1,`: parseError,
		ping + " x": parseError, ping + ping: parseError, "[" + ping + "]": invalidRequest, "[" + ping + "," + ping + "]": invalidRequest,
		`{}`: invalidRequest, `7`: invalidRequest, `[]`: invalidRequest, `[7]`: invalidRequest, `{"jsonrpc":"1.0","id":1,"method":"ping"}`: invalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: invalidRequest, strings.Repeat("x", maxLine+1): invalidRequest,
	} {
		if _, err := io.WriteString(say, "\n"+line+"\n"); err != nil {
			t.Fatal(err)
		}
		if a := answer(); a.ID != nil || a.Error == nil || a.Error.Code != code || a.Error.Message == "" {
			t.Errorf("%.60q: %+v", line, a)
		}
	}
	const greeting = `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if _, err := io.WriteString(say, greeting+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if a := answer(); a.ID == nil || *a.ID != 5 || a.Result == nil || a.Result.ServerInfo.Name != "test" {
		t.Errorf("%+v", a)
	}
	say.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
