package atspi

import (
	"math"
	"testing"

	"vibespace/fixtures"
)

// A spin button and a slider take a number and the program sees it; what is
// out of range is clamped by the toolkit and read back as such.
func setValue(t *testing.T, r *rig) {
	for _, control := range []string{"Count", "Level"} {
		ref := r.find(control).Ref
		before, err := r.conn.Value(r.ctx(), ref)
		must(t, err)
		if before != (Value{Now: 0, Min: 0, Max: 100}) {
			t.Errorf("%s: %+v", control, before)
		}
		for _, step := range []struct{ set, want float64 }{{42, 42}, {7, 7}, {1000, 100}, {-3, 0}} {
			r.journal.Mark()
			must(t, r.conn.SetValue(r.ctx(), ref, step.set))
			r.journal.Wait(t, fixtures.Became(control, step.want), patience)
			if v, err := r.conn.Value(r.ctx(), ref); err != nil || v.Now != step.want {
				t.Errorf("%s set to %g reads %+v, %v", control, step.set, v, err)
			}
		}
	}
}

func TestFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := finite(v); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("finite(%g) = %g", v, got)
		}
	}
	if finite(-2.5) != -2.5 {
		t.Error("a number is not itself")
	}
}
