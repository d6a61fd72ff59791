package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServeUntilAskedToEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("segredo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--addr", "127.0.0.1:0", "--days", "3", "--password-file", file}, in, io.Discard)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	said := map[string]string{}
	for len(said) < 4 && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		said[name] = value
	}
	base, ok := strings.CutPrefix(said["sandbox"], "listening on ")
	if !ok || said["gateway_url"] != base+"/gateway" || said["integration_url"] != base+"/integration" || said["user_name"] != "demo" {
		t.Fatalf("printed %v", said)
	}
	resp, err := http.Post(said["integration_url"]+"/api/authentication/login", "application/json", strings.NewReader(`{"userName":"demo","password":"segredo"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("login with the password of the file: %d", resp.StatusCode)
	}
	stop()
	for lines.Scan() {
		t.Errorf("printed %q at the end", lines.Text())
	}
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"--help", exitOK, []string{"--seed", "-as-of", "client add", "-reading", "slip-interest", "-retry-window", "-fault-rate", "/sandbox/deliveries", "-search-token", "/sandbox/clock", "/sandbox/planted", "SANDBOX_PASSWORD"}},
		{
			"--as-of yesterday --days 0 --search-token both --token-lifetime 0s extra", exitUsage,
			[]string{"--as-of", "--days 0", "--search-token", "--token-lifetime", `"extra"`},
		},
		{"--user " + strings.Repeat("x", 31), exitUsage, []string{"--user"}},
		{
			"--user-ip here --trusted-proxy 10.0.0.0/99 --access-key é --days-ahead -1 --retry-first 0s --retry-factor NaN --fault-rate 2 --delivery-workers 0", exitUsage,
			[]string{"--user-ip", "--trusted-proxy", "--access-key", "--days-ahead", "--retry-first", "--retry-factor", "--fault-rate", "--delivery-workers"},
		},
		{"--reading rates=per-mille", exitUsage, []string{"want rates=percent|fraction"}},
		{"--reading tax=high", exitUsage, []string{"anticipation-base"}},
		{"--state /does/not/exist/state.json --days 1", exitError, []string{"/does/not/exist"}},
		{"--state /dev/null/state.json", exitError, []string{"state file"}},
		{"--password-file /does/not/exist", exitUsage, []string{"--password-file"}},
		{"--nonsense", exitUsage, []string{"nonsense"}},
		{"--addr 127.0.0.1:99999", exitError, []string{"--addr"}},
		{"--days 9999", exitError, []string{"days"}},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(c.args), io.Discard, &stderr); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.args, code, c.code)
		}
		for _, want := range c.says {
			if !strings.Contains(stderr.String(), strings.TrimPrefix(want, "-")) {
				t.Errorf("%s: says %q, want %q in it", c.args, stderr.String(), want)
			}
		}
	}
}
