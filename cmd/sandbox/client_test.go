package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// sandboxProcess is run as a program would be, until stop.
type sandboxProcess struct {
	said map[string]string
	stop func()
}

func startProcess(t *testing.T, args ...string) sandboxProcess {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- runMain(ctx, append([]string{"--addr", "127.0.0.1:0", "--days", "3"}, args...), in, io.Discard)
		in.Close()
	}()
	p := sandboxProcess{said: map[string]string{}}
	lines := bufio.NewScanner(out)
	for p.said["state"] == "" && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		p.said[name] = value
	}
	p.stop = func() {
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("exit code %d", code)
		}
	}
	if p.said["state"] == "" {
		t.Fatalf("printed %v", p.said)
	}
	return p
}

// ask sends a request, with a token if there is one, and returns status and body.
func (p sandboxProcess) ask(t *testing.T, method, path, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.said["integration_url"]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// clientAdd onboards and returns the body of the client's login.
func clientAdd(t *testing.T, state string, more ...string) (login string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"client", "add", "--legal-name", "Loja", "--contact", "ti@loja.example", "--state", state}, more...)
	if code := runMain(t.Context(), args, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	said := map[string]string{}
	for line := range strings.Lines(stdout.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[name] = value
	}
	b, err := json.Marshal(map[string]string{"userName": said["user_name"], "password": said["password"]})
	if err != nil || said["user_name"] == "" || said["password"] == "" {
		t.Fatalf("printed %q", stdout.String())
	}
	return string(b)
}

func TestOnboardServeRestart(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(nil)
	t.Cleanup(receiver.Close)
	state := filepath.Join(t.TempDir(), "state.json")
	before := clientAdd(t, state, "--cnpj", "11.222.333/0001-81", "--ip", "10.9.9.9", "--ip", "127.0.0.0/8", "--account", "1001")
	token := func(p sandboxProcess, login string) string {
		status, body := p.ask(t, "POST", "/api/authentication/login", "", login)
		var r struct{ AccessToken string }
		if err := json.Unmarshal([]byte(body), &r); err != nil || status != 200 {
			t.Fatalf("login: %d %s", status, body)
		}
		return r.AccessToken
	}
	const path = "/api/webhooks/subscriptions?accountNumber=1001"
	p := startProcess(t, "--state", state)
	if p.said["state"] != state+" (1 onboarded)" {
		t.Errorf("printed %v", p.said)
	}
	if status, body := p.ask(t, "POST", path, token(p, before), `{"url":"`+receiver.URL+`"}`); status != 201 {
		t.Errorf("subscribe: %d %s", status, body)
	}
	// Onboarding goes on while it serves; an address elsewhere is refused.
	during := clientAdd(t, state, "--cnpj", "11444777000161", "--ip", "192.0.2.1")
	if status, body := p.ask(t, "POST", "/api/authentication/login", "", during); status != 403 || !strings.HasPrefix(body, "[{") {
		t.Errorf("from an address that is not registered: %d %s", status, body)
	}
	p.stop()

	p = startProcess(t, "--state", state, "--trusted-proxy", "127.0.0.1", "--check-urls=false", "--days-ahead", "2", "--reading", "rates=fraction")
	defer p.stop()
	if p.said["state"] != state+" (2 onboarded)" {
		t.Errorf("after the restart: printed %v", p.said)
	}
	again := token(p, before)
	if status, body := p.ask(t, "GET", path, again, ""); status != 200 || !strings.Contains(body, receiver.URL) {
		t.Errorf("the subscription after the restart: %d %s", status, body)
	}
	if status, body := p.ask(t, "POST", path, again, `{"url":"http://127.0.0.1:1/"}`); status != 201 {
		t.Errorf("a URL nobody checks: %d %s", status, body)
	}
}

