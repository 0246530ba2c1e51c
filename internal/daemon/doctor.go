package daemon

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"vibespace/internal/api"
	"vibespace/internal/target"
)

// doctor says what only the daemon knows: how it stands itself, and which
// windows have lost a process they cannot do without.
func (d *Daemon) doctor(ctx context.Context, c api.Caller, _ api.ListRequest) (api.DoctorAnswer, error) {
	ps, err := d.engine.Ps(ctx, c, api.ListRequest{})
	if err != nil {
		return api.DoctorAnswer{}, err
	}
	list, err := d.engine.List(ctx, c, api.ListRequest{Ended: true})
	if err != nil {
		return api.DoctorAnswer{}, err
	}
	a := api.DoctorAnswer{OK: true, Findings: []api.Finding{{
		What: "daemon", OK: true,
		Why: fmt.Sprintf("%s, pid %d, up %v, %d MB, %d goroutines, on %s", d.cfg.Version, os.Getpid(),
			time.Since(d.began).Round(time.Second), residentMB(), runtime.NumGoroutine(), d.cfg.Paths.Socket),
	}}}
	a.Findings = append(a.Findings, d.engine.Parked()...)
	a.Findings = append(a.Findings, d.engine.Heavy()...)
	for _, w := range list.Windows {
		a.Findings = append(a.Findings, lookWindow(w, ps.Processes)...)
	}
	return a, nil
}

// parts are the processes a display cannot do without, by the beginning of
// their names: the kernel keeps fifteen bytes of a name.
var parts = []struct{ name, what string }{
	{"Xvfb", "X server"}, {"dbus-daemon", "session bus"}, {"at-spi-bus-laun", "accessibility bus"}, {"at-spi2-registr", "accessibility registry"},
}

// whyRunes bounds the reason of an end: it may carry an application's last
// words.
const whyRunes = 300

// lookWindow finds what is wrong with a window: an end nobody asked for, a
// process that died.
func lookWindow(w api.Window, all []api.PsRow) []api.Finding {
	wrong := func(mend, why string, args ...any) api.Finding {
		return api.Finding{What: string(w.Handle), Why: fmt.Sprintf(why, args...), Mend: mend}
	}
	if w.Ended != nil {
		if w.Ended.Status == nil || *w.Ended.Status == 0 && !strings.HasPrefix(w.Ended.Why, "its display") || strings.HasPrefix(w.Ended.Why, target.ParkedWhy) {
			return nil // a parked one is told of besides
		}
		return []api.Finding{wrong("vibespace-window open "+w.App, "%s ended: %s", w.App, api.Quote(w.Ended.Why, whyRunes))}
	}
	stop := "vibespace stop " + string(w.Handle)
	var found []api.Finding
	names, running := map[string]int{}, 0
	for _, p := range all {
		if p.Handle != w.Handle {
			continue
		}
		if !alive(p.PID) {
			found = append(found, wrong(stop, "its %s (%s, pid %d) is dead", p.What, p.Name, p.PID))
			continue
		}
		running++
		for _, part := range parts {
			if strings.HasPrefix(p.Name, part.name) {
				names[part.name]++
			}
		}
	}
	for _, part := range parts {
		if names[part.name] == 0 && w.State == "ready" {
			found = append(found, wrong(stop, "its %s (%s) is dead", part.what, part.name))
		}
	}
	if len(found) == 0 {
		found = append(found, api.Finding{What: string(w.Handle), OK: true, Why: fmt.Sprintf("%s on %s, %d processes", w.State, w.Display, running)})
	}
	return found
}

// alive says whether a process runs; a zombie does not.
func alive(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, ok := strings.Cut(string(raw[strings.LastIndexByte(string(raw), ')')+1:]), " ")
	return ok && !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// residentMB is the daemon's own memory.
func residentMB() int {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize() >> 20
}
