package x11

import (
	"os"
	"strings"
	"testing"
	"time"
)

// benchText types a text into a terminal until every byte of it has arrived.
func benchText(b *testing.B, text string) {
	r := newRig(b)
	_, path := r.catcher()
	i := r.injector()
	size := 0
	round := func() (sent, arrived time.Duration) {
		b.Helper()
		begin := time.Now()
		if _, err := i.Text(soon(b), text, TextOpts{}); err != nil {
			b.Fatal(err)
		}
		sent = time.Since(begin)
		size += len(text)
		until(b, "the text in the file", func() bool {
			info, err := os.Stat(path)
			return err == nil && info.Size() >= int64(size)
		})
		return sent, time.Since(begin)
	}
	round() // what is borrowed once a display is not the matter here
	var sent, arrived time.Duration
	for b.Loop() {
		s, a := round()
		sent, arrived = sent+s, arrived+a
	}
	chars := float64(b.N * len([]rune(text)))
	b.ReportMetric(chars/sent.Seconds(), "sent/s")
	b.ReportMetric(chars/arrived.Seconds(), "arrived/s")
	got, err := os.ReadFile(path)
	if err != nil || strings.ReplaceAll(string(got), text, "") != "" {
		b.Errorf("the text arrived changed (%v)", err)
	}
}

func BenchmarkTextASCII(b *testing.B) {
	benchText(b, strings.Repeat("The quick brown fox jumps over the lazy dog; 0123456789 times! ", 16))
}

func BenchmarkTextForeign(b *testing.B) {
	benchText(b, strings.Repeat("é ü ß Č Ω Ж 你好 😀 over the lazy dog ", 28))
}
