package need

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Playwright returns the interpreter and the directory of playwright-core, the
// client that checks what we say of a page. The test is skipped, or fails where
// everything is [Required], when it is missing.
func Playwright(t testing.TB) (node, module string) {
	t.Helper()
	node = Tool(t, "node")
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("need: the source of this package is not known")
	}
	module = filepath.Join(filepath.Dir(file), "../../bin/npm/node_modules/playwright-core")
	if _, err := os.Stat(filepath.Join(module, "package.json")); err != nil {
		missing := "playwright-core is missing: run make setup, which installs packaging/npm"
		if Required() {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return node, module
}
