package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
		ended <- runMain(ctx, []string{"--addr", "127.0.0.1:0", "--days", "3", "--password-file", file}, in, io.Discard)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	said := map[string]string{}
	for lines.Scan() && lines.Text() != "Ctrl-C ends it." {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		said[name] = value
	}
	base, ok := strings.CutPrefix(said["sandbox"], "listening on ")
	if !ok || said["gateway_url"] != base+"/gateway" || said["integration_url"] != base+"/integration" || said["user_name"] != "demo" {
		t.Fatalf("printed %v", said)
	}
	for name, want := range map[string]string{
		"sales": "2026-11-15 to 2026-11-17, seed 1", "business clock": "2026-11-18 06:00 -0300", "description": base + "/openapi.json", "account": "1002 Loja Norte",
	} {
		if said[name] != want {
			t.Errorf("%s: %q, want %q", name, said[name], want)
		}
	}
	if _, told := said["password"]; told {
		t.Error("a password that was given is printed")
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

// TestStoresBesideTheService: the stores' own sales are written before anything is served, the line of each store is printed, and what is
// planted in them is listed with the rest.
func TestStoresBesideTheService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- runMain(ctx, []string{"--addr", "127.0.0.1:0", "--days", "20", "--sales-dir", dir}, in, io.Discard)
		in.Close()
	}()
	lines, base, stores := bufio.NewScanner(out), "", []string{}
	for lines.Scan() && lines.Text() != "Ctrl-C ends it." {
		if text, is := strings.CutPrefix(lines.Text(), "sandbox: listening on "); is {
			base = text
		}
		if text, is := strings.CutPrefix(lines.Text(), "store: "); is {
			stores = append(stores, strings.ReplaceAll(text, dir, "DIR"))
		}
	}
	want := []string{
		"{id: loja-1001, accounts: [1001], format: neutral} in " + filepath.Join("DIR", "vendas", "loja-1001"),
		`{id: loja-1002, accounts: [1002], format: nfe, documents: ["11222333000262"]} in ` + filepath.Join("DIR", "vendas", "loja-1002"),
	}
	if !slices.Equal(stores, want) {
		t.Errorf("stores %q, want %q", stores, want)
	}
	files, err := filepath.Glob(filepath.Join(dir, "vendas", "*", "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("files: %q %v", files, err)
	}
	resp, err := http.Get(base + "/sandbox/planted")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	planted, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(planted), "SALE_NOT_IN_ERP") || !strings.Contains(string(planted), "RECEIVED_OVERDUE") {
		t.Errorf("planted: %v\n%s", err, planted)
	}
	stop()
	_, _ = io.Copy(io.Discard, out)
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
		{"--help", exitOK, []string{"--seed", "--as-of", "client add", "--reading", "slip-interest", "--retry-window", "--fault-rate", "/sandbox/deliveries", "--search-token", "/sandbox/clock", "/sandbox/planted", "SANDBOX_PASSWORD", "unknown-member", "subscriptions", "(default 30s)"}},
		{
			"--as-of yesterday --days 0 --accounts 0 --search-token both --token-lifetime 0s extra", exitUsage,
			[]string{"--as-of", "--days 0", "--accounts 0: want 1 to 1000", "--search-token", "--token-lifetime", `"extra"`},
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
		{"-h", exitOK, []string{"Usage: sandbox [options]"}},
		{"client add --help", exitOK, []string{"--legal-name name", "(default sandbox-state.json)"}},
		{"client -h", exitOK, []string{"--legal-name name"}},
		{"client addresses --help", exitOK, []string{"--cnpj number", "--ip address", "(default sandbox-state.json)"}},
		{"client addresses --legal-name Loja", exitUsage, []string{"legal-name"}},
		{"client", exitUsage, []string{"client add or sandbox client addresses"}},
		{"client remove", exitUsage, []string{"client add or sandbox client addresses"}},
		{"client add --cnpj", exitUsage, []string{"cnpj"}},
		{"--nonsense", exitUsage, []string{"nonsense"}},
		{"--addr 127.0.0.1:99999", exitError, []string{"--addr"}},
		{"--days 9999", exitError, []string{"days"}},
		{"--days 3 --sales-dir /dev/null", exitError, []string{"--sales-dir", "/dev/null"}},
	} {
		var stdout, stderr bytes.Buffer
		if code := runMain(t.Context(), strings.Fields(c.args), &stdout, &stderr); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.args, code, c.code)
		}
		said, silent := &stderr, &stdout
		if c.code == exitOK {
			said, silent = silent, said // help that was asked for can be piped
		}
		for _, want := range c.says {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: says %q, want %q in it", c.args, said, want)
			}
		}
		if silent.Len() > 0 {
			t.Errorf("%s: says on the other stream: %q", c.args, silent)
		}
		// What is wrong fits a screen: it does not drown in the help.
		if n := strings.Count(stderr.String(), "\n"); n > 10 || c.code == exitUsage && !strings.Contains(stderr.String(), "hint: sandbox") {
			t.Errorf("%s: %d lines, or no hint:\n%s", c.args, n, &stderr)
		}
	}
}

// TestTheAddressPrintedCanBeCalled: every address of the machine is none.
func TestTheAddressPrintedCanBeCalled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		ip   net.IP
		want string
	}{
		{"every address, both families", net.IPv6zero, "http://localhost:8090"},
		{"every address", net.IPv4zero, "http://localhost:8090"},
		{"one address", net.IPv4(127, 0, 0, 1), "http://127.0.0.1:8090"},
		{"one of the newer family", net.IPv6loopback, "http://[::1]:8090"},
	} {
		if got := baseURL(&net.TCPAddr{IP: c.ip, Port: 8090}); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestTheHelpHasEveryOptionOnce: an option that is in no group would be missing from the help.
func TestTheHelpHasEveryOptionOnce(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	if _, err := parseOptions([]string{"--help"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	shown := 0
	for line := range strings.SplitSeq(help.String(), "\n") {
		if strings.HasPrefix(line, "  --") {
			shown++
		}
	}
	listed := map[string]bool{}
	for _, g := range helpGroups {
		for name := range strings.FieldsSeq(g.names) {
			listed[name] = true
		}
	}
	var o options
	f := newFlags("sandbox")
	o.addFlags(f)
	f.VisitAll(func(one *flag.Flag) {
		if !listed[one.Name] {
			t.Errorf("--%s is in no group", one.Name)
		}
		delete(listed, one.Name)
		shown--
	})
	if len(listed) > 0 || shown != 0 {
		t.Errorf("grouped but no option: %v; %d too many shown", listed, shown)
	}
}
