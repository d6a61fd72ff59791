package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
)

// tape is what a command that runs in the background has printed so far.
type tape struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *tape) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *tape) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the command has said the words, and gives everything it said.
func (s *tape) wait(t *testing.T, words string) string {
	t.Helper()
	for range 6000 {
		if text := s.String(); strings.Contains(text, words) {
			return text
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("it never said %q:\n%s", words, s)
	return ""
}

// serveBeside runs serve in this process, with a configuration of those sections, and gives what it says and what ends
// it, which gives the exit code.
func serveBeside(t *testing.T, dir, sections string) (said *tape, end func() int) {
	t.Helper()
	path := filepath.Join(dir, "concilia.yaml")
	text := "ledger: {dsn: \"sqlite:" + filepath.Join(dir, "ledger.db") + "\"}\nreports: {formats: [csv]}\n" + sections
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"CONCILIA_SERVICE_PASSWORD": demoPassword, "CONCILIA_WEBHOOK_ACCESS_KEY": receiverKey}
	ctx, cancel := context.WithCancel(t.Context())
	said = &tape{}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, environment{
			args: []string{"--config", path, "serve"}, stdout: said, stderr: said, wall: time.Now,
			lookup: func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
		})
	}()
	return said, func() int { cancel(); return <-code }
}

// TestServeWatches: at its start serve asks where the notifications of each account go, and records it.
func TestServeWatches(t *testing.T) {
	t.Parallel()
	const public = "https://shop.example/hooks"
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		now := time.Now().UTC()
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			_ = json.NewEncoder(w).Encode(map[string]any{
				"authenticated": true, "created": now, "expiration": now.Add(time.Hour), "accessToken": "token", "message": "OK",
			})
		case r.URL.Query().Get("accountNumber") == "1001":
			fmt.Fprintf(w, `{"url":"%s/notifications/1001"}`, public)
		default:
			fmt.Fprint(w, `{"url":"https://elsewhere.example/notifications/1002"}`)
		}
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	said, end := serveBeside(t, dir, fmt.Sprintf(
		"service: {gateway_url: %q, integration_url: %q, user_name: u}\naccounts: [{number: 1001}, {number: 1002}]\n"+
			"webhook: {listen: '127.0.0.1:0', public_url: '%s'}\n", service.URL, service.URL, public))
	said.wait(t, "does not point here")
	if code := end(); code != exit.OK {
		t.Errorf("ended with %d: %s", code, said)
	}
	for _, secret := range []string{demoPassword, receiverKey} {
		if strings.Contains(said.String(), secret) {
			t.Errorf("a secret is in the log: %s", said)
		}
	}
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for account, matches := range map[ledger.Account]bool{1001: true, 1002: false} {
		n, err := l.NotificationStart(t.Context(), account)
		if s := n.Subscription; err != nil || s.Matches != matches || s.URL == "" || s.CheckedOn == 0 {
			t.Errorf("account %s: recorded %+v, %v", account, s, err)
		}
	}
}

// unreachable is the address of a service that is not needed.
const unreachable = "service: {gateway_url: 'http://127.0.0.1:9', integration_url: 'http://127.0.0.1:9', user_name: u}\n" +
	"accounts: [{number: 1001}]\n"

// TestServeTLS: notifications arrive over TLS, and a renewed certificate is shown without a restart.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	roots := x509.NewCertPool()
	roots.AddCert(renew(t, dir, 1))
	said, end := serveBeside(t, dir, unreachable+"webhook: {listen: '127.0.0.1:0', cert_file: cert.pem, key_file: key.pem}\n")
	first, _, _ := strings.Cut(strings.TrimSpace(said.wait(t, `"listen"`)), "\n")
	for _, line := range strings.Split(said.String(), "\n") {
		if strings.Contains(line, `"listen"`) {
			first = line
		}
	}
	var line struct{ Listen string }
	if err := json.Unmarshal([]byte(first), &line); err != nil {
		t.Fatal(err)
	}
	for serial := int64(1); serial <= 2; serial++ {
		if serial > 1 {
			roots.AddCert(renew(t, dir, serial))
		}
		conn, err := tls.Dial("tcp", line.Listen, &tls.Config{RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != serial {
			t.Errorf("certificate %d shows %d", serial, got)
		}
		_ = conn.Close()
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	r, err := http.NewRequest(http.MethodPost, "https://"+line.Listen+"/notifications/1001", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Access-Key", receiverKey)
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	if a.StatusCode != http.StatusBadRequest {
		t.Errorf("an empty notification: %d", a.StatusCode)
	}
	client.CloseIdleConnections()
	if code := end(); code != exit.OK {
		t.Errorf("ended with %d: %s", code, said)
	}
}

// renew writes a certificate of that serial number and its key.
func renew(t *testing.T, dir string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plan := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "receiver"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, plan, plan, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: secret},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		// Two renewals within the resolution of a file's time are distinguished all the same.
		at := time.Now().Add(time.Duration(serial) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestServeRefuses: what cannot work is refused at the start, with the key that is to be changed.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct{ name, webhook, says string }{
		{"an address that is taken", "{listen: '" + taken.Addr().String() + "'}", "webhook.listen"},
		{"a certificate that is none", "{listen: '127.0.0.1:0', cert_file: concilia.yaml, key_file: concilia.yaml}", "webhook.cert_file"},
	} {
		said, end := serveBeside(t, t.TempDir(), unreachable+"webhook: "+c.webhook+"\n")
		said.wait(t, c.says)
		if code := end(); code != exit.Config {
			t.Errorf("%s: ended with %d: %s", c.name, code, said)
		}
	}
	path := filepath.Join(t.TempDir(), "concilia.yaml")
	if err := os.WriteFile(path, []byte("reports: {formats: [csv]}\n"+unreachable), 0o600); err != nil {
		t.Fatal(err)
	}
	said := &tape{}
	code := run(t.Context(), environment{
		args: []string{"--config", path, "serve"}, stdout: said, stderr: said, wall: time.Now,
		lookup: func(name string) (string, bool) { return demoPassword, name == "CONCILIA_SERVICE_PASSWORD" },
	})
	if code != exit.Config || !strings.Contains(said.String(), "every sender would be accepted") {
		t.Errorf("a receiver without a key ended with %d: %s", code, said)
	}
}
