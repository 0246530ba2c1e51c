package browser

import (
	"context"
	"fmt"
	"os"
	"testing"

	"vibespace/browser/keeper"
	"vibespace/internal/need"
)

// TestMain is a keeper when a test's keeper runs this program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "keeper" {
		if err := keeper.Serve(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	need.Main(m)
}
