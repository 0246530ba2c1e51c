package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/internal/api"
)

// TestWindowLines holds each command line against the request it becomes.
func TestWindowLines(t *testing.T) {
	s := newStub(t)
	for _, c := range []struct {
		line string
		want string // verb and JSON
	}{
		{"apps", `apps {}`},
		{"open xterm", `open {"app":"xterm","dir":"/cwd"}`},
		{"open ./x --title T --size 640x480 --mode tree --rung xvfb --home h --env A=1 --env B= -- -geometry 80x24 --json", `open {"app":"./x","args":["-geometry","80x24","--json"],"title":"T","size":{"w":640,"h":480},"mode":"tree","rung":"xvfb","home":"h","env":["A=1","B="],"dir":"/cwd"}`},
		{"--timeout 2s open xterm", `open {"timeoutMs":2000,"app":"xterm","dir":"/cwd"}`},
		{"open xterm --timeout 1500", `open {"timeoutMs":1500,"app":"xterm","dir":"/cwd"}`},
		{"list", `list {}`},
		{"attach w1", `attach {"handle":"w1"}`},
		{"detach w1", `detach {"handle":"w1"}`},
		{"stop w1", `stop {"handle":"w1"}`},
		{"close w1 --window 0", `close {"handle":"w1","window":0}`},
		{"close w1 --no-observe", `close {"handle":"w1","noObserve":true}`},
		{"snapshot w1", `snapshot {"handle":"w1"}`},
		{"snapshot w1 --all --root @e5 --depth 3 --max-nodes 10 --diff --find x --role text --window 2", `snapshot {"handle":"w1","all":true,"root":"@e5","depth":3,"maxNodes":10,"diff":true,"find":"x","role":"text","window":2}`},
		{"find w1 --role text --name /a.*b/ --state focused", `find {"handle":"w1","role":"text","name":"/a.*b/","state":"focused"}`},
		{"get w1 @e5", `get {"handle":"w1","ref":"@e5"}`},
		{"get w1 @e5 bounds", `get {"handle":"w1","ref":"@e5","what":"bounds"}`},
		{"screenshot w1 --out a/b.png --format jpeg --ref @e1 --window 1 --max-side 99", `screenshot {"handle":"w1","format":"jpeg","ref":"@e1","window":1,"maxSide":99,"out":"/cwd/a/b.png"}`},
		{"screenshot w1 --out /x.png --all", `screenshot {"handle":"w1","all":true,"out":"/x.png"}`},
		{"click w1 @e7", `click {"handle":"w1","ref":"@e7"}`},
		{"click w1 @e7 --action press --point --button right --count 2 --mod ctrl", `click {"handle":"w1","ref":"@e7","action":"press","point":true,"button":"right","count":2,"mod":"ctrl"}`},
		{"click w1 --at 3,-4 --snapshot --expect title=x", `click {"handle":"w1","expect":"title=x","snapshot":true,"at":{"x":3,"y":-4}}`},
		{"click w1 --at -3,4", `click {"handle":"w1","at":{"x":-3,"y":4}}`},
		{"type w1 hi", `type {"handle":"w1","text":"hi"}`},
		{"type w1 @e7 hi --replace --enter --keys", `type {"handle":"w1","ref":"@e7","text":"hi","replace":true,"enter":true,"keys":true}`},
		{"type w1 -- -rf --json @e7", `type {"handle":"w1","text":"-rf --json @e7"}`},
		{"type w1 @e7 -- @e8", `type {"handle":"w1","ref":"@e7","text":"@e8"}`},
		{"type w1 --enter --", `type {"handle":"w1","text":"","enter":true}`},
		{"set w1 @e1 --value=-5", `set {"handle":"w1","ref":"@e1","value":"-5"}`},
		{"set w1 @e1 --value -5", `set {"handle":"w1","ref":"@e1","value":"-5"}`},
		{"set w1 @e1 --select Red", `set {"handle":"w1","ref":"@e1","select":"Red"}`},
		{"set w1 @e1 --check", `set {"handle":"w1","ref":"@e1","check":true}`},
		{"set w1 @e1 --uncheck", `set {"handle":"w1","ref":"@e1","check":false}`},
		{"set w1 @e1 --collapse", `set {"handle":"w1","ref":"@e1","expand":false}`},
		{"set w1 @e1 --focus", `set {"handle":"w1","ref":"@e1","focus":true}`},
		{"key w1 ctrl+s Return -", `key {"handle":"w1","keys":["ctrl+s","Return","-"]}`},
		{"scroll w1 down", `scroll {"handle":"w1","direction":"down"}`},
		{"scroll w1 up --by 3 --at 1,2", `scroll {"handle":"w1","direction":"up","by":3,"at":{"x":1,"y":2}}`},
		{"scroll w1 left @e3", `scroll {"handle":"w1","direction":"left","ref":"@e3"}`},
		{"menu w1 File>Save_As --no-observe", `menu {"handle":"w1","path":"File>Save_As","noObserve":true}`},
		{"select w1 @e1 --from 0 --to 5", `select {"handle":"w1","ref":"@e1","from":0,"to":5}`},
		{"drag w1 --from 1,2 --to 3,4", `drag {"handle":"w1","from":{"x":1,"y":2},"to":{"x":3,"y":4}}`},
		{"hover w1 --at 3,4", `hover {"handle":"w1","at":{"x":3,"y":4}}`},
		{"clipboard w1 get", `clipboard {"handle":"w1","do":"get"}`},
		{"clipboard w1 set x", `clipboard {"handle":"w1","do":"set","text":"x"}`},
		{"clipboard w1 set -- -x y", `clipboard {"handle":"w1","do":"set","text":"-x y"}`},
		{"logs w1", `logs {"handle":"w1"}`},
		{"logs w1 --tail 5", `logs {"handle":"w1","tail":5}`},
		{"wait w1 --text a --title b --idle 500 --window --exit --gone --role r --name n", `wait {"handle":"w1","text":"a","role":"r","name":"n","gone":true,"title":"b","idleMs":500,"window":true,"exit":true}`},
		{"size w1 1600x900", `size {"handle":"w1","size":{"w":1600,"h":900}}`},
		{"size w1 auto", `size {"handle":"w1","size":null}`},
		{"mode w1 pixels", `mode {"handle":"w1","mode":"pixels"}`},
		{"status", `status {}`},
		{"probe", `probe {}`},
		{"probe w1", `probe {"handle":"w1"}`},
	} {
		for _, args := range [][]string{words1(c.line), append([]string{"--json"}, words1(c.line)...)} {
			got := s.window(args...)
			if got.exit != 0 {
				t.Errorf("%v: exit %d: %s%s", args, got.exit, got.stdout, got.stderr)
				continue
			}
			if !sameAsked(s.last(), c.want) {
				t.Errorf("%v: asked %s, want %s", args, s.last(), c.want)
			}
			if args[0] == "--json" {
				oneObject(t, c.line, got)
			}
		}
	}
}

