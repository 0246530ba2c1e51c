//go:build ignore

// Writes keysyms.txt from the X headers: a line a name, "name hex [rune]",
// where the rune is there when the keysym stands for exactly one character.
//
//	go run keysyms_gen.go > keysyms.txt      (package x11proto-dev)
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const headers = "/usr/include/X11/"

var (
	define = regexp.MustCompile(`^#define\s+(XK_|XF86XK_)(\w+)\s+(0x[0-9A-Fa-f]+|_EVDEVK\((0x[0-9A-Fa-f]+)\))\s*(.*)$`)
	exact  = regexp.MustCompile(`^/\* U\+([0-9A-F]{4,6}) `)
)

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	seen := map[string]bool{}
	for _, file := range []string{"keysymdef.h", "XF86keysym.h"} {
		f, err := os.Open(headers + file)
		if err != nil {
			log.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if line, name := entry(lines.Text()); line != "" && !seen[name] {
				seen[name] = true
				fmt.Fprintln(out, line)
			}
		}
		f.Close()
	}
}

func entry(text string) (line, name string) {
	m := define.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	name, number := m[2], m[3]
	if m[1] == "XF86XK_" {
		name = "XF86" + name
	}
	base := uint64(0)
	if m[4] != "" {
		number, base = m[4], 0x10081000
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(number, "0x"), 16, 32)
	if err != nil {
		log.Fatal(err)
	}
	v += base
	line = fmt.Sprintf("%s %x", name, v)
	// Functional keys (Return, the keypad) have characters in the headers, but
	// pressing them is another thing than typing that character.
	if u := exact.FindStringSubmatch(m[5]); u != nil && v < 0xfd00 {
		line += " " + strings.ToLower(strings.TrimLeft(u[1], "0"))
	}
	return line, name
}
