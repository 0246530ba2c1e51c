package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// segmentsFile lists the machine's SysV shared memory. A program that is killed
// between making a segment and marking it for removal leaves it for ever.
const segmentsFile = "/proc/sysvipc/shm"

// RemoveSegments removes the SysV shared memory that ended processes left: what
// one of the pids made, not before since, that nobody has attached. It returns
// how many segments it removed.
func RemoveSegments(makers map[int]bool, since time.Time) (int, error) {
	table, err := os.ReadFile(segmentsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // a kernel without SysV IPC
	}
	if err != nil {
		return 0, fmt.Errorf("shared memory segments: %w", err)
	}
	removed := 0
	var errs []error
	for line := range strings.Lines(string(table)) {
		s, ok := parseSegment(line)
		// The kernel counts whole seconds.
		if !ok || !makers[s.maker] || s.attached > 0 || s.made.Before(since.Truncate(time.Second)) {
			continue
		}
		_, err := unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
		switch {
		case err == nil:
			removed++
		case !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIDRM):
			errs = append(errs, fmt.Errorf("remove shared memory segment %d: %w", s.id, err))
		}
	}
	return removed, errors.Join(errs...)
}

// segment is one line of the kernel's table.
type segment struct {
	id, maker, attached int
	made                time.Time // or last changed
}

// parseSegment reads a line: key shmid perms size cpid lpid nattch uid gid cuid
// cgid atime dtime ctime rss swap. The heading is not one.
func parseSegment(line string) (segment, bool) {
	f := strings.Fields(line)
	const id, maker, attached, made = 1, 4, 6, 13
	if len(f) <= made {
		return segment{}, false
	}
	var n [made + 1]int
	for _, at := range []int{id, maker, attached, made} {
		v, err := strconv.Atoi(f[at])
		if err != nil {
			return segment{}, false
		}
		n[at] = v
	}
	return segment{n[id], n[maker], n[attached], time.Unix(int64(n[made]), 0)}, true
}
