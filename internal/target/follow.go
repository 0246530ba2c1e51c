package target

import (
	"context"

	"vibespace/atspi"
	"vibespace/internal/display"
)

// follow signals the changes of a display's trees until ctx ends. Bursts
// become one signal.
func follow(ctx context.Context, d *display.Display, out chan<- struct{}) {
	events, err := d.Access().Subscribe(ctx, atspi.Filter{})
	if err != nil {
		return
	}
	defer events.Close()
	for {
		batch, err := events.Next(ctx)
		if err != nil {
			return
		}
		if !batch.Overflow && !telling(batch.Events) {
			continue
		}
		select {
		case out <- struct{}{}:
		default:
		}
	}
}

// telling says whether any event of a batch is a change a person could see.
func telling(events []atspi.Event) bool {
	for _, e := range events {
		if e.Relevant() {
			return true
		}
	}
	return false
}
