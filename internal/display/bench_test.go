package display

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// BenchmarkStart reports the median of each part of a start, in milliseconds.
// Run it with -benchtime 11x.
func BenchmarkStart(b *testing.B) {
	need.Display(b)
	dir := need.Dir(b)
	took := map[string][]time.Duration{}
	n := 0
	for b.Loop() {
		n++
		d, err := Start(context.Background(), Config{RuntimeDir: dir, Inject: true}, ID(fmt.Sprintf("b%d", n)))
		if err != nil {
			b.Fatal(err)
		}
		for name, t := range d.Phases() {
			took[name] = append(took[name], t)
		}
		b.StopTimer()
		begin := time.Now()
		finish(b, d)
		took["end"] = append(took["end"], time.Since(begin))
		b.StartTimer()
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, strings.ReplaceAll(name, " ", "-")+"-ms")
	}
}
