package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/daemon"

	"github.com/rs/zerolog"
)

// A client that sends the head of a request slowly, or never to its end, is cut off, and does not keep others from the pages meanwhile; a head
// beyond the limit is refused.
func TestConsoleCutsOffSlowHeads(t *testing.T) {
	t.Parallel()
	shown := openDeskOf(t, copyDemo(t, 5))
	shown.config.Console.Listen, shown.config.Console.QueryTime = "127.0.0.1:0", never
	d, err := daemon.OpenConsole(t.Context(), &shown.invocation.Process, shown.config, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx) }()
	address := strings.TrimSuffix(strings.TrimPrefix(d.Address(), "http://"), "/")
	connect := func() net.Conn {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	var slow []net.Conn
	for range 50 {
		slow = append(slow, connect())
	}
	go func() { // the first sends on, a little at a time
		for ctx.Err() == nil {
			if _, err := io.WriteString(slow[0], "x"); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	ask := func(change func(*http.Request)) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Address(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		return got.StatusCode
	}
	if code := ask(func(*http.Request) {}); code != http.StatusOK {
		t.Errorf("a page beside slow heads: %d", code)
	}
	if code := ask(func(r *http.Request) { r.Header.Set("X-Long", strings.Repeat("x", 32<<10)) }); code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a head of 32 KiB: %d", code)
	}
	for i, conn := range slow {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		answer, err := io.ReadAll(conn)
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() || strings.Contains(string(answer), " 200 ") { //nolint:errorlint // as it comes
			t.Errorf("slow head %d is waited for: %q", i, answer)
		}
	}
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
