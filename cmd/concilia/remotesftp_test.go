//go:build unix

package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// newRemoteSFTP is a directory of an SFTP server in this process.
func newRemoteSFTP(t *testing.T) *remote {
	t.Helper()
	r := &remote{root: filepath.Join(t.TempDir(), "srv")}
	keys := t.TempDir()
	host, _ := newSSHKey(t)
	user, userKey := newSSHKey(t)
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(user.PublicKey().Marshal()) {
			return nil, fmt.Errorf("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			go r.session(raw, config)
		}
	}()
	addr := listener.Addr().String()
	r.env = []string{
		"CONCILIA_REPORTS_OUT=sftp://merchant@" + addr + r.root,
		"CONCILIA_REPORTS_SFTP_KEY_FILE=" + secretFile(t, keys, "key", userKey),
		"CONCILIA_REPORTS_SFTP_KNOWN_HOSTS_FILE=" + secretFile(t, keys, "hosts", knownhosts.Line([]string{addr}, host.PublicKey())+"\n"),
	}
	return r
}

func newSSHKey(t *testing.T) (signer ssh.Signer, text string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	if signer, err = ssh.NewSignerFromKey(key); err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

func (r *remote) session(raw net.Conn, config *ssh.ServerConfig) {
	defer raw.Close()
	if r.isDown() {
		return
	}
	_, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.open = append(r.open, raw)
	r.mu.Unlock()
	go ssh.DiscardRequests(requests)
	for fresh := range channels {
		channel, asked, err := fresh.Accept()
		if err != nil {
			return
		}
		go func() {
			for q := range asked {
				_ = q.Reply(q.Type == "subsystem", nil)
			}
		}()
		server, err := sftp.NewServer(&uploads{ReadWriteCloser: channel, r: r})
		if err != nil {
			return
		}
		go func() {
			_ = server.Serve()
			_ = channel.Close()
			_ = raw.Close()
		}()
	}
}

// uploads is the channel of a session: it calls the remote's hook between the opening of a part and its first bytes.
type uploads struct {
	io.ReadWriteCloser
	r      *remote
	opened string // directory of the part that was opened by the request before
}

var openedPart = regexp.MustCompile(`(/[^\x00]*)/\.part-[A-Z2-7]+\x00`)

func (u *uploads) Read(b []byte) (int, error) {
	if dir := u.opened; dir != "" {
		u.opened = ""
		if err := u.r.middle(dir); err != nil {
			return 0, err
		}
	}
	n, err := u.ReadWriteCloser.Read(b)
	const open = 3 // SSH_FXP_OPEN
	if found := openedPart.FindSubmatch(b[:n]); found != nil && b[0] == open {
		// What lies in the root itself is a look at the server's clock.
		_, u.opened, _ = strings.Cut(string(found[1]), u.r.root+"/")
	}
	return n, err
}
