package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// clientFaults are those of who asks.
func clientFaults() []fault {
	return []fault{
		{
			name: "clients that vanish", made: "40 requests whose connection is closed at once", within: 5 * time.Second, short: true,
			answer: "nobody is told; the daemon has no descriptor and no goroutine of theirs", run: clientsVanish,
		},
		{
			name: "half a request", made: "20 connections that send half a head, 20 that send half a body, and stay", within: 8 * time.Second,
			answer: "cut off after 5 s, bodies with `bad_request`; others are served meanwhile", run: halfRequests,
		},
		{
			name: "10 MB of JSON", made: "a body of 10 MB", within: 2 * time.Second, short: true,
			answer: "`too_large`, and the connection is closed", run: hugeRequest,
		},
		{
			name: "200 at once", made: "200 requests in the same moment", within: 10 * time.Second, short: true,
			answer: "each is done or `busy`", run: crowd,
		},
	}
}

// onWire is a request as bytes on the wire, its length as it is told.
func onWire(word, body string, length int) string {
	return fmt.Sprintf("POST /v1/%s HTTP/1.1\r\nHost: vibespace\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", word, length, body)
}

// wire connects to the daemon's socket.
func (h *harm) wire() net.Conn {
	h.t.Helper()
	c, err := net.Dial("unix", h.w.Runtime+"/api.sock")
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// goroutines is what the daemon's doctor counts.
func (h *harm) goroutines() int {
	h.t.Helper()
	var said struct{ Findings []struct{ What, Why string } }
	h.w.Owner().Run("doctor").Into(h.t, &said)
	for _, f := range said.Findings {
		if at := strings.Index(f.Why, " goroutines"); f.What == "daemon" && at > 0 {
			words := strings.Fields(f.Why[:at])
			n := 0
			if _, err := fmt.Sscan(words[len(words)-1], &n); err == nil {
				return n
			}
		}
	}
	h.t.Fatalf("the doctor counts no goroutines: %+v", said)
	return 0
}

// asBefore waits until the daemon has no more open than it had.
func (h *harm) asBefore(descriptors, goroutines int) {
	h.t.Helper()
	var d, g int
	defer func() { h.t.Logf("%d descriptors, %d before; %d goroutines, %d before", d, descriptors, g, goroutines) }()
	Eventually(h.t, "the daemon holds nothing of theirs", func() bool {
		d, g = h.w.descriptors(), h.goroutines()
		// The database opens a few more files when several ask at once.
		return d <= descriptors+8 && g <= goroutines+4
	})
}

func clientsVanish(h *harm) {
	h.world()
	h.a.OK(nil, "list")
	d, g := h.w.descriptors(), h.goroutines()
	h.hurt()
	for range 40 {
		c := h.wire()
		_, _ = io.WriteString(c, onWire("list", "{}", 2))
		_ = c.Close()
	}
	h.says(h.a, []string{"done"}, "list")
	h.asBefore(d, g)
	h.healed()
}

func halfRequests(h *harm) {
	h.world()
	h.a.OK(nil, "list")
	d, g := h.w.descriptors(), h.goroutines()
	h.hurt()
	var conns []net.Conn
	for range 20 {
		head, body := h.wire(), h.wire()
		_, _ = io.WriteString(head, "POST /v1/list HTTP/1.1\r\nHost: vibe")
		_, _ = io.WriteString(body, onWire("list", `{"handle":`, 1000))
		conns = append(conns, head, body)
	}
	h.says(h.a, []string{"done"}, "list")
	refused := 0
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(45 * time.Second))
		said, err := io.ReadAll(c)
		if err != nil {
			h.t.Errorf("a half request is not cut off: %v", err)
		}
		if bytes.Contains(said, []byte(`"code":"bad_request"`)) {
			refused++
		}
		_ = c.Close()
	}
	h.healed()
	h.got = append(h.got, fmt.Sprintf("%d of 20 bodies: bad_request", refused))
	if refused != 20 {
		h.t.Errorf("%d of 20 half bodies were answered bad_request", refused)
	}
	h.asBefore(d, g)
}

func hugeRequest(h *harm) {
	h.world()
	h.a.OK(nil, "list")
	before := h.resident()
	h.hurt()
	c := h.wire()
	defer c.Close()
	body := `{"handle":"` + strings.Repeat("w", 10<<20) + `"}`
	go func() { _, _ = io.WriteString(c, onWire("list", body, len(body))) }()
	_ = c.SetReadDeadline(time.Now().Add(45 * time.Second))
	said, _ := io.ReadAll(c) // a reset after the answer is how the rest is refused
	h.healed()
	if !bytes.Contains(said, []byte(`"code":"too_large"`)) {
		h.t.Errorf("it was answered %.300q", said)
	}
	h.got = append(h.got, "too_large")
	if grew := h.resident() - before; grew > 50_000 {
		h.t.Errorf("the daemon grew by %d kB", grew)
	}
	h.says(h.a, []string{"done"}, "list")
}

func crowd(h *harm) {
	h.world()
	p := h.a.fixture("gtk3.py")
	p.works() // its tree is kept from here on
	d, g := h.w.descriptors(), h.goroutines()
	token := strings.TrimPrefix(h.a.env[0], "VIBESPACE_SESSION_TOKEN=")
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	begin := make(chan struct{})
	body := fmt.Sprintf(`{"handle":"%s","timeoutMs":60000}`, p.handle)
	request := strings.Replace(onWire("snapshot", body, len(body)), "\r\n\r\n", "\r\nConnection: close\r\nAuthorization: Bearer "+token+"\r\n\r\n", 1)
	for range 200 {
		c := h.wire()
		all.Go(func() {
			defer c.Close()
			<-begin
			_ = c.SetDeadline(time.Now().Add(80 * time.Second))
			_, _ = io.WriteString(c, request)
			said, _ := io.ReadAll(c)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case bytes.Contains(said, []byte(`{"ok":true`)):
				got["done"]++
			case bytes.Contains(said, []byte(`"code":"busy"`)):
				got["busy"]++
			default:
				got[fmt.Sprintf("%.200q", said)]++
			}
		})
	}
	h.hurt()
	close(begin)
	all.Wait()
	h.healed()
	h.got = append(h.got, fmt.Sprint(got))
	if got["done"] == 0 || got["done"]+got["busy"] != 200 {
		h.t.Errorf("they were answered %v", got)
	}
	p.works()
	h.asBefore(d, g)
	h.stopAll()
}

// resident is the daemon's memory in kB.
func (h *harm) resident() int {
	h.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.w.daemonPID()))
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		kb := 0
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb
		}
	}
	h.t.Fatal("the daemon's memory is not known")
	return 0
}
