package state

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image/color"
	"maps"
	"slices"
	"strings"

	"vibespace/internal/api"
)

// hues are the colours sessions are told apart by: each has contrast enough to
// carry white text, and none is that of a warning or of being in control.
var hues = []color.NRGBA{
	{R: 0x2f, G: 0x6f, B: 0xdb, A: 0xff},
	{R: 0x0f, G: 0x86, B: 0x6c, A: 0xff},
	{R: 0x8a, G: 0x4f, B: 0xd0, A: 0xff},
	{R: 0xb8, G: 0x3a, B: 0x7a, A: 0xff},
	{R: 0x4a, G: 0x7a, B: 0x1e, A: 0xff},
	{R: 0x17, G: 0x7e, B: 0x9e, A: 0xff},
	{R: 0x7a, G: 0x5c, B: 0x3a, A: 0xff},
	{R: 0x5a, G: 0x62, B: 0xc8, A: 0xff},
}

// own is the colour of the person's own windows.
var own = color.NRGBA{R: 0x6b, G: 0x72, B: 0x80, A: 0xff}

// Hue is the colour of a session, always the same one; the person's own is
// grey.
func Hue(s api.SessionID) color.NRGBA {
	if s == "" {
		return own
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return hues[h.Sum32()%uint32(len(hues))]
}

// Grantee is who a window can be shared with.
type Grantee struct {
	With string // session:<label> or group:<name>, "" for nobody
	Name string
}

// Grantees lists who a window can be shared with: nobody, the groups, the
// sessions.
func Grantees(l Lang, sessions []api.SessionInfo, groups []api.GroupInfo) []Grantee {
	list := []Grantee{{Name: l.Say(OnlyMe)}}
	for _, g := range groups {
		list = append(list, Grantee{"group:" + g.Group, l.Say(GroupNamed, g.Group)})
	}
	for _, s := range sessions {
		list = append(list, Grantee{"session:" + string(s.Label), l.Say(SessionNamed, s.Label)})
	}
	return list
}

// GranteeName says who a share is with, as Grantees names them.
func GranteeName(l Lang, with string) string {
	kind, name, _ := strings.Cut(with, ":")
	if kind == "group" {
		return l.Say(GroupNamed, name)
	}
	return l.Say(SessionNamed, name)
}

// Modes are the modes of a share, in the order they are offered.
var Modes = []string{"auto", "tree", "pixels"}

// ModeName and ModeMeans say what a mode is called and what it means for who
// gets it, in one sentence.
func ModeName(l Lang, mode string) string {
	return l.Say(map[string]Word{"auto": ModeAuto, "tree": ModeTree, "pixels": ModePixels}[mode])
}

// ModeMeans says it in a sentence.
func ModeMeans(l Lang, mode, who string) string {
	return l.Say(map[string]Word{"auto": ModeAutoMeans, "tree": ModeTreeMeans, "pixels": ModePixelsMeans}[mode], who)
}

// EnvText is the lines that make a shell the session's.
func EnvText(a api.SessionAnswer) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(a.Env)) {
		fmt.Fprintf(&b, "export %s='%s'\n", k, strings.ReplaceAll(a.Env[k], "'", `'\''`))
	}
	return b.String()
}

// MCPText is the entry of an MCP client's configuration for the session; program
// is the absolute path of vibespace-window.
func MCPText(a api.SessionAnswer, program string) (string, error) {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	raw, err := json.MarshalIndent(map[string]any{
		"mcpServers": map[string]server{"vibespace": {program, []string{"mcp"}, a.Env}},
	}, "", "  ")
	return string(raw) + "\n", err
}

// Difference says what has to be added to and removed from a list to make it
// another.
func Difference(have, want []string) (add, remove []string) {
	for _, w := range want {
		if !slices.Contains(have, w) {
			add = append(add, w)
		}
	}
	for _, h := range have {
		if !slices.Contains(want, h) {
			remove = append(remove, h)
		}
	}
	return add, remove
}
