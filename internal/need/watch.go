package need

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// xSockets is where X servers leave their sockets; it is one directory for the
// whole machine, so whose a socket is has to be learnt while its server lives.
const xSockets = "/tmp/.X11-unix"

// watch learns, while the tests run, which X sockets and shared memory
// segments are made by processes of this run. Both outlive their makers, and
// other test programs make theirs beside us.
type watch struct {
	dir  string
	stop chan struct{}
	done sync.WaitGroup

	before map[string]int // what was there before us, and its maker
	seen   map[string]int // looked at already; a name comes again with another maker
	mine   map[string]int // made by a process of this run
}

// look is how often the watch looks. A server that lives for less leaves no
// trace of whose it was; such leftovers count only when no other run is alive.
const look = 50 * time.Millisecond

// startWatch remembers what is there and begins to look.
func startWatch(dir string) *watch {
	w := &watch{dir: dir, stop: make(chan struct{}), before: present(), mine: map[string]int{}}
	w.seen = maps.Clone(w.before)
	w.done.Go(func() {
		tick := time.NewTicker(look)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.scan()
			}
		}
	})
	return w
}

// end stops looking; the maps are the caller's afterwards.
func (w *watch) end() {
	close(w.stop)
	w.done.Wait()
	w.scan()
}

// scan settles whose each new thing is.
func (w *watch) scan() {
	for key, pid := range present() {
		if w.seen[key] == pid {
			continue
		}
		w.seen[key] = pid
		if pid == os.Getpid() || marked(pid, w.dir) != "" || descends(processes(), pid, os.Getpid()) {
			w.mine[key] = pid
		}
	}
}

// leftovers lists what this run made and nobody took away. alone says that no
// other run is alive, so that a dead server's socket or lock whose maker was
// never seen is ours as well.
func (w *watch) leftovers(alone bool) []string {
	var left []string
	for key, pid := range present() {
		if was, ok := w.before[key]; ok && was == pid {
			continue
		}
		maker, mine := w.mine[key]
		_, alive := readProcess(pid)
		orphan := alone && !alive && strings.HasPrefix(key, "X ")
		if (mine && maker == pid) || orphan {
			left = append(left, key)
		}
	}
	return left
}

// present lists the X sockets, X locks and shared memory segments of the
// machine with the pid of their maker, 0 where it is not known.
func present() map[string]int {
	things := segments()
	sockets, _ := filepath.Glob(xSockets + "/X*")
	for _, path := range sockets {
		number := strings.TrimPrefix(filepath.Base(path), "X")
		things["X socket "+path] = lockHolder("/tmp/.X" + number + "-lock")
	}
	locks, _ := filepath.Glob("/tmp/.X*-lock")
	for _, path := range locks {
		things["X lock "+path] = lockHolder(path)
	}
	return things
}

// lockHolder reads the pid an X server wrote into its lock file.
func lockHolder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// segments lists the SysV shared memory segments of the machine.
func segments() map[string]int {
	found := map[string]int{}
	table, _ := os.ReadFile("/proc/sysvipc/shm")
	for i, line := range strings.Split(string(table), "\n") {
		f := strings.Fields(line)
		if i == 0 || len(f) < 7 {
			continue
		}
		maker, _ := strconv.Atoi(f[4])
		found[fmt.Sprintf("shared memory segment %s (%s bytes)", f[1], f[3])] = maker
	}
	return found
}
