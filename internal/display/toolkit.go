package display

import (
	"path/filepath"
	"strings"

	"vibespace/internal/proc"
)

// Toolkit is an accessible toolkit as it is found among a program's libraries.
type Toolkit string

// The toolkits that are known to register on an accessibility bus.
const (
	NoToolkit Toolkit = "" // none was found
	GTK3      Toolkit = "gtk3"
	GTK4      Toolkit = "gtk4"
	Qt5       Toolkit = "qt5"
	Qt6       Toolkit = "qt6"
	Gecko     Toolkit = "gecko"
	Chromium  Toolkit = "chromium"
	Java      Toolkit = "java"
	ATK       Toolkit = "atk" // the bridge alone: some other toolkit that uses it
)

// toolkitFiles are the files that give a toolkit away, the telling ones first:
// a browser maps GTK too, for its dialogs.
var toolkitFiles = []struct {
	prefix  string
	toolkit Toolkit
}{
	{"libxul.so", Gecko},
	{"libcef.so", Chromium},
	{"chrome_100_percent.pak", Chromium},
	{"libgtk-4.so", GTK4},
	{"libQt6Gui.so", Qt6},
	{"libQt5Gui.so", Qt5},
	{"libgtk-3.so", GTK3},
	{"libatk-wrapper.so", Java},
	{"libatk-bridge-2.0.so", ATK},
}

// toolkitOf finds the most telling toolkit among mapped files.
func toolkitOf(files []string) Toolkit {
	for _, row := range toolkitFiles {
		for _, file := range files {
			if strings.HasPrefix(filepath.Base(file), row.prefix) {
				return row.toolkit
			}
		}
	}
	return NoToolkit
}

// Toolkit looks at what the processes of an application map and names the
// accessible toolkit among it, NoToolkit when there is none: such a program will
// never have a tree. A program that has just started may not have loaded its
// libraries yet; once it has mapped a window it has.
func (d *Display) Toolkit(app *App) Toolkit {
	var files []string
	seen := func(pid int) {
		if more, err := proc.Libraries(pid); err == nil {
			files = append(files, more...)
		}
	}
	if app != nil {
		seen(app.PID())
		if t := toolkitOf(files); t != NoToolkit {
			return t
		}
	}
	found, err := d.Processes()
	if err != nil {
		return toolkitOf(files)
	}
	for _, p := range found {
		if p.What == WhatApp {
			seen(p.PID)
		}
	}
	return toolkitOf(files)
}
