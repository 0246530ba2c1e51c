package daemon

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// maxAncestry bounds the walk up from a calling process.
const maxAncestry = 32

// between are the programs that stand between an agent and its command: our
// own, shells and wrappers. Who runs them is the one who acts. They are known by
// the program that runs: a script is called by its own name, and ten scripts of a
// person's are one person.
var between = map[string]bool{
	"bash-static": true, "rbash": true, "mksh": true, "bwrap": true, "setpriv": true, "unshare": true, "watch": true,
	"sh": true, "bash": true, "dash": true, "zsh": true, "fish": true, "ksh": true, "busybox": true,
	"env": true, "timeout": true, "nohup": true, "setsid": true, "sudo": true, "su": true, "script": true,
	"xargs": true, "time": true, "nice": true, "make": true, "curl": true, "socat": true, "strace": true,
}

// agentOf names the program that acts through a process, "claude[1234]": the
// nearest ancestor that is neither a shell nor one of ours. Two terminals that
// run the same agent are two agents, because the pid is part of it; reach knows
// from the pid's end that one run of a program followed another.
func agentOf(pid int) string {
	last := ""
	for range maxAncestry {
		name, parent, ok := process(pid)
		if !ok || pid <= 1 {
			break
		}
		program := programOf(pid, name)
		last = fmt.Sprintf("%s[%d]", program, pid)
		if !between[program] && !strings.HasPrefix(program, "vibespace") {
			break
		}
		pid = parent
	}
	if last == "" {
		return "unknown"
	}
	return last
}

// interpreters are the programs whose scripts have no name of their own worth
// telling: a script is not an agent because it is called something. Others, node
// among them, run agents that name themselves.
var interpreters = []string{"python", "perl", "ruby", "php", "lua", "tclsh"}

// programOf names the program of a process: the one that runs a script where a
// shell or an interpreter does, else what the process calls itself.
func programOf(pid int, name string) string {
	exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return name
	}
	exe = plain(filepath.Base(strings.TrimSuffix(exe, " (deleted)")))
	if between[exe] {
		return exe
	}
	for _, i := range interpreters {
		if strings.HasPrefix(exe, i) {
			return i
		}
	}
	return name
}

// agentLives says whether the process of an agent, as agentOf named it, is
// still there.
func agentLives(agent string) bool {
	name, rest, ok := strings.Cut(agent, "[")
	pid, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if !ok || err != nil {
		return false
	}
	now, _, ok := process(pid)
	return ok && programOf(pid, now) == name
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
