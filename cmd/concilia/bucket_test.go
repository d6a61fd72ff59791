package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// bucket is a real S3 server over a folder, which can be stopped and started.
type bucket struct {
	t             *testing.T
	program, addr string
	dir, sidecar  string
	process       *exec.Cmd
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		home, _ := os.UserHomeDir()
		program = filepath.Join(home, "go", "bin", "versitygw")
		if _, err := os.Stat(program); err != nil {
			if os.Getenv("CONCILIA_REQUIRE_S3") == "1" {
				t.Fatal("no S3 server: versitygw is neither on the path nor in ~/go/bin")
			}
			t.Skip("no S3 server: versitygw is neither on the path nor in ~/go/bin")
		}
	}
	b := &bucket{t: t, program: program, addr: freeAddress(t), dir: t.TempDir(), sidecar: t.TempDir()}
	if err := os.Mkdir(filepath.Join(b.dir, "settlement"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.stop)
	return b
}

// start brings the server up, and returns when it takes connections.
func (b *bucket) start() {
	b.t.Helper()
	b.process = exec.Command(b.program, "--port", b.addr, "--access", "access", "--secret", "secret-key", "posix", "--sidecar", b.sidecar, b.dir)
	if err := b.process.Start(); err != nil {
		b.t.Fatal(err)
	}
	for range 2400 { // two minutes: of a machine that has everything else to do
		if c, err := net.Dial("tcp", b.addr); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatal("the S3 server takes no connections")
}

func (b *bucket) stop() {
	if b.process != nil {
		_ = b.process.Process.Kill()
		_ = b.process.Wait() // killed on purpose
	}
	b.process = nil
}

// on runs a command on a morning against the bucket.
func (b *bucket) on(s *sandbox, dir, day string, args ...string) (int, string) {
	b.t.Helper()
	config, key := filepath.Join(dir, "concilia.yaml"), filepath.Join(dir, "key")
	if err := os.WriteFile(config, fmt.Appendf(nil, testConfig, filepath.ToSlash(dir), s.gateway, s.integration), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte("access"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(key+"-secret", []byte("secret-key"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	vars := map[string]string{
		"CONCILIA_SERVICE_PASSWORD": demoPassword, "CONCILIA_CLOCK": day + "T06:00:00-03:00",
		"CONCILIA_ACCOUNTS_0_SINCE": "2026-11-10", "CONCILIA_ACCOUNTS_1_SINCE": "2026-11-10",
		"CONCILIA_REPORTS_OUT": "s3://settlement/srv", "CONCILIA_REPORTS_S3_ENDPOINT": "http://" + b.addr,
		"CONCILIA_REPORTS_S3_REGION": "us-east-1", "CONCILIA_REPORTS_S3_ACCESS_KEY_FILE": key,
		"CONCILIA_REPORTS_S3_SECRET_KEY_FILE": key + "-secret", "CONCILIA_REPORTS_FORMATS": "csv,jsonl",
		"CONCILIA_REPORTS_KINDS": "summary,exceptions", "CONCILIA_RETENTION": "csv:1",
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), environment{
		args: append([]string{"--config", config}, args...), stdout: &stdout, stderr: &stderr, wall: time.Now,
		lookup: func(k string) (string, bool) { v, ok := vars[k]; return v, ok },
	})
	return code, stdout.String() + stderr.String()
}

// published are the names of the objects that match a pattern below an account's month.
func (b *bucket) published(pattern string) []string {
	b.t.Helper()
	found, err := filepath.Glob(filepath.Join(b.dir, "settlement", "srv", "*", "2026", "11", pattern))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// waitingFiles is how many published files the target does not have yet, by the status that command shows.
func waitingFiles(t *testing.T, command func(args ...string) (int, string)) (files int) {
	t.Helper()
	code, out := command("status", "--json")
	var status struct{ Outbox []struct{ Files int } }
	if err := json.Unmarshal([]byte(out), &status); err != nil || code != exit.OK {
		t.Fatalf("status ended with %d, %v: %s", code, err, out)
	}
	for _, set := range status.Outbox {
		files += set.Files
	}
	return files
}

// TestBucketStoppedAndStarted: while an S3 server is down what is proven waits; when it is up again the next night brings
// it, and takes away what is past its days. What the bucket has verifies after every night.
func TestBucketStoppedAndStarted(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the nights are watched in other tests; these wait for a server")
	}
	b := newBucket(t)
	s, err := sandboxProcess(build(t).sandbox, []string{"--seed", "9", "--days", "8"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	dir := t.TempDir()
	for _, night := range []struct {
		day    string
		up     bool
		stones bool
	}{
		{day: "2026-11-18", up: true},
		{day: "2026-11-19"},
		{day: "2026-11-20", up: true, stones: true},
	} {
		if b.stop(); night.up {
			b.start()
		}
		code, out := b.on(s, dir, night.day, "run")
		if night.up == (code == 50) {
			t.Errorf("%s: up: %t, ended with %d: %s", night.day, night.up, code, out)
		}
		if waiting := waitingFiles(t, func(args ...string) (int, string) { return b.on(s, dir, night.day, args...) }); night.up != (waiting == 0) {
			t.Errorf("%s: up: %t, %d files wait", night.day, night.up, waiting)
		}
		state := b.published("exceptions_*_asof_20261118_*.csv")
		stones := b.published("*.retired")
		if night.stones != (len(stones) > 0) || night.stones != (len(state) == 0) || night.stones != strings.Contains(out, "past their days") {
			t.Errorf("%s: %d state files of the first day, %d tombstones: %s", night.day, len(state), len(stones), out)
		}
		if n := len(b.published("exceptions_*_asof_20261118_*.jsonl")); n != 3 {
			t.Errorf("%s: %d state files without days", night.day, n)
		}
		if n := len(b.published("exceptions_*_asof_20261119_*.csv")); night.stones && n != 3 {
			t.Errorf("%s: %d state files were brought of the night in which the server was down", night.day, n)
		}
		if code, out := runCommand(t, s, dir, "verify", filepath.Join(b.dir, "settlement", "srv")); code != exit.OK {
			t.Errorf("%s: verify ended with %d: %s", night.day, code, out)
		}
	}
	// What only publishes reads the keys of the bucket from their files, too, and needs no password of the service.
	code, out := b.on(s, dir, "2026-11-20", "report", "--basis", "payment", "--from", "2026-11-10", "--to", "2026-11-19")
	if n := len(b.published("*_payment_*.csv")); code >= 30 || n == 0 {
		t.Errorf("a report of its own ended with %d, and %d files of it are published: %s", code, n, out)
	}
}
