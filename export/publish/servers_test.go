package publish_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"concilia/export/publish"
)

// The variables that make a test fail for want of a server, instead of being skipped.
const requireS3 = "CONCILIA_REQUIRE_S3"

// s3Target is a bucket of an S3 server (versitygw) that is started for the test.
func s3Target(t *testing.T) publish.Target {
	t.Helper()
	endpoint := s3Server(t)
	target, err := publish.Open("s3://settlement/conta/2026?region=us-east-1&endpoint="+endpoint, publish.Options{
		S3: publish.S3Options{AccessKey: "access", SecretKey: "secret-key"},
	})
	must(t, err)
	return target
}

func s3Server(t *testing.T) (endpoint string) {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		home, _ := os.UserHomeDir()
		program = filepath.Join(home, "go", "bin", "versitygw")
		if _, err := os.Stat(program); err != nil {
			if os.Getenv(requireS3) == "1" {
				t.Fatal("no S3 server: versitygw is neither on the path nor in ~/go/bin")
			}
			t.Skip("no S3 server: versitygw is neither on the path nor in ~/go/bin")
		}
	}
	dir, addr := t.TempDir(), freeAddr(t)
	must(t, os.Mkdir(filepath.Join(dir, "settlement"), 0o755))
	cmd := exec.Command(program, "--port", addr, "--access", "access", "--secret", "secret-key", "posix", "--sidecar", t.TempDir(), dir)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s", text)
		}
	})
	answers(t, addr)
	t.Logf("s3: real (%s)", filepath.Base(program))
	return "http://" + addr
}

// sftpTarget is a directory of the system's own SSH server, or of one in this process where there is none.
func sftpTarget(t *testing.T) publish.Target {
	t.Helper()
	s := newKeys(t)
	dir := t.TempDir()
	var addr string
	if program := sshdProgram(); program != "" {
		addr = s.sshd(t, program)
		t.Logf("sftp: real (%s)", program)
	} else {
		addr = s.serve(t)
		t.Log("sftp: real (pkg/sftp's server over x/crypto/ssh)")
	}
	who, err := user.Current()
	must(t, err)
	target, err := publish.Open(fmt.Sprintf("sftp://%s@%s%s", who.Username, addr, filepath.Join(dir, "settlement")), publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, s.host)},
	})
	must(t, err)
	return target
}

// TestHostKey checks that a server with another key than the known one is an error before anything is sent.
func TestHostKey(t *testing.T) {
	t.Parallel()
	s := newKeys(t)
	addr := s.serve(t)
	other, err := ssh.NewSignerFromKey(newKey(t))
	must(t, err)
	target, err := publish.Open("sftp://who@"+addr+"/srv", publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, other)},
	})
	must(t, err)
	err = target.Put(t.Context(), "a.csv", local(t, "x"))
	if err == nil || s.logins() > 0 {
		t.Errorf("put on a server with an unknown key: %v, %d logins", err, s.logins())
	}
	hints(t, err, "hint.target_key")
}

// TestRemoteGone checks that an unreachable target is reported as such, and that it is used again when it is back.
func TestRemoteGone(t *testing.T) {
	t.Parallel()
	nobody := freeAddr(t)
	s := newKeys(t)
	bucket, err := publish.Open("s3://settlement/x?region=us-east-1&endpoint=http://"+nobody, publish.Options{
		S3: publish.S3Options{AccessKey: "access", SecretKey: "very-secret"},
	})
	must(t, err)
	away, err := publish.Open("sftp://who@"+nobody+"/srv", publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, nobody, s.host)},
	})
	must(t, err)
	for name, target := range map[string]publish.Target{"s3": bucket, "sftp": away} {
		_, _, err := target.Stage(t.Context())
		if !errors.Is(err, publish.ErrUnreachable) || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	addr := s.serve(t)
	target, err := publish.Open("sftp://who@"+addr+filepath.Join(t.TempDir(), "srv"), publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, s.host)},
	})
	must(t, err)
	must(t, target.Put(t.Context(), "a.csv", local(t, "a")))
	s.hangUp()
	must(t, target.Put(t.Context(), "b.csv", local(t, "b")))
	holds(t, target, "a.csv", "a")
	if s.logins() != 2 {
		t.Errorf("%d logins, one before the line broke and one after it", s.logins())
	}
}

// keys are those of a server and of its one user.
type keys struct {
	dir     string
	host    ssh.Signer
	hostKey string
	userKey string
	user    ssh.PublicKey
	entered chan struct{}

	mu   sync.Mutex
	open []net.Conn
	sees func(request []byte) error // of what a client sends, before the server reads it; nil: nothing looks at it
}

