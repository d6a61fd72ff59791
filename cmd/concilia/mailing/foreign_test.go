package mailing

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/mailtest"
)

// foreignServer is a running chasquid, a mail server that others wrote, with one person who may send.
type foreignServer struct {
	startTLS, tls int // ports, by how TLS begins
	roots         *x509.CertPool
	box           string // folder of what was delivered
}

// openForeignServer starts Debian's chasquid; without it the test is skipped, unless there must be one.
func openForeignServer(t *testing.T) *foreignServer {
	t.Helper()
	path, err := exec.LookPath("chasquid")
	switch {
	case err != nil && os.Getenv("CONCILIA_REQUIRE_MAIL") == "1":
		t.Fatal("there is no chasquid, and CONCILIA_REQUIRE_MAIL is 1")
	case err != nil:
		t.Skip("there is no chasquid: mail is sent to the server of the tests alone")
	}
	dir := t.TempDir()
	s := &foreignServer{box: filepath.Join(dir, "box")}
	ports := freePorts(t, 2)
	s.startTLS, s.tls = ports[0], ports[1]
	certificate, roots := mailtest.NewCertificate(t)
	s.roots = roots
	key, err := x509.MarshalPKCS8PrivateKey(certificate.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"certs/127.0.0.1/fullchain.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificates[0].Certificate[0]})),
		"certs/127.0.0.1/privkey.pem":   string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		"domains/loja.example/aliases":  "",
		"box/none":                      "",
		"chasquid.conf": fmt.Sprintf(`hostname: "mail.test"
submission_address: "127.0.0.1:%d"
submission_over_tls_address: "127.0.0.1:%d"
mail_log_path: "<stderr>"
data_dir: %q
mail_delivery_agent_bin: "/bin/sh"
mail_delivery_agent_args: "-c"
mail_delivery_agent_args: "cat > '%s/.part' && mv '%s/.part' '%s/mail'"
`, s.startTLS, s.tls, filepath.Join(dir, "data"), s.box, s.box, s.box),
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, user := range []string{"concilia", "ana"} {
		add := exec.CommandContext(t.Context(), path+"-util", "-C="+dir, "user-add", user+"@loja.example", "--password="+mailtest.Password)
		if said, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	server := exec.CommandContext(t.Context(), path, "-config_dir="+dir) // it ends with the test
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() })
	for _, port := range ports {
		awaitPort(t, port)
	}
	return s
}

// freePorts are ports of 127.0.0.1 on which no server listened a moment ago, below those that the system hands out by itself: another
// test's server would take one of these before ours does, and be taken for it.
func freePorts(t *testing.T, n int) (out []int) {
	t.Helper()
	const first, below = 10_240, 32_768
	for range 100 * n {
		port := first + rand.IntN(below-first) //nolint:gosec // any port will do
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue
		}
		defer l.Close()
		if out = append(out, port); len(out) == n {
			return out
		}
	}
	t.Fatal("no port is free")
	return nil
}

// awaitPort waits until somebody listens on a port of 127.0.0.1.
func awaitPort(t *testing.T, port int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = c.Close()
			return
		}
	}
	t.Fatalf("nobody listens on %d", port)
}

// awaitMail waits for what the server delivers, and takes it.
func (s *foreignServer) awaitMail(t *testing.T) *mail.Message {
	t.Helper()
	at := filepath.Join(s.box, "mail")
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(at)
		if err != nil {
			continue
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	t.Fatal("nothing is delivered")
	return nil
}

// TestForeignServer: a mail server that others wrote takes a message by STARTTLS and by TLS from the first byte, and delivers it whole;
// a wrong password, no login and a certificate of an unknown authority are refused for good.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	there := openForeignServer(t)
	const user = "concilia@loja.example"
	for _, row := range []struct {
		says       string
		port       int
		way        mailtest.Way
		user, pass string
		unknown    bool // the certificate is signed by an unknown authority
		takes      bool
	}{
		{says: "STARTTLS with a login", port: there.startTLS, way: mailtest.StartTLS, user: user, pass: mailtest.Password, takes: true},
		{says: "TLS from the first byte with a login", port: there.tls, way: mailtest.TLS, user: user, pass: mailtest.Password, takes: true},
		{says: "a wrong password", port: there.tls, way: mailtest.TLS, user: user, pass: "hunter2"},
		{says: "no login, where one is asked for", port: there.startTLS, way: mailtest.StartTLS},
		{says: "a certificate that nobody vouches for", port: there.startTLS, way: mailtest.StartTLS, user: user, pass: mailtest.Password, unknown: true},
	} {
		settings := settingsOf(row.port, row.way)
		if row.user != "" {
			settings.UserName, settings.Password = row.user, passwordOf(t, row.pass)
		}
		s := NewServer(settings)
		if !row.unknown {
			s.roots = there.roots
		}
		_, err := sendTrial(t, s)
		if row.takes != (err == nil) {
			t.Errorf("%s: %v", row.says, err)
			continue
		}
		if !row.takes {
			if !IsMisconfigured(err) {
				t.Errorf("%s: it would be tried again: %v", row.says, err)
			}
			continue
		}
		m := there.awaitMail(t)
		if m.Header.Get("To") != "<ana@loja.example>" || m.Header.Get("Auto-Submitted") != "auto-generated" || !strings.HasPrefix(m.Header.Get("Content-Type"), "multipart/alternative") {
			t.Errorf("%s: delivered is %v", row.says, m.Header)
		}
	}
}