// TestPersonLines does the same for vibespace.
func TestPersonLines(t *testing.T) {
	s := newStub(t)
	for line, want := range map[string]string{
		"up": `hello {}`,
		"ps": `person/ps {}`,
		"launch firefox --url file:///x --with session:a --size 800x600 --mode auto -- -P x": `person/launch {"app":"firefox","args":["-P","x"],"size":{"w":800,"h":600},"mode":"auto","dir":"/cwd","url":"file:///x","with":"session:a"}`,
		"share w1 --with session:a --mode pixels":                                            `person/share {"handle":"w1","with":"session:a","mode":"pixels"}`,
		"share w1 --with group:team":                                                         `person/share {"handle":"w1","with":"group:team"}`,
		"unshare w1":                                                                         `person/unshare {"handle":"w1"}`,
		"unshare w1 --with group:g":                                                          `person/unshare {"handle":"w1","with":"group:g"}`,
		"shares w1":                                                                          `person/shares {"handle":"w1"}`,
		"size w1 auto":                                                                       `person/size {"handle":"w1","size":null}`,
		"rung w1 xpra":                                                                       `person/rung {"handle":"w1","rung":"xpra"}`,
		"stop w1":                                                                            `person/stop {"handle":"w1"}`,
		"close w1":                                                                           `person/close {"handle":"w1"}`,
		"end-hold w1":                                                                        `person/end-hold {"handle":"w1"}`,
		"session new a --group g":                                                            `person/session-new {"label":"a","group":"g"}`,
		"session list":                                                                       `person/session-list {}`,
		"group new g":                                                                        `person/group-new {"group":"g"}`,
		"group add g a":                                                                      `person/group-add {"group":"g","label":"a"}`,
		"group remove g a":                                                                   `person/group-remove {"group":"g","label":"a"}`,
		"group remove g":                                                                     `person/group-remove {"group":"g"}`,
		"group list":                                                                         `person/group-list {}`,
		"list":                                                                               `person/list {}`,
		"share w1 --with group:g --remember":                                                 `person/share {"handle":"w1","with":"group:g","remember":true}`,
		"share w1 --with remembered":                                                         `person/share {"handle":"w1","with":"remembered"}`,
		"launch x --with remembered":                                                         `person/launch {"app":"x","with":"remembered","dir":"/cwd"}`,
		"launch x --with session:a --remember":                                               `person/launch {"app":"x","with":"session:a","remember":true,"dir":"/cwd"}`,
		"shares":                                                                             `person/remembered {}`,
		"shares --app x":                                                                     `person/remembered {"app":"x"}`,
		"unshare --app x":                                                                    `person/forget {"app":"x"}`,
		"unshare --app x --with group:g":                                                     `person/forget {"app":"x","with":"group:g"}`,
		"group add team session:carol":                                                       `person/group-add {"group":"team","label":"carol"}`,
		"trace w1":                                                                           `person/trace {"handle":"w1"}`,
		"trace w1 --limit 5":                                                                 `person/trace {"handle":"w1","limit":5}`,
		"trace w1 --delete":                                                                  `person/trace-delete {"handle":"w1"}`,
		"list --ended":                                                                       `person/list {"ended":true}`,
		"session end a":                                                                      `person/session-end {"label":"a"}`,
		"audit":                                                                              `person/audit {}`,
		"audit --handle w1 --since 2026-03-01T12:00:00+01:00 --limit 5": `person/audit {"handle":"w1","since":"2026-03-01T11:00:00Z","limit":5}`,
	} {
		got := s.person(append(words1(line), "--json")...)
		if strings.Contains(line, " -- ") {
			got = s.person(append([]string{"--json"}, words1(line)...)...)
		}
		if got.exit != 0 {
			t.Errorf("%s: exit %d: %s%s", line, got.exit, got.stdout, got.stderr)
			continue
		}
		if !sameAsked(s.last(), want) {
			t.Errorf("%s: asked %s, want %s", line, s.last(), want)
		}
		oneObject(t, line, got)
	}
}

