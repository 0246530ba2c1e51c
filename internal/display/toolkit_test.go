package display

import "testing"

func TestToolkitOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files []string
		want  Toolkit
	}{
		{nil, NoToolkit},
		{[]string{"/usr/bin/xterm", "/usr/lib/x86_64-linux-gnu/libXaw7.so.7"}, NoToolkit},
		{[]string{"/usr/lib/x86_64-linux-gnu/libgtk-3.so.0.2406.32", "/usr/lib/x86_64-linux-gnu/libatk-bridge-2.0.so.0"}, GTK3},
		{[]string{"/usr/lib/libgtk-4.so.1.800.3"}, GTK4},
		{[]string{"/usr/lib/libgtk-3.so.0", "/usr/lib/firefox-esr/libxul.so"}, Gecko},
		{[]string{"/usr/lib/libQt5Gui.so.5.15.8", "/usr/lib/libgtk-3.so.0"}, Qt5},
		{[]string{"/opt/libQt6Gui.so.6"}, Qt6},
		{[]string{"/usr/lib/libgtk-3.so.0", "/usr/lib/chromium/chrome_100_percent.pak"}, Chromium},
		{[]string{"/usr/lib/libatk-bridge-2.0.so.0"}, ATK},
		{[]string{"/opt/notlibgtk-3.so", "/home/libgtk-3.so.d/x"}, NoToolkit},
	} {
		if got := toolkitOf(c.files); got != c.want {
			t.Errorf("%v: %q, want %q", c.files, got, c.want)
		}
	}
}
