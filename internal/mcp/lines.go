package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// JSON-RPC's codes of a line that is no message.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// shared is an output that two write to, a message at a time.
type shared struct {
	mu sync.Mutex
	io.WriteCloser
}

// Write writes one message whole.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WriteCloser.Write(p)
}

// lines reads a peer's messages, a line each. One that is none is answered with
// JSON-RPC's error and left out: the SDK ends with the first.
type lines struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the line that is being read
}

// newLines reads in and answers on out.
func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{Closer: in, in: bufio.NewReader(in), out: out}
}

// Read gives the next bytes of whole messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if len(line) > 0 {
			l.rest = append(line, '\n')
		}
		if err != nil && len(l.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads a line and gives it when it is a message, nothing when it is not.
func (l *lines) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line = bytes.TrimSpace(line)
		switch fault := faultOf(line); {
		case long:
			l.refuse(invalidRequest, fmt.Sprintf("a message has %d bytes at the most", maxLine))
		case fault != nil && !json.Valid(line):
			l.refuse(parseError, "the line is no JSON: "+fault.Error())
		case fault != nil:
			l.refuse(invalidRequest, "the line is no message of JSON-RPC 2.0: "+fault.Error())
		default:
			return line, err
		}
		return nil, err
	}
}

// faultOf says why a line is no message; an empty one is nothing. The SDK ends
// with what follows a message on its line, and with a list of messages, which the
// protocol no longer has.
func faultOf(line []byte) error {
	switch {
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return errors.New("it is no one value")
	case line[0] == '[':
		return errors.New("a message is a line of its own, and no list")
	}
	_, err := jsonrpc.DecodeMessage(line)
	return err
}

// refuse answers a line whose id nobody knows. What cannot be written the SDK
// finds out with its own answer.
func (l *lines) refuse(code int, message string) {
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	})
	if err == nil {
		_, _ = l.out.Write(append(answer, '\n'))
	}
}
