package target

import (
	"testing"

	needs "vibespace/internal/need"
)

func TestMain(m *testing.M) { needs.Main(m) }
