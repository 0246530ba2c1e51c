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
)

// doctor says what only the daemon knows: how it stands itself, and which
// windows have lost a process they cannot do without.
func (d *Daemon) doctor(ctx context.Context, c api.Caller, _ api.ListRequest) (api.DoctorAnswer, error) {
	ps, err := d.engine.Ps(ctx, c, api.ListRequest{})
	if err != nil {
		return api.DoctorAnswer{}, err
	}
	list, err := d.engine.List(ctx, c, api.ListRequest{})
	if err != nil {
		return api.DoctorAnswer{}, err
	}
	a := api.DoctorAnswer{OK: true, Findings: []api.Finding{{
		What: "daemon", OK: true,
		Why: fmt.Sprintf("%s, pid %d, up %v, %d MB, %d goroutines, on %s", d.cfg.Version, os.Getpid(),
			time.Since(d.began).Round(time.Second), residentMB(), runtime.NumGoroutine(), d.cfg.Paths.Socket),
	}}}
	running := map[api.Handle]int{}
	for _, p := range ps.Processes {
		running[p.Handle]++
		if !alive(p.PID) {
			a.Findings = append(a.Findings, api.Finding{
				What: string(p.Handle), Why: fmt.Sprintf("its %s (%s, pid %d) is dead", p.What, p.Name, p.PID), Mend: "vibespace stop " + string(p.Handle),
			})
		}
	}
	for _, w := range list.Windows {
		if w.State == "ended" {
			continue
		}
		if running[w.Handle] == 0 {
			a.Findings = append(a.Findings, api.Finding{
				What: string(w.Handle), Why: "it is " + w.State + " and has no process", Mend: "vibespace stop " + string(w.Handle),
			})
			continue
		}
		a.Findings = append(a.Findings, api.Finding{
			What: string(w.Handle), OK: true, Why: fmt.Sprintf("%s on %s, %d processes", w.State, w.Display, running[w.Handle]),
		})
	}
	return a, nil
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
