package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// removeTime is how long removing a directory is tried.
const removeTime = 20 * time.Second

// Dir returns a new directory (0700) with a short path, for sockets: t.TempDir
// puts the test's name into the path, and a unix socket's may not be longer
// than 107 bytes. It is removed when the test ends; what cannot be removed
// fails the test. The last process of a browser may write there while it is
// removed, and ends then.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatalf("make a short directory: %v", err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		for end := time.Now().Add(removeTime); err != nil && time.Now().Before(end); err = os.RemoveAll(dir) {
			time.Sleep(look)
		}
		if err != nil {
			t.Errorf("remove the test's directory: %v", err)
		}
	})
	return dir
}

// Script writes a program for a shell. While it is written no process is forked
// here: a child that had the file open for writing, if only until it is the program
// it becomes, would make the kernel refuse to run it ("text file busy").
func Script(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatalf("write a script: %v", err)
	}
}

// Shared returns a directory that lives as long as this test program, for what
// several tests use and nobody removes: compiled programs above all. Main
// removes it; it is available only in a package whose TestMain is [Main].
func Shared(t testing.TB) string {
	t.Helper()
	if theRun == nil {
		t.Fatal("need: Shared wants a TestMain that calls need.Main")
	}
	dir := filepath.Join(theRun.dir, sharedDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatalf("make the shared directory: %v", err)
	}
	return dir
}

// builds holds one compilation per program; a second caller waits for the
// first's.
var builds struct {
	mu   sync.Mutex
	once map[string]func() error
}

// Binary compiles a command of this module ("vibespace/cmd/vibespaced") once
// a test program, without cgo, and returns the path of the binary. All
// binaries lie in one directory, as installed ones do.
func Binary(t testing.TB, pkg string) string {
	t.Helper()
	bin := filepath.Join(Shared(t), "bin")
	path := filepath.Join(bin, filepath.Base(pkg))
	builds.mu.Lock()
	if builds.once == nil {
		builds.once = map[string]func() error{}
	}
	build, begun := builds.once[pkg]
	if !begun {
		build = sync.OnceValue(func() error { return compile(pkg, path) })
		builds.once[pkg] = build
	}
	builds.mu.Unlock()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return path
}

// compile builds one command.
func compile(pkg, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// As make build has it, so that what make deb packs is compiled once.
	args, cgo := []string{"build", "-trimpath", "-buildvcs=false", "-o", path}, "CGO_ENABLED=0"
	if desktop := filepath.Base(pkg) == "vibespace-desktop"; desktop {
		args, cgo = append(args, "-tags", "gles,no_animations"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
