package devtools

import (
	"testing"

	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }
