package xpra

import (
	"slices"
	"strings"
)

// shownMetadata is what a viewer is told of a window: what it is, and nothing of
// where and how large a window manager has it.
var shownMetadata = []string{
	"title", "icon-title", "class-instance", "transient-for", "window-type", "modal", "decorations", "override-redirect", "role",
	"has-alpha", "opacity", "shape", "size-constraints", "size-hints", "icons", "xid", "group-leader", "skip-taskbar", "skip-pager",
}

// asSaid are the keys of a viewer's greeting that the server is told as they are:
// what it can decode.
var asSaid = []string{
	"encodings", "generic-rgb-encodings", "rgb24zlib", "zlib", "lz4", "lzo", "auto_refresh_delay", "vrefresh", "flush", "eos",
	"server-window-resize", "server-window-move-resize", "generic_window_types", "raw_window_icons",
}

// viewerHello is the greeting of a viewer as the server gets it: which windows it
// shows and which pixels it takes, without keyboard, pointer, screen, sound,
// clipboard, files and whatever else it offers.
func viewerHello(said map[string]any, id string) map[string]any {
	out := map[string]any{
		"version": "3.1.3", "uuid": id, "client_type": "vibespace-viewer", "rencode": true, "bencode": false, "yaml": false,
		// Packets that are not packed can be read on the way.
		"compression_level": 0,
		"share":             true, "steal": true, "ui_client": true, "windows": true, "namespace": true, "info-namespace": true,
		"keyboard": false, "mouse": false, "cursors": false, "bell": false, "system_tray": false, "notifications": false,
		"clipboard": false, "sound.send": false, "sound.receive": false, "wants_sound": false, "wants_aliases": false, "wants_events": false,
		"file-transfer": false, "printing": false, "open-url": false, "randr_notify": false,
		"desktop_size": []any{noDesktop, noDesktop}, "screen_sizes": []any{}, "windows.filters": []any{},
	}
	for k, v := range said {
		if slices.Contains(asSaid, k) || strings.HasPrefix(k, "encoding") {
			out[k] = v
		}
	}
	supported := []any{}
	for i := range packetOf(said["metadata.supported"]) {
		if name := packetOf(said["metadata.supported"]).text(i); slices.Contains(shownMetadata, name) {
			supported = append(supported, name)
		}
	}
	if !slices.Contains(supported, any("xid")) { // by which a window is known on the display
		supported = append(supported, "xid")
	}
	out["metadata.supported"] = supported
	return out
}

// packetOf reads a value as a list, so that what is none is empty.
func packetOf(v any) packet {
	list, _ := v.([]any)
	return list
}
