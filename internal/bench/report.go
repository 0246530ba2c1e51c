package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// target is what a measurement has to meet.
type target struct {
	bench, app string
	says       string
	met        func(Result) bool
}

// targets are the promises of the product on a machine of two cores.
var targets = []target{
	{"open", "xterm", "at most 1000 ms", atMost(1000)},
	{"open.display", "xterm", "at most 350 ms", atMost(350)},
	{"snapshot.cold", "gtk4-widget-factory", "at most a quarter of libatspi's time", atLeast(4)},
	{"screenshot", "mousepad", "at most a tenth of import's time", atLeast(10)},
	{"screenshot", "gtk3-widget-factory", "at most a tenth of import's time", atLeast(10)},
	{"adopt", "xterm and mousepad", "back within 2 s", func(r Result) bool { return r.Ours.P95 <= 2000 }},
	{"takeover", "xterm", "no event later than 50 ms", func(r Result) bool { return r.Ours.P95 <= 50 }},
	{"stream", "1920x1080 in 900x506", "at least 27 frames/s", fast(27)},
	{"stream.cpu", "vibespaced", "at most half a core", atMost(50)},
	{"stream.still.cpu", "vibespaced", "no measurable CPU", atMost(0.2)},
	{"app", "1920x1080 in 900x506", "at least 27 frames/s", fast(27)},
	{"app.cpu", "vibespace-desktop", "at most half a core", atMost(50)},
	{"app.cpu", "vibespaced", "at most half a core", atMost(50)},
	{"app.still.cpu", "vibespace-desktop", "no measurable CPU", atMost(0.2)},
	{"idle", "vibespaced", "no measurable CPU", atMost(0.05)},
	{"memory", "vibespaced", "under 40 MB", atMost(40)},
	{"idle.after", "vibespaced", "no measurable CPU", atMost(0.05)},
	{"memory.after", "vibespaced", "under 40 MB", atMost(40)},
}

// atMost is met by a small median.
func atMost(limit float64) func(Result) bool {
	return func(r Result) bool { return r.Ours.Median <= limit }
}

// atLeast is met by a large ratio.
func atLeast(times float64) func(Result) bool {
	return func(r Result) bool { return r.Ratio != nil && *r.Ratio >= times }
}

// fast is met by a high rate.
func fast(rate float64) func(Result) bool {
	return func(r Result) bool { return r.Ours.Median >= rate }
}

// writeReport writes the page of results.
func writeReport(path string, results []Result) error {
	return os.WriteFile(path, page(results, machine()), 0o644)
}

// machine says where it was measured: what makes a figure comparable, nothing
// that names the machine.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s, %s, load average %s at the end; %s", time.Now().UTC().Format(time.DateOnly),
		runtime.NumCPU(), cpuModel(), distribution(), load(), strings.Join(versions(), ", "))
}

// load is how busy the machine was over the last five minutes, which the bench
// itself fills about once.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		return fields[1]
	}
	return "unknown"
}

// cpuModel is the processor's name.
func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// distribution is the system's name.
func distribution() string {
	info, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(info)) {
		if value, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return runtime.GOOS
}

// measured are the packages whose versions matter to a figure.
var measured = []string{"xvfb", "at-spi2-core", "libgtk-3-0", "libgtk-4-1", "libqt5gui5", "firefox-esr", "xdotool", "imagemagick"}

// versions asks the package manager for them.
func versions() []string {
	var list []string
	for _, name := range measured {
		out, err := exec.Command("dpkg-query", "-W", "-f=${Version}", name).Output()
		if err != nil {
			continue
		}
		version, _, _ := strings.Cut(string(out), "-")
		_, afterEpoch, hasEpoch := strings.Cut(version, ":")
		if hasEpoch {
			version = afterEpoch
		}
		list = append(list, name+" "+version)
	}
	return list
}

// page renders the results.
func page(results []Result, machine string) []byte {
	var b bytes.Buffer
	b.WriteString("# Performance\n\nWritten by `make bench`; do not edit. Ratios carry over to other machines, times do not.\n\n")
	fmt.Fprintf(&b, "Measured %s.\n\nBoth sides take turns on the same windows in the same run. A ratio says how many times better ours is; "+
		"below 1 the peer is better. p95 is the bad end.\n", machine)
	b.WriteString("\n## Promises\n\n| what | promised | measured | kept |\n|---|---|---|---|\n")
	for _, t := range targets {
		for _, r := range results {
			if r.Bench != t.bench || r.App != t.app {
				continue
			}
			kept := "no"
			if t.met(r) {
				kept = "yes"
			}
			fmt.Fprintf(&b, "| %s %s | %s | %s | %s |\n", r.Bench, r.App, t.says, outcome(r), kept)
		}
	}
	b.WriteString("\n## All figures\n\n| bench | on | n | unit | ours | p95 | peer | theirs | p95 | ratio |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		theirs, theirBad, ratio := "–", "–", "–"
		if r.Theirs != nil {
			theirs, theirBad = figure(r.Theirs.Median), figure(r.Theirs.P95)
		}
		if r.Ratio != nil {
			ratio = figure(*r.Ratio)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", r.Bench, r.App, r.N, r.Unit,
			figure(r.Ours.Median), figure(r.Ours.P95), r.Peer, theirs, theirBad, ratio)
	}
	b.WriteString(legend)
	return b.Bytes()
}

// outcome is a result in a few words.
func outcome(r Result) string {
	text := figure(r.Ours.Median) + " " + r.Unit
	if r.Ratio != nil {
		text += fmt.Sprintf(", %s times better than %s", figure(*r.Ratio), r.Peer)
	}
	return text
}

// figure writes a number without more digits than it has meaning.
func figure(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
}

// legend says what is compared with what.
const legend = `
- **open**: until the window is painted and its kind is settled; **open.display** is the display's part of it,
  **open.command** the same through the command line.
- **snapshot.cold**: everything read anew (--fresh), default view. The peer walks the whole tree of the same window with
  libatspi and reads per node what a line of ours tells, in a fresh process whose start is not counted.
  **snapshot.again**: the next one, with what is known; the peer walks again with its cache warm. **snapshot.all**: every
  node with all its details, read anew, against the peer's first walk.
- **screenshot**: a PNG of a 1600x900 window through the daemon; **screenshot.command** is a whole process of ours against
  a whole process of ImageMagick.
- **click** waits for the window to settle and tells what changed; **noobserve** does not, and neither does xdotool. A
  process of xdotool is started for each click, as a script does.
- **type** is by keys, **type.tree** through the element's text interface; both sides' text is compared with what arrived.
- **idle** is the daemon over 30 s with nothing open, **after** is when everything measured here has been stopped.
`
