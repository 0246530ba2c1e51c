package x11

import (
	"io"
	"net"
	"runtime"
	"sync"
)

// maxQueued bounds what waits for a server that reads slowly; past it the
// sender waits, too.
const maxQueued = 1 << 20

// outbox gathers requests while earlier ones are being written, so that many
// requests made in a row become few writes.
type outbox struct {
	mu     sync.Mutex
	room   sync.Cond // waited for by add, signalled when queue was taken
	work   sync.Cond // waited for by run, signalled when queue has something
	queue  []byte
	failed error // of the socket; nothing is taken after it
	over   sync.WaitGroup
}

// open starts the goroutine that writes to w until close, or until it fails.
func (o *outbox) open(w io.Writer) {
	o.room.L, o.work.L = &o.mu, &o.mu
	o.over.Go(func() { o.run(w) })
}

func (o *outbox) add(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > maxQueued && o.failed == nil {
		o.room.Wait()
	}
	if o.failed != nil {
		return 0, o.failed
	}
	o.queue = append(o.queue, p...)
	o.work.Signal()
	return len(p), nil
}

// close gives up what is queued and waits for the goroutine. The socket must
// have been closed before, or a write in progress may hold it up.
func (o *outbox) close() {
	o.fail(net.ErrClosed)
	o.over.Wait()
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		o.failed = err
	}
	o.room.Broadcast()
	o.work.Broadcast()
}

func (o *outbox) run(w io.Writer) {
	var spare []byte
	for {
		batch, ok := o.take(spare)
		if !ok {
			return
		}
		if _, err := w.Write(batch); err != nil {
			o.fail(err)
			return
		}
		spare = batch[:0]
	}
}

// take waits for requests and gives all of them.
func (o *outbox) take(spare []byte) ([]byte, bool) {
	o.mu.Lock()
	for len(o.queue) == 0 && o.failed == nil {
		o.work.Wait()
	}
	o.mu.Unlock()
	// Whoever asked is about to ask more: let it.
	runtime.Gosched()
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.queue
	o.queue = spare
	o.room.Signal()
	return batch, o.failed == nil
}