// TestChangeClientAddresses: what a running sandbox refuses from an address it takes once the address is the client's,
// and again refuses, token in hand, when it is no longer.
func TestChangeClientAddresses(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.json")
	login := clientAdd(t, state, "--cnpj", "11222333000181", "--ip", "192.0.2.1")
	p := startProcess(t, "--state", state)
	defer p.stop()
	const slips = "/api/billissuer/list/by/due-date?accountNumber=1001&startDate=2026-11-18&endDate=2026-11-18"
	change := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := runMain(t.Context(), append([]string{"client", "addresses", "--state", state}, args...), &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	if status, _ := p.ask(t, "POST", "/api/authentication/login", "", login); status != http.StatusForbidden {
		t.Fatalf("login from elsewhere: %d", status)
	}
	code, said := change("--cnpj", "11.222.333/0001-81", "--ip", "203.0.113.7", "--ip", "127.0.0.0/8")
	if code != exitOK || !strings.Contains(said, "user_name: cliente-") || !strings.Contains(said, "address: 203.0.113.7/32\naddress: 127.0.0.0/8\n") {
		t.Fatalf("change: exit code %d: %s", code, said)
	}
	status, body := p.ask(t, "POST", "/api/authentication/login", "", login)
	var r struct{ AccessToken string }
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != http.StatusOK {
		t.Fatalf("login from the new address: %d %s", status, body)
	}
	if status, body := p.ask(t, "GET", slips, r.AccessToken, ""); status != http.StatusOK {
		t.Errorf("slips from the new address: %d %s", status, body)
	}
	if code, said := change("--cnpj", "11222333000181", "--ip", "192.0.2.0/24"); code != exitOK {
		t.Fatalf("change back: exit code %d: %s", code, said)
	}
	if status, _ := p.ask(t, "GET", slips, r.AccessToken, ""); status == http.StatusOK {
		t.Errorf("slips with a token from an address that is no longer the client's: %d", status)
	}
	for _, c := range []struct {
		why  string
		args []string
		says []string
	}{
		{"a company that is not onboarded", []string{"--cnpj", "11444777000161", "--ip", "::1"}, []string{"11444777000161 is not onboarded"}},
		{"a wrong check digit and a wrong address", []string{"--cnpj", "11222333000180", "--ip", "here"}, []string{"check digits", `address "here"`}},
		{"no address", []string{"--cnpj", "11222333000181"}, []string{"no address"}},
	} {
		code, said := change(c.args...)
		if code != exitError {
			t.Errorf("%s: exit code %d", c.why, code)
		}
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: says %q, want %q in it", c.why, said, want)
			}
		}
	}
}

// TestSixAccounts: each is named on the screen, and a client of every account may ask for each.
func TestSixAccounts(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.json")
	login := clientAdd(t, state, "--cnpj", "11222333000181", "--ip", "127.0.0.1")
	p := startProcess(t, "--state", state, "--accounts", "6")
	defer p.stop()
	_, body := p.ask(t, "POST", "/api/authentication/login", "", login)
	var r struct{ AccessToken string }
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for account := 1001; account <= 1006; account++ {
		path := fmt.Sprintf("/api/transaction/concil/search-by-operation-date-installments?accountNumber=%d&startDate=2026-11-15&endDate=2026-11-17", account)
		status, body := p.ask(t, "POST", path, r.AccessToken, "")
		if status != http.StatusOK || len(body) < 10_000 || seen[body] {
			t.Errorf("account %d: %d, %d bytes, or those of another", account, status, len(body))
		}
		seen[body] = true
	}
	if status, _ := p.ask(t, "GET", "/api/billissuer/list/by/due-date?accountNumber=1007&startDate=2026-11-15&endDate=2026-11-17", r.AccessToken, ""); status == http.StatusOK {
		t.Error("a seventh account answers")
	}
}

func TestClientUsage(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.json")
	good := []string{"add", "--cnpj", "11222333000181", "--legal-name", "Loja", "--contact", "ti", "--ip", "::1", "--state", state}
	for _, c := range []struct {
		why  string
		args []string
		code int
		says []string
	}{
		{"no subcommand", nil, exitUsage, []string{"sandbox client add or sandbox client addresses"}},
		{"another subcommand", []string{"drop"}, exitUsage, []string{"sandbox client add or sandbox client addresses"}},
		{"help", []string{"add", "--help"}, exitOK, []string{"--cnpj", "--legal-name", "--contact", "--ip", "--account", "--state"}},
		{"an unknown flag", []string{"add", "--nonsense"}, exitUsage, []string{"nonsense"}},
		{"nothing given", []string{"add", "--state", state}, exitError, []string{"CNPJ", "legal name", "contact", "no address"}},
		{"a state kept nowhere", append(good, "--state", ""), exitUsage, []string{"--state"}},
		{"an account that is no number and a word too many", append(good, "--account", "x", "more"), exitUsage, []string{`--account "x"`, `"more"`}},
		{"a state file that can't be", append(good, "--state", "/dev/null/state.json"), exitError, []string{"/dev/null/state.json"}},
	} {
		var stdout, stderr bytes.Buffer
		code := runMain(t.Context(), append([]string{"client"}, c.args...), &stdout, &stderr)
		said, silent := &stderr, &stdout
		if c.code == exitOK {
			said, silent = silent, said // help that was asked for
		}
		if code != c.code || silent.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d; printed %q", c.why, code, c.code, silent)
		}
		for _, want := range c.says {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: says %q, want %q in it", c.why, said, want)
			}
		}
	}
}
