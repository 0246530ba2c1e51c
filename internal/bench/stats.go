package main

import (
	"math"
	"slices"
)

// Result is one line of the output.
type Result struct {
	Bench  string   `json:"bench"`
	App    string   `json:"app"`
	N      int      `json:"n"`
	Unit   string   `json:"unit"`
	Ours   Spread   `json:"ours"`
	Peer   string   `json:"peer"` // "none" when there is nobody to compare with
	Theirs *Spread  `json:"theirs"`
	Ratio  *float64 `json:"ratio"` // how many times better ours is, whatever the unit
}

// Spread is the middle and the slow end of a series. P95 is the bad end: the
// 95th percentile of a time, the 5th of a rate.
type Spread struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// series are measurements of one thing.
type series []float64

// smallIsGood says which end of a unit is good.
func smallIsGood(unit string) bool { return unit != "chars/s" && unit != "frames/s" }

// spread sums up a series.
func (s series) spread(unit string) Spread {
	sorted := slices.Clone(s)
	slices.Sort(sorted)
	if !smallIsGood(unit) {
		slices.Reverse(sorted)
	}
	return Spread{Median: round(quantile(sorted, 0.5)), P95: round(quantile(sorted, 0.95))}
}

// quantile interpolates between the neighbours of a sorted series, so that the
// middle of an even number is the mean of two.
func quantile(sorted series, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// round keeps three significant digits or two places, whichever is more: what
// lies beyond is noise.
func round(x float64) float64 { return math.Round(x*100) / 100 }

// compare makes a result of both sides' series.
func compare(bench, app, unit string, ours series, peer string, theirs series) Result {
	result := Result{Bench: bench, App: app, N: len(ours), Unit: unit, Ours: ours.spread(unit), Peer: "none"}
	if len(theirs) == 0 {
		return result
	}
	spread := theirs.spread(unit)
	result.Peer, result.Theirs = peer, &spread
	ratio := result.Ours.Median / spread.Median
	if smallIsGood(unit) {
		ratio = spread.Median / result.Ours.Median
	}
	if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		ratio = round(ratio)
		result.Ratio = &ratio
	}
	return result
}

// alone makes a result without a peer.
func alone(bench, app, unit string, ours series) Result {
	return compare(bench, app, unit, ours, "none", nil)
}