// words1 splits a line of the tables; nothing in them needs quotes.
func words1(line string) []string { return strings.Fields(line) }

// sameAsked compares "verb JSON" without regard to the order of fields.
func sameAsked(got, want string) bool {
	gotVerb, gotBody, _ := strings.Cut(got, " ")
	wantVerb, wantBody, _ := strings.Cut(want, " ")
	var g, w any
	return gotVerb == wantVerb && json.Unmarshal([]byte(gotBody), &g) == nil && json.Unmarshal([]byte(wantBody), &w) == nil && reflect.DeepEqual(g, w)
}

// TestRefusedLines holds what is refused before any daemon is asked, in words
// and in JSON: the code, the exit status, and that nothing was asked.
func TestRefusedLines(t *testing.T) {
	long := strings.Repeat("x", 100_001)
	for _, c := range []struct {
		args []string
		code api.Code
		hint string // part of it
	}{
		{[]string{}, api.BadRequest, "usage"},
		{[]string{"frob"}, api.BadRequest, ""},
		{[]string{"list", "x"}, api.BadRequest, "list"},
		{[]string{"list", "--frob"}, api.BadRequest, ""},
		{[]string{"--timeout", "0", "list"}, api.BadRequest, ""},
		{[]string{"--timeout", "-5", "list"}, api.BadRequest, ""},
		{[]string{"--timeout", "1x", "list"}, api.BadRequest, ""},
		{[]string{"--timeout", "25h", "list"}, api.BadRequest, ""},
		{[]string{"--timeout", "99999999999999999999", "list"}, api.BadRequest, ""},
		{[]string{"open"}, api.BadRequest, "open <app|path>"},
		{[]string{"open", "a", "b"}, api.BadRequest, `"--"`},
		{[]string{"open", "a", "--env", "x"}, api.BadRequest, ""},
		{[]string{"open", "a", "--env", "=x"}, api.BadRequest, ""},
		{[]string{"open", "a", "--rung", "vnc"}, api.BadRequest, ""},
		{[]string{"open", "a", "--size", "5x"}, api.BadSize, "WxH"},
		{[]string{"open", "a", "--size", ""}, api.BadSize, "WxH"},
		{[]string{"open", "a", "--size", "9999999999x1"}, api.BadSize, "WxH"},
		{[]string{"open", "a", "--mode", "fast"}, api.BadMode, "auto"},
		{[]string{"size", "w1", "0x"}, api.BadSize, ""},
		{[]string{"size", "w1", "-5x5"}, api.BadRequest, ""},
		{[]string{"size", "w1", "--", "-5x5"}, api.BadSize, ""},
		{[]string{"mode", "w1", "x"}, api.BadMode, ""},
		{[]string{"mode", "w1", ""}, api.BadMode, ""},
		{[]string{"click", "w1"}, api.BadRequest, "@e7"},
		{[]string{"click", "w1", "@e7", "--at", "1,2"}, api.BadRequest, ""},
		{[]string{"click", "w1", "e7"}, api.UnknownRef, "@e7"},
		{[]string{"click", "w1", "@e"}, api.UnknownRef, ""},
		{[]string{"click", "w1", "@e-1"}, api.UnknownRef, ""},
		{[]string{"click", "w1", "--at", "1"}, api.BadPoint, "X,Y"},
		{[]string{"click", "w1", "--at", "1,2,3"}, api.BadPoint, ""},
		{[]string{"click", "w1", "--at", ""}, api.BadPoint, ""},
		{[]string{"click", "w1", "--at", "1.5,2"}, api.BadPoint, ""},
		{[]string{"click", "w1", "--at", "1,2", "--point"}, api.BadRequest, ""},
		{[]string{"click", "w1", "@e1", "--button", "x"}, api.BadRequest, ""},
		{[]string{"click", "w1", "@e1", "--count", "0"}, api.BadRequest, ""},
		{[]string{"click", "w1", "@e1", "--count", "x"}, api.BadRequest, ""},
		{[]string{"type", "w1"}, api.BadRequest, "type <handle>"},
		{[]string{"type", "w1", "@e1"}, api.BadRequest, ""},
		{[]string{"type", "w1", "-rf"}, api.BadRequest, `"--"`},
		{[]string{"type", "w1", "-5"}, api.BadRequest, `"--"`},
		{[]string{"type", "w1", "-h"}, api.BadRequest, `"--"`},
		{[]string{"type", "w1", "-hello"}, api.BadRequest, `"--"`},
		{[]string{"type", "w1", "--x y"}, api.BadRequest, `"--"`},
		{[]string{"type", "w1", "-test.v"}, api.BadRequest, ""},
		{[]string{"type", "w1", "a", "b"}, api.BadRequest, "quotes"},
		{[]string{"type", "w1", "a", "--", "b"}, api.BadRequest, ""},
		{[]string{"type", "w1", "a", "--stdin"}, api.BadRequest, ""},
		{[]string{"type", "w1", "a\xff"}, api.BadRequest, ""},
		{[]string{"type", "w1", long}, api.TextTooLong, ""},
		{[]string{"set", "w1", "@e1"}, api.BadRequest, ""},
		{[]string{"set", "w1", "@e1", "--check", "--uncheck"}, api.BadRequest, ""},
		{[]string{"set", "w1", "--check"}, api.BadRequest, ""},
		{[]string{"key", "w1"}, api.BadRequest, ""},
		{[]string{"scroll", "w1", "sideways"}, api.BadRequest, ""},
		{[]string{"scroll", "w1", "up", "@e1", "--at", "1,1"}, api.BadRequest, ""},
		{[]string{"scroll", "w1", "up", "--by", "0"}, api.BadRequest, ""},
		{[]string{"scroll", "w1", "up", "--by", "-1"}, api.BadRequest, ""},
		{[]string{"get", "w1"}, api.BadRequest, ""},
		{[]string{"get", "w1", "@e1", "colour"}, api.BadRequest, ""},
		{[]string{"find", "w1"}, api.BadRequest, "find"},
		{[]string{"wait", "w1"}, api.BadRequest, ""},
		{[]string{"screenshot", "w1", "--all", "--window", "1"}, api.BadRequest, ""},
		{[]string{"screenshot", "w1", "--format", "gif"}, api.BadRequest, ""},
		{[]string{"screenshot", "w1", "--out", ""}, api.BadRequest, ""},
		{[]string{"snapshot", "w1", "--window", "-1"}, api.BadRequest, ""},
		{[]string{"snapshot", "w1", "--root", "5"}, api.UnknownRef, ""},
		{[]string{"menu", "w1"}, api.BadRequest, ""},
		{[]string{"select", "w1", "@e1", "--from", "1"}, api.BadRequest, ""},
		{[]string{"drag", "w1", "--from", "1,2", "--to", "3"}, api.BadPoint, ""},
		{[]string{"hover", "w1"}, api.BadRequest, ""},
		{[]string{"hover", "w1", "--at", "3"}, api.BadPoint, ""},
		{[]string{"watch"}, api.BadRequest, ""},
		{[]string{"clipboard", "w1", "get", "x"}, api.BadRequest, ""},
		{[]string{"clipboard", "w1", "get", "--", "x"}, api.BadRequest, ""},
		{[]string{"clipboard", "w1", "set"}, api.BadRequest, ""},
		{[]string{"clipboard", "w1", "put"}, api.BadRequest, ""},
		{[]string{"logs", "w1", "--tail", "x"}, api.BadRequest, ""},
		{[]string{"ask", "w1"}, api.BadRequest, ""},
		{[]string{"ask", "w1", "is", "it"}, api.BadRequest, ""},
		{[]string{"batch", "w1"}, api.BadRequest, ""},
		{[]string{"batch", "w1", "verbs.jsonl"}, api.BadRequest, ""},
		{[]string{"mcp", "w1"}, api.BadRequest, ""},
	} {
		s := newStub(t)
		line := strings.Join(c.args, " ")
		if len(line) > 200 {
			line = line[:200]
		}
		want := api.FateOf(c.code).Exit
		got := s.window(c.args...)
		if got.exit != want || got.stdout != "" || !strings.HasPrefix(got.stderr, "vibespace-window: "+string(c.code)+": ") {
			t.Errorf("%s: exit %d (want %d), stdout %q, stderr %q", line, got.exit, want, got.stdout, got.stderr)
		}
		got = s.window(append([]string{"--json"}, c.args...)...)
		v := oneObject(t, line, got)
		hint, _ := v["hint"].(string)
		if got.exit != want || v["code"] != string(c.code) || v["details"] == nil || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: exit %d (want %d): %s", line, got.exit, want, got.stdout)
		}
		if s.last() != "" {
			t.Errorf("%s: the daemon was asked %s", line, s.last())
		}
	}
}

