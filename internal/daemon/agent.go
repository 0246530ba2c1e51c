package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// maxAncestry bounds the walk up from a calling process.
const maxAncestry = 32

// between are the programs that stand between an agent and its command: our
// own, shells and wrappers. Who runs them is the one who acts.
var between = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "fish": true, "ksh": true, "busybox": true,
	"env": true, "timeout": true, "nohup": true, "setsid": true, "sudo": true, "su": true, "script": true,
	"xargs": true, "time": true, "nice": true, "make": true, "curl": true, "socat": true, "strace": true,
}

// agentOf names the program that acts through a process, "claude[1234]": the
// nearest ancestor that is neither a shell nor one of ours. Two terminals that
// run the same agent are two agents, because the pid is part of it.
func agentOf(pid int) string {
	last := ""
	for range maxAncestry {
		name, parent, ok := process(pid)
		if !ok || pid <= 1 {
			break
		}
		last = fmt.Sprintf("%s[%d]", name, pid)
		if !between[name] && !strings.HasPrefix(name, "vibespace") {
			break
		}
		pid = parent
	}
	if last == "" {
		return "unknown"
	}
	return last
}

// process reads a process' short name and its parent.
func process(pid int) (name string, parent int, ok bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0, false
	}
	// The name stands in parentheses and may hold any byte, parentheses too.
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return "", 0, false
	}
	fields := strings.Fields(string(raw[end+1:]))
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return plain(string(raw[open+1 : end])), parent, err == nil
}

// plain keeps the printable part of a name that its process chose.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(name, "?"))
}
