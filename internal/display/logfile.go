package display

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// How much a log may grow, and what is kept of it then. Programs write to the
// file themselves, because they may outlive us: a pipe of ours would end them.
const (
	maxLog  = 1 << 20
	keepLog = 256 << 10
	// trimGap is the least time between two looks at a log that is being written.
	trimGap = 5 * time.Millisecond
	// trimLook is how often logs are looked at where the kernel has no inotify
	// instance to give: a user has 128 of them, and other programs take some.
	trimLook = time.Second
)

// logs keeps the log files of one display short. It sleeps until one is written to.
type logs struct {
	notify *os.File // nil without inotify
	files  map[string]*os.File
	work   sync.WaitGroup
	once   sync.Once
	closed chan struct{}
}

// openLogs makes the log files and begins to watch them.
func openLogs(paths ...string) (*logs, error) {
	l := &logs{files: map[string]*os.File{}, closed: make(chan struct{})}
	for _, path := range paths {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
		if err != nil {
			l.close()
			return nil, fmt.Errorf("open log %s: %w", path, err)
		}
		l.files[path] = f
	}
	if l.notify = notify(paths); l.notify != nil {
		l.work.Go(l.watch)
	} else {
		l.work.Go(l.look)
	}
	return l, nil
}

// notify gives what is readable when one of the files was written to, nil where
// the kernel has none to give.
func notify(paths []string) *os.File {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "inotify")
	for _, path := range paths {
		if _, err := syscall.InotifyAddWatch(fd, path, syscall.IN_MODIFY); err != nil {
			f.Close()
			return nil
		}
	}
	return f
}

// look trims now and then.
func (l *logs) look() {
	tick := time.NewTicker(trimLook)
	defer tick.Stop()
	for {
		select {
		case <-l.closed:
			return
		case <-tick.C:
		}
		for _, f := range l.files {
			trim(f)
		}
	}
}

// append opens a log for a program to write to.
func (l *logs) append(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
}

// watch trims after each burst of writing.
func (l *logs) watch() {
	events := make([]byte, 4096)
	for {
		if _, err := l.notify.Read(events); err != nil {
			return
		}
		for _, f := range l.files {
			trim(f)
		}
		select {
		case <-l.closed:
			return
		case <-time.After(trimGap):
		}
	}
}

// trim drops the beginning of a log that is too long and loses nothing of its
// end, whoever writes meanwhile: the file system takes the blocks out. One that
// cannot (tmpfs, btrfs) frees them in place, and the log begins with a hole.
// Where neither is known the log is copied over itself.
func trim(f *os.File) {
	info, err := f.Stat()
	if err != nil || used(info) <= maxLog {
		return
	}
	fd, drop := int(f.Fd()), (info.Size()-keepLog)/maxBlock*maxBlock
	if drop <= 0 || syscall.Fallocate(fd, collapseRange, 0, drop) == nil {
		return
	}
	if syscall.Fallocate(fd, punchHole|keepSize, 0, drop) != nil {
		copyDown(f, info.Size())
	}
}

// The kernel's modes of fallocate, and the largest block of a file system in
// whose multiples it works.
const (
	keepSize, punchHole, collapseRange = 0x1, 0x2, 0x8

	maxBlock = 64 << 10
)

// used is the least of what a log holds and what it takes of the disk: a hole
// holds nothing, and a block that is not yet given out takes nothing.
func used(info os.FileInfo) int64 {
	size := info.Size()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		size = min(size, st.Blocks*512)
	}
	return size
}

// copyDown writes the end of a log over it. What is written between the reading
// and the cut is lost, and what is written just after the cut stands first.
func copyDown(f *os.File, size int64) {
	end := make([]byte, keepLog)
	n, _ := f.ReadAt(end, size-keepLog)
	end = end[:n]
	if at := bytes.IndexByte(end, '\n'); at >= 0 {
		end = end[at+1:]
	}
	if f.Truncate(0) == nil {
		_, _ = f.Write(end)
	}
}

// close ends the watch; the files stay.
func (l *logs) close() {
	l.once.Do(func() {
		close(l.closed)
		if l.notify != nil {
			l.notify.Close()
		}
		l.work.Wait()
		for _, f := range l.files {
			f.Close()
		}
	})
}