// TestBrowserLines: a wrong line is refused before the daemon is asked.
func TestBrowserLines(t *testing.T) {
	s := newStub(t)
	for line, code := range map[string]api.Code{
		"mcp": api.NotYet, "frob": api.BadRequest, "open": api.BadRequest, "click": api.BadRequest, "click e7": api.UnknownRef, "type @e7": api.BadRequest,
		"type @e7 -x": api.BadRequest, "blocked": api.BadRequest, "new a --mode x": api.BadMode, "back now": api.BadRequest, "": api.BadRequest,
		"find": api.BadRequest, "wait": api.BadRequest, "get @e5 attr": api.BadRequest, "get @e5 what": api.BadRequest, "tab list t1": api.BadRequest,
		"dialog dismiss x": api.BadRequest, "scroll sideways": api.BadRequest, "scroll down --by 0": api.BadRequest, "extract --format pdf": api.BadRequest, "pin": api.BadRequest,
		"pin a --none": api.BadRequest, "batch": api.BadRequest, "batch x": api.BadRequest, "upload @e7": api.BadRequest, "fill @e7": api.BadRequest,
		"blocked --url u --tier 9": api.BadRequest, "screenshot --format gif": api.BadRequest, "click @e7 --button side": api.BadRequest,
	} {
		p, out, errs := s.program("vibespace-browser", "", nil, append(words1(line), "--json")...)
		got := ran{Browser(p), out.String(), errs.String()}
		v := oneObject(t, line, got)
		if v["code"] != string(code) || got.exit != api.FateOf(code).Exit || s.last() != "" {
			t.Errorf("%q: exit %d, %s; want %s and nothing asked", line, got.exit, got.stdout, code)
		}
	}
}

