package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServeWatched starts serve as a process and watches it: metrics and health at an address of their own, none of it
// where the notifications arrive, and a ledger that cannot be read is said.
func TestServeWatched(t *testing.T) {
	t.Parallel()
	dir, watch := t.TempDir(), freeAddress(t)
	writeReceiverConfig(t, dir)
	config, err := os.OpenFile(filepath.Join(dir, "concilia.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(config, "metrics: {listen: %q}\n", watch); err != nil {
		t.Fatal(err)
	}
	if err := config.Close(); err != nil {
		t.Fatal(err)
	}
	get := func(address, path string) (int, string) {
		t.Helper()
		res, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	r := startReceiver(t, build(t).concilia, dir)
	if status, err := sendNotice(http.DefaultClient, r.address, 1); err != nil || status != http.StatusOK {
		t.Fatalf("a notification is answered %d, %v", status, err)
	}
	for _, path := range []string{"/livez", "/readyz"} {
		if status, body := get(watch, path); status != http.StatusOK || body != "ok\n" {
			t.Errorf("%s is answered %d %s: no ledger is there yet, and notifications do not wait for it", path, status, body)
		}
		if status, _ := get(r.address, path); status != http.StatusNotFound {
			t.Errorf("%s where notifications arrive is answered %d", path, status)
		}
	}
	if status, _ := get(r.address, "/metrics"); status != http.StatusNotFound {
		t.Errorf("/metrics where notifications arrive is answered %d", status)
	}
	families := scrape(t, "http://"+watch)
	for name, want := range map[string]float64{
		`concilia_webhook_requests_total{account="1001",outcome="accepted"}`: 1,
		`concilia_webhook_waiting`: 1, `concilia_ledger_up`: 0,
	} {
		if got, ok := families.value(name); !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ledger.db"), []byte(strings.Repeat("no ledger ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, body := get(watch, "/readyz"); status != http.StatusServiceUnavailable || !strings.HasPrefix(body, "ledger: ") {
		t.Errorf("over a file that is no ledger /readyz is answered %d %s", status, body)
	}
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("told to end, it ended with %v", err)
	}
	if !strings.Contains(r.log(), "the metrics of the ledger could not be read") {
		t.Errorf("the log says %s", r.log())
	}
}
