package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"concilia/store"
)

// receiverKey is the Access-Key of the receivers of these tests; it guards nothing.
const receiverKey = "callback-id-123"

// TestReceiverKilled ends a receiver with SIGKILL while senders push and others dawdle. What was answered 200 is kept,
// and nothing else but what was on its way. Started again, it takes what is sent again, knows the repeats, and ends 0
// when it is told to.
func TestReceiverKilled(t *testing.T) {
	t.Parallel()
	const senders, all, killAt = 12, 2400, 1000
	binary := build(t).concilia
	dir := t.TempDir()
	writeReceiverConfig(t, dir)

	r := startReceiver(t, binary, dir)
	dawdle(t, r.address, 20)
	var answered sync.Map
	var count atomic.Int64
	push(senders, all, func(client *http.Client, n int) bool {
		status, err := sendNotice(client, r.address, n)
		if err != nil {
			return false // it is dead
		}
		if status != http.StatusOK {
			t.Errorf("notification %d: answered %d", n, status)
		}
		answered.Store(n, true)
		if count.Add(1) == killAt {
			_ = r.cmd.Process.Kill()
		}
		return true
	})
	_ = r.cmd.Wait() // killed on purpose
	before := keptNotices(t, dir)
	answered.Range(func(n, _ any) bool {
		if !before[n.(int)] {
			t.Errorf("notification %d was answered 200 and is not kept", n)
		}
		return true
	})
	if got := int64(len(before)); got < count.Load() || got > count.Load()+senders || count.Load() >= all {
		t.Errorf("%d answered and %d kept: at most %d were on their way", count.Load(), got, senders)
	}

	r = startReceiver(t, binary, dir)
	dawdle(t, r.address, 20)
	push(senders, all, func(client *http.Client, n int) bool {
		status, err := sendNotice(client, r.address, n)
		if err != nil || status != http.StatusOK {
			t.Errorf("notification %d: answered %d, %v", n, status, err)
		}
		return err == nil
	})
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("told to end, it ended with %v", err)
	}
	repeated := strings.Count(r.log(), `"outcome":"repeated"`)
	if got := len(keptNotices(t, dir)); got != all || repeated != len(before) {
		t.Errorf("%d kept of %d sent; %d repeats of %d", got, all, repeated, len(before))
	}
}

// push sends notifications 1 to all from that many senders at once; one that send refuses ends its sender.
func push(senders, all int, send func(client *http.Client, n int) bool) {
	var next atomic.Int64
	var group sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: senders}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 2 * time.Minute}
	for range senders {
		group.Go(func() {
			for {
				n := int(next.Add(1))
				if n > all || !send(client, n) {
					return
				}
			}
		})
	}
	group.Wait()
}

func sendNotice(client *http.Client, address string, n int) (status int, err error) {
	body := fmt.Sprintf(`{"movementId":%d,"nsu":"%09d","codAuth":"A%05d","installmentNumber":%d,`+
		`"moment":"2026-11-18T08:59:58","type":"status","oldValue":"Authorized","newValue":"Paid"}`, n, n, n%100_000, n%12+1)
	r, err := http.NewRequest(http.MethodPost, "http://"+address+"/notifications/1001", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Access-Key", receiverKey)
	r.Header.Set("Content-Type", "application/json")
	a, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return a.StatusCode, err
}

// dawdle opens connections that promise a body and send its first byte.
func dawdle(t testing.TB, address string, many int) {
	t.Helper()
	for range many {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn, "POST /notifications/1001 HTTP/1.1\r\nHost: x\r\nAccess-Key: %s\r\nContent-Length: 200\r\n\r\n{",
			receiverKey); err != nil {
			t.Fatal(err)
		}
	}
}

// keptNotices are the movements in the inbox of a folder.
func keptNotices(t *testing.T, dir string) map[int]bool {
	t.Helper()
	b, err := store.OpenInbox(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	pending, err := b.Pending(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[int]bool{}
	for _, n := range pending {
		kept[int(n.MovementID)] = true
	}
	return kept
}

func writeReceiverConfig(t testing.TB, dir string) {
	t.Helper()
	text := `ledger: {dsn: "sqlite:ledger.db"}
service: {gateway_url: "http://127.0.0.1:9/g", integration_url: "http://127.0.0.1:9/i", user_name: u}
accounts: [{number: 1001}]
reports: {formats: [csv]}
webhook: {listen: "127.0.0.1:0"}
`
	if err := os.WriteFile(filepath.Join(dir, "concilia.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// receiver is a running process of serve.
type receiver struct {
	cmd     *exec.Cmd
	address string
	log     func() string // whole once the process has ended
}

func startReceiver(t testing.TB, binary, dir string) *receiver {
	t.Helper()
	cmd := exec.Command(binary, "serve")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_WEBHOOK_ACCESS_KEY="+receiverKey)
	reading, writing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = writing
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writing.Close() // the process has its own
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	r := &receiver{cmd: cmd}
	var log bytes.Buffer
	lines := bufio.NewScanner(reading)
	for r.address == "" && lines.Scan() {
		log.Write(lines.Bytes())
		var line struct{ Listen string }
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			r.address = line.Listen
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() {
			log.Write(lines.Bytes())
		}
		_ = reading.Close()
	}()
	r.log = func() string { <-ended; return log.String() }
	if r.address == "" {
		t.Fatalf("the receiver did not say where it listens: %s", r.log())
	}
	return r
}

// BenchmarkReceiver says how many notifications a second a receiver process answers 200, with its inbox on SQLite and
// every commit synced, while 50 others dawdle.
func BenchmarkReceiver(b *testing.B) {
	dir := b.TempDir()
	out, err := exec.Command("go", "build", "-o", dir, "concilia/cmd/concilia").CombinedOutput()
	if err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	for _, senders := range []int{1, 8, 32, 128} {
		b.Run(fmt.Sprint("senders=", senders), func(b *testing.B) {
			dir, binary := b.TempDir(), filepath.Join(dir, "concilia")
			writeReceiverConfig(b, dir)
			r := startReceiver(b, binary, dir)
			dawdle(b, r.address, 50)
			var failed atomic.Int64
			b.ResetTimer()
			push(senders, b.N, func(client *http.Client, n int) bool {
				if status, err := sendNotice(client, r.address, n); err != nil || status != http.StatusOK {
					failed.Add(1)
				}
				return true
			})
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "notifications/s")
			if failed.Load() > 0 {
				b.Errorf("%d of %d were not answered 200", failed.Load(), b.N)
			}
			if err := errors.Join(r.cmd.Process.Signal(syscall.SIGTERM), r.cmd.Wait()); err != nil {
				b.Error(err)
			}
		})
	}
}
