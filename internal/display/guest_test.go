package display

import (
	"testing"
	"time"
)

// TestModalInACircle: whatever windows say of whose dialogs they are, the one that
// holds another up is found, and the search ends.
func TestModalInACircle(t *testing.T) {
	t.Parallel()
	window := func(n, parent int, modal bool) *guestWindow { return &guestWindow{n: n, parent: parent, modal: modal} }
	// 3 is for 1, and 1 and 2 are for each other; 5 is 4's, through 6; 7 is its own.
	windows := map[int]*guestWindow{
		1: window(1, 2, false), 2: window(2, 1, false), 3: window(3, 1, true),
		4: window(4, 0, false), 5: window(5, 6, true), 6: window(6, 4, false), 7: window(7, 7, true), 8: window(8, 9, true),
	}
	g := &guest{windows: windows, recent: []int{1, 2, 4, 6, 5, 7, 8, 3}}
	found := make(chan map[int]int, 1)
	go func() {
		of := map[int]int{}
		for n, w := range windows {
			of[n] = g.modalOf(w).n
		}
		found <- of
	}()
	select {
	case of := <-found:
		for n, want := range map[int]int{1: 3, 2: 3, 3: 3, 4: 5, 5: 5, 6: 5, 7: 7, 8: 8} {
			if of[n] != want {
				t.Errorf("%d is held up by %d, want %d", n, of[n], want)
			}
		}
	case <-time.After(patience):
		t.Fatal("the search never ended")
	}
}
