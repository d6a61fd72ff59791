package webhook_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/jobs/webhook"
	"concilia/store/ledger"
)

// TestIdleConnectionsDoNotStopNotifications holds as many connections open as a client may and more: a client of another
// address is answered, and so is the first once one of its connections ends.
func TestIdleConnectionsDoNotStopNotifications(t *testing.T) {
	t.Parallel()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int64
	listener := webhook.LimitConnections(inner, webhook.ConnectionLimits{
		Total: 40, PerAddress: 10, OnRefused: func() { refused.Add(1) },
	})
	server := &http.Server{Handler: newDesk(t, nil), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	const idle = 30
	open := make([]net.Conn, idle)
	for i := range open {
		if open[i], err = net.Dial("tcp", inner.Addr().String()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = open[i].Close() })
	}
	eventually(t, "the others are refused", func() bool { return refused.Load() == idle-10 })
	from := func(address string) error {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}, Timeout: time.Minute}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+inner.Addr().String()+"/notifications/1001", strings.NewReader(good))
		if err != nil {
			return err
		}
		r.Header.Set("Access-Key", accessKey)
		r.SetBasicAuth("concilia", password)
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", answer.StatusCode)
		}
		return nil
	}
	if err := from("127.0.0.1"); err == nil {
		t.Error("an eleventh connection of one address is accepted")
	}
	if err := from("127.0.0.2"); err != nil && !strings.Contains(err.Error(), "can't assign") {
		t.Errorf("another address: %v", err)
	}
	for _, conn := range open {
		_ = conn.Close()
	}
	eventually(t, "there is room again", func() bool { return from("127.0.0.1") == nil })
}

// TestTwoLengthsAreRefused sends requests whose head has two lengths, and another request behind each: it is refused, and nothing
// that follows on the connection is taken for a request. One length of either kind is none of that.
func TestTwoLengthsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	server := httptest.NewUnstartedServer(d)
	server.Listener, server.Config.ConnContext = webhook.WatchLengths(server.Listener), webhook.RememberConnection
	server.Start()
	t.Cleanup(server.Close)
	const (
		begins  = "POST /nowhere HTTP/1.1\r\nHost: x\r\n"
		chunks  = "\r\n0\r\n\r\n"
		another = begins + "Content-Length: 0\r\n\r\n"
	)
	var accepted strings.Builder // its connection stays open
	if err := post("/notifications/1001", good).Write(&accepted); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ says, sent, answers string }{
		{"two lengths", begins + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + chunks + another, "400"},
		{"two lengths the other way round, in small letters", begins + "transfer-encoding: chunked\r\ncontent-length: 5\r\n" + chunks + another, "400"},
		{"two lengths in the second request", accepted.String() + begins + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + chunks + another, "200 400"},
		{"chunks alone, with both names in the body", begins + "Transfer-Encoding: chunked\r\n\r\n13\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + another, "404"},
		{"a length alone, with both names in the body", begins + "Content-Length: 47\r\n\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" + another, "404"},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, c.sent); err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(conn)
		var answers []string
		for _, m := range regexp.MustCompile(`HTTP/1.1 (\d+)`).FindAllStringSubmatch(string(all), -1) {
			answers = append(answers, m[1])
		}
		if got := strings.Join(answers, " "); err != nil || got != c.answers || !strings.Contains(string(all), "Connection: close") {
			t.Errorf("%s: %v, answered %q", c.says, err, all)
		}
		_ = conn.Close()
	}
}

// TestChunkedRequestEndsItsConnection sends a request with two lengths, and a second one behind it, to a server that can't see heads, as
// below TLS: nothing that follows on the connection is taken for a request.
func TestChunkedRequestEndsItsConnection(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const again = "POST /notifications/1002 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
	_, err = fmt.Fprintf(conn, "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+again)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil || strings.Count(string(all), "HTTP/1.1 ") != 1 || !strings.Contains(string(all), "Connection: close") {
		t.Errorf("%v, answered %q", err, all)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("not so after two minutes: %s", what)
}

// TestRefusedRequestsAreLoggedSparingly sends many requests without a key from one address and some from another in one
// minute: all are counted, few are logged, and the next minute tells how many were not.
func TestRefusedRequestsAreLoggedSparingly(t *testing.T) {
	t.Parallel()
	now := received
	d := newDesk(t, func(o *webhook.Options) { o.Now = func() time.Time { return now } })
	send := func(client string, times int) {
		for range times {
			r := post("/notifications/1001", good)
			r.Header.Del("Access-Key")
			r.RemoteAddr = client + ":1234"
			if status := d.ask(t, r); status != http.StatusUnauthorized {
				t.Fatal(status)
			}
		}
	}
	send("192.0.2.1", 500)
	send("192.0.2.2", 3)
	if lines := strings.Count(d.log.String(), "\n"); lines != 13 || len(d.events) != 503 {
		t.Errorf("%d lines of %d events", lines, len(d.events))
	}
	if n := strings.Count(d.log.String(), `"not_logged"`); n != 1 || !strings.Contains(d.log.String(), `"not_logged":490,"client":"192.0.2.2"`) {
		t.Errorf("the line after those of the first address does not say once how many were left out:\n%s", d.log.String())
	}
	now = now.Add(time.Minute)
	d.log.Reset()
	send("192.0.2.1", 1)
	if strings.Count(d.log.String(), "\n") != 1 {
		t.Errorf("in the next minute the first address is not logged again:\n%s", d.log.String())
	}
}

// TestSkippedRefusalsAreNamed: the first line after requests that were not logged says how many there were.
func TestSkippedRefusalsAreNamed(t *testing.T) {
	t.Parallel()
	now := received
	d := newDesk(t, func(o *webhook.Options) { o.Now = func() time.Time { return now } })
	for i := range 26 {
		if i == 25 {
			now = now.Add(time.Minute)
		}
		r := post("/nowhere", good)
		if status := d.ask(t, r); status != http.StatusNotFound {
			t.Fatal(status)
		}
	}
	if text := d.log.String(); strings.Count(text, "\n") != 11 || !strings.Contains(text, `"not_logged":15`) {
		t.Error(text)
	}
}

// TestFullInboxAsksToComeAgain: where there is no room the sender is asked to come back, and nothing is lost that was
// answered 200.
func TestFullInboxAsksToComeAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	d.answer = func(ledger.Notification) (bool, error) { return false, fmt.Errorf("%w: 5 wait", webhook.ErrNoRoom) }
	if status := d.ask(t, post("/notifications/1001", good)); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	if e := d.events[0]; e.Outcome != webhook.NoRoom {
		t.Errorf("%+v", e)
	}
}