// TestBrowserAsks: what a line asks of the daemon.
func TestBrowserAsks(t *testing.T) {
	s := newStub(t)
	for line, asked := range map[string]string{
		"backend": `browser/backend {}`, "backend cloak --profile w1": `browser/backend {"backend":"cloak","profile":"w1"}`,
		"blocked --url u --why w --tier 3": `browser/blocked {"url":"u","why":"w","tier":3}`,
		"new a --adopt d":                  `browser/new {"label":"a","adopt":"d","dir":"/cwd"}`,
		"new a --backend desktop-app --url u --mode tree --size auto --keep-profile": `browser/new {"label":"a","backend":"desktop-app","url":"u",` +
			`"mode":"tree","autoSize":true,"keepProfile":true,"dir":"/cwd"}`,
		"open http://x": `browser/open {"url":"http://x"}`, "back --tab t2": `browser/back {"tab":"t2"}`, "reload --timeout 5s": `browser/reload {"timeoutMs":5000}`,
		"snapshot --root @e5 --depth 2 --profile w": `browser/snapshot {"profile":"w","root":"@e5","depth":2}`, "find --role x": `browser/find {"role":"x"}`,
		"get @e5 attr href": `browser/get {"ref":"@e5","what":"attr","attr":"href"}`, "click @e7 --count 2": `browser/click {"ref":"@e7","count":2}`,
		"type @e7 x --enter": `browser/type {"ref":"@e7","text":"x","enter":true}`, "type x": `browser/type {"text":"x"}`,
		"fill @e7 -- -x y": `browser/fill {"ref":"@e7","text":"-x y"}`, "select @e7 a b": `browser/select {"ref":"@e7","options":["a","b"]}`,
		"check @e7": `browser/check {"ref":"@e7","checked":true}`, "uncheck @e7": `browser/check {"ref":"@e7","checked":false}`,
		"press ctrl+a Delete": `browser/press {"keys":["ctrl+a","Delete"]}`, "hover @e7": `browser/hover {"ref":"@e7"}`,
		"scroll down @e7 --by 2": `browser/scroll {"direction":"down","by":2,"ref":"@e7"}`, "upload @e7 a /b": `browser/upload {"ref":"@e7","files":["/cwd/a","/b"]}`,
		"wait --gone @e7 --idle 5": `browser/wait {"gone":"@e7","idleMs":5}`, "extract --format json-table": `browser/extract {"format":"json-table"}`,
		"screenshot --full --out p.png": `browser/screenshot {"full":true,"out":"/cwd/p.png"}`, "tab": `browser/tab {"do":"list"}`,
		"tab new http://x": `browser/tab {"do":"new","url":"http://x"}`, "tab close t1": `browser/tab {"tab":"t1","do":"close"}`, "tab t1": `browser/tab {"tab":"t1","do":"show"}`,
		"dialog accept x": `browser/dialog {"do":"accept","text":"x"}`, "console --tail 5": `browser/console {"tail":5}`, "errors": `browser/errors {}`,
		"requests": `browser/requests {}`, "eval 1+1": `browser/eval {"script":"1+1"}`, "profiles": `browser/profiles {}`, "attachments": `browser/attachments {}`,
		"use p --alias a": `browser/use {"use":"p","alias":"a","dir":"/cwd"}`, "pin p": `browser/use {"use":"p","pin":true,"dir":"/cwd"}`,
		"pin --none": `browser/use {"use":"","none":true,"dir":"/cwd"}`, "detach p": `browser/detach {"profile":"p"}`, "close": `browser/close {}`,
		"new-child": `browser/new-child {}`, "status": `browser/status {}`, "resume": `browser/resume {}`, "watch": `browser/watch {}`, "cdp-url": `browser/cdp-url {}`,
		"new a --size 800x600": `browser/new {"label":"a","size":{"w":800,"h":600},"dir":"/cwd"}`,
	} {
		p, out, errs := s.program("vibespace-browser", "", nil, append([]string{"--json"}, words1(line)...)...)
		if status := Browser(p); status != 0 || s.last() != asked {
			t.Errorf("%q: exit %d, asked %s; want %s\n%s%s", line, status, s.last(), asked, out, errs)
		}
	}
}

