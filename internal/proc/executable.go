package proc

import (
	"fmt"
	"os"
	"strings"
)

// Executable is the file a process runs, absolute; without the mark the kernel
// adds when the file was removed since.
func Executable(pid int) (string, error) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return "", fmt.Errorf("executable of process %d: %w", pid, gone(err))
	}
	return strings.TrimSuffix(path, " (deleted)"), nil
}
