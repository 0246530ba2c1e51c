package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Pss is the memory a process takes, in bytes: what is its own, and of what it
// shares its part. It is 0 for one that has ended.
func Pss(pid int) (int64, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0, fmt.Errorf("memory of %d: %w", pid, gone(err))
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "Pss" {
			continue
		}
		kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("memory of %d: %w", pid, err)
		}
		return kb << 10, nil
	}
	return 0, nil // a zombie has none
}