// TestPersonRefused: what vibespace refuses by itself.
func TestPersonRefused(t *testing.T) {
	s := newStub(t)
	for line, code := range map[string]api.Code{
		"": api.NotYet, "attach-here w1": api.StartFailed, "attach-here": api.BadRequest, "watch w1": api.NotYet,
		"group new": api.BadRequest, "group add g": api.BadRequest, "group": api.BadRequest, "group frob": api.BadRequest, "trace w1 --open --delete": api.BadRequest,
		"run --session a -- no-such-program": api.AppNotFound, "run ls": api.BadRequest, "session": api.BadRequest, "session new": api.BadRequest,
		"share w1": api.BadRequest, "help nosuch": api.BadRequest, "help session nosuch": api.BadRequest, "share w1 --with bob": api.BadRequest, "share w1 --with session:": api.BadRequest, "unshare w1 --with x": api.BadRequest, "unshare": api.BadRequest, "unshare w1 --app x": api.BadRequest,
		"share w1 --with remembered --remember": api.BadRequest, "launch x --remember": api.BadRequest, "rung w1": api.BadRequest, "rung w1 vnc": api.BadRequest, "shares w1 --app x": api.BadRequest,
		"share w1 --with session:a --mode x": api.BadMode, "audit --since yesterday": api.BadRequest, "frob": api.BadRequest, "launch": api.BadRequest,
	} {
		got := s.person(append([]string{"--json"}, words1(line)...)...)
		v := oneObject(t, line, got)
		if v["code"] != string(code) || got.exit != api.FateOf(code).Exit {
			t.Errorf("%q: exit %d, %s; want %s", line, got.exit, got.stdout, code)
		}
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Time{"2h": now.Add(-2 * time.Hour), "2026-01-01T00:00:00Z": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "-2h": {}, "x": {}} {
		if got, err := parseSince(s, now); !got.Equal(want) || (err != nil) != want.IsZero() {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
}

// TestBrowserBatch: each line is asked as the verb it names, with what was named
// for the whole batch, and the first refusal stops it.
func TestBrowserBatch(t *testing.T) {
	s := newStub(t)
	s.answer = `{"ok":true,"profile":{"handle":"b1","label":"work","origin":"chosen"},"nodes":[]}`
	lines := `{"verb":"find","role":"link"}` + "\n\n" + `{"verb":"uncheck","ref":"@e7","profile":"b2"}` + "\n" + `{"verb":"use","use":"p"}` + "\n"
	p, out, errs := s.program("vibespace-browser", lines, nil, "--json", "--profile", "b1", "--tab", "t3", "batch", "-")
	if status := Browser(p); status != 0 || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("exit %d\n%s%s", status, out, errs)
	}
	want := []string{
		`browser/find {"profile":"b1","role":"link","tab":"t3"}`, `browser/check {"checked":false,"profile":"b2","ref":"@e7","tab":"t3"}`,
		`browser/use {"profile":"b1","use":"p"}`,
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked %q", s.asked)
	}
	s.asked, s.answer, s.status = nil, `{"ok":false,"code":"browser_stopped","message":"m","hint":"h","details":{}}`, 409
	p, out, _ = s.program("vibespace-browser", lines, nil, "--json", "batch", "-")
	v := map[string]any{}
	if status := Browser(p); status != 1 || json.Unmarshal(out.Bytes(), &v) != nil || v["code"] != "browser_stopped" || len(s.asked) != 1 {
		t.Errorf("exit %d after %q: %s", status, s.asked, out)
	}
	for _, bad := range []string{"x", "{}", `{"verb":"batch"}`, `{"verb":7}`} {
		s.asked = nil
		p, out, _ = s.program("vibespace-browser", bad+"\n", nil, "--json", "batch", "-")
		if status := Browser(p); status != 2 || len(s.asked) != 0 {
			t.Errorf("%s: exit %d, asked %q: %s", bad, status, s.asked, out)
		}
	}
}

// TestATabInABatch: a tab line of a batch says that it is one, so that the
// daemon knows that a batch holds the tab.
func TestATabInABatch(t *testing.T) {
	s := newStub(t)
	p, _, errs := s.program("vibespace-browser", `{"verb":"tab","do":"new"}`+"\n", nil, "batch", "-")
	if code := Browser(p); code != 0 || s.last() != `browser/tab {"do":"new","inBatch":true}` {
		t.Errorf("exit %d, %s: asked %s", code, errs, s.last())
	}
}