func newKeys(t *testing.T) *keys {
	t.Helper()
	k := &keys{dir: t.TempDir(), entered: make(chan struct{}, 100)}
	write := func(name string) (string, ssh.Signer) {
		key := newKey(t)
		block, err := ssh.MarshalPrivateKey(key, "")
		must(t, err)
		file := filepath.Join(k.dir, name)
		must(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
		signer, err := ssh.NewSignerFromKey(key)
		must(t, err)
		return file, signer
	}
	k.hostKey, k.host = write("host")
	var signer ssh.Signer
	k.userKey, signer = write("user")
	k.user = signer.PublicKey()
	return k
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	return key
}

// hangUp breaks every connection there is.
func (k *keys) hangUp() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.open {
		_ = c.Close()
	}
}

func (k *keys) logins() int { return len(k.entered) }

// known writes a file of known hosts that has one key for an address.
func (k *keys) known(t *testing.T, addr string, host ssh.Signer) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known_hosts")
	must(t, os.WriteFile(file, []byte(knownhosts.Line([]string{addr}, host.PublicKey())+"\n"), 0o600))
	return file
}

func sshdProgram() string {
	if program, err := exec.LookPath("sshd"); err == nil {
		return program
	}
	const usual = "/usr/sbin/sshd"
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	return ""
}

// sshd starts the system's server on a port of its own, with keys and configuration of its own.
func (k *keys) sshd(t *testing.T, program string) string {
	t.Helper()
	addr := freeAddr(t)
	host, port, _ := net.SplitHostPort(addr)
	authorized, config := filepath.Join(k.dir, "authorized_keys"), filepath.Join(k.dir, "sshd_config")
	must(t, os.WriteFile(authorized, ssh.MarshalAuthorizedKey(k.user), 0o600))
	must(t, os.WriteFile(config, fmt.Appendf(nil, "ListenAddress %s\nPort %s\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\n"+
		"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nSubsystem sftp internal-sftp\n",
		host, port, k.hostKey, authorized), 0o600))
	if os.Geteuid() == 0 {
		// The server wants this directory when it runs as root; a system that never ran it has none.
		_ = os.MkdirAll("/run/sshd", 0o755)
	}
	cmd := exec.Command(program, "-D", "-e", "-f", config)
	log, err := os.Create(filepath.Join(k.dir, "log"))
	must(t, err)
	cmd.Stderr = log
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s", text)
		}
	})
	answers(t, addr)
	return addr
}

// serve is an SSH server in this process that lets the user's key in and speaks SFTP.
func (k *keys) serve(t *testing.T) string {
	t.Helper()
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(k.user.Marshal()) {
			return nil, fmt.Errorf("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(k.host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			go k.session(raw, config)
		}
	}()
	return listener.Addr().String()
}

func (k *keys) session(raw net.Conn, config *ssh.ServerConfig) {
	_, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return
	}
	k.entered <- struct{}{}
	k.mu.Lock()
	k.open = append(k.open, raw)
	k.mu.Unlock()
	go ssh.DiscardRequests(requests)
	for fresh := range channels {
		channel, asked, err := fresh.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range asked {
				_ = r.Reply(r.Type == "subsystem", nil)
			}
		}()
		server, err := sftp.NewServer(&overseen{channel, k})
		if err != nil {
			return
		}
		go func() { _ = server.Serve(); _ = channel.Close() }()
	}
}

// overseen is a channel of a server on which a test looks, and which it may break.
type overseen struct {
	io.ReadWriteCloser
	k *keys
}

func (o *overseen) Read(b []byte) (int, error) {
	n, err := o.ReadWriteCloser.Read(b)
	o.k.mu.Lock()
	sees := o.k.sees
	o.k.mu.Unlock()
	if err == nil && sees != nil {
		err = sees(b[:n])
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// oversee has fn look at what clients send from now on.
func (k *keys) oversee(fn func(request []byte) error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sees = fn
}

// freeAddr is an address of this machine at which no server listens now, below the ports that the system hands out by itself:
// another test's server would take one of these first, and be taken for ours.
func freeAddr(t *testing.T) string {
	t.Helper()
	const first, below = 10_240, 32_768
	for range 100 {
		//nolint:gosec // any port will do
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", first+mathrand.IntN(below-first)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// answers waits until somebody listens at an address.
func answers(t *testing.T, addr string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			_ = conn.Close()
			return
		}
	}
	t.Fatalf("nobody listens at %s", addr)
}
