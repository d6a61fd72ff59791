package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"concilia/export/words"
)

// SFTPOptions are the settings of a server that are not part of its URL. KnownHosts is required: the client connects to no
// server whose key is not in it. KeyFile or Password is required too.
type SFTPOptions struct {
	KeyFile    string // private key, without passphrase
	Password   string
	KnownHosts string // file of known hosts, as OpenSSH writes it
}

// SFTPServer is a target below a directory of an SFTP server. One connection serves all; one that broke is made anew.
type SFTPServer struct {
	addr, user, dir string
	options         SFTPOptions
	private         bool
	silence         time.Duration

	mu            sync.Mutex
	raw           *idleTimeoutConn // nil with client and conn
	client        *sftp.Client
	conn          *ssh.Client
	leftoverParts []string // partial files left by a broken connection; the next one removes them
}

// dialTimeout bounds the way to the first answer of a server.
const dialTimeout = 20 * time.Second

// newSFTPServer parses sftp://user@host[:port]/path; a path that begins with /~/ is below the user's home directory.
func newSFTPServer(u *url.URL, all Options) (*SFTPServer, error) {
	o := all.SFTP
	_, password := u.User.Password()
	switch {
	case u.Hostname() == "" || u.User.Username() == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, newURLError("target_fault.sftp_form")
	case password:
		return nil, newURLError("target_fault.sftp_password")
	case o.KnownHosts == "":
		return nil, newURLError("target_fault.sftp_hosts")
	case o.KeyFile == "" && o.Password == "":
		return nil, newURLError("target_fault.sftp_login")
	}
	port := u.Port()
	if port == "" {
		port = "22"
	}
	dir := path.Clean("/" + u.Path)
	if rest, home := cutHomePrefix(dir); home {
		dir = rest
	}
	return &SFTPServer{
		addr: net.JoinHostPort(u.Hostname(), port), user: u.User.Username(), dir: dir,
		options: o, private: all.Private, silence: all.IdleTimeout,
	}, nil
}

// cutHomePrefix turns /~/x into x, which is relative to the user's home directory.
func cutHomePrefix(dir string) (string, bool) {
	const home = "/~"
	if dir == home {
		return ".", true
	}
	if len(dir) > len(home) && dir[:len(home)+1] == home+"/" {
		return dir[len(home)+1:], true
	}
	return dir, false
}

// Put publishes a file; see Target.
func (s *SFTPServer) Put(ctx context.Context, name, local string) error {
	if err := checkName(name); err != nil {
		return wrapTargetError("publish", name, err)
	}
	return wrapTargetError("publish", name, s.withClient(ctx, func(c *sftp.Client) error { return s.putFile(ctx, c, name, local) }))
}

func (s *SFTPServer) putFile(ctx context.Context, c *sftp.Client, name, local string) error {
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	source, at := localFile{file}, path.Join(s.dir, name)
	if err := s.makeDirs(c, path.Dir(at)); err != nil {
		return err
	}
	if _, err := c.Lstat(at); err == nil {
		sum, err := hashCopy(ctx, io.Discard, source)
		if err != nil {
			return err
		}
		return verifyPublishedSFTP(ctx, c, at, sum)
	}
	part := path.Join(path.Dir(at), partPrefix+rand.Text())
	// After a successful link this removes the second name, and after an error the partial file.
	defer func() {
		if err := c.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.leftoverParts = append(s.leftoverParts, part)
		}
	}()
	sum, err := s.writePart(ctx, c, part, source)
	if err != nil {
		return err
	}
	// A hard link fails if the name exists. On a server without hard links, another process may still use the name between
	// the check and the rename.
	if err := c.Link(part, at); err == nil {
		return nil
	}
	if _, err := c.Lstat(at); err == nil {
		return verifyPublishedSFTP(ctx, c, at, sum)
	}
	if _, ok := c.HasExtension("posix-rename@openssh.com"); ok {
		return c.PosixRename(part, at)
	}
	return c.Rename(part, at)
}

// makeDirs makes a directory and those above it.
func (s *SFTPServer) makeDirs(c *sftp.Client, dir string) error {
	if info, err := c.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := c.MkdirAll(dir); err != nil || !s.private {
		return err
	}
	return c.Chmod(dir, 0o700)
}

// writePart writes the partial file, syncs it where the server supports that, reads it back and compares the hashes.
func (s *SFTPServer) writePart(ctx context.Context, c *sftp.Client, part string, source io.Reader) (sum digest, err error) {
	to, err := c.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return sum, err
	}
	if s.private {
		err = to.Chmod(0o600)
	}
	if err == nil {
		sum, err = hashCopy(ctx, to, source)
	}
	if _, ok := c.HasExtension("fsync@openssh.com"); ok && err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return sum, err
	}
	back, err := hashFileSFTP(ctx, c, part)
	if err == nil && back != sum {
		err = words.NewFault("target_fault.read_back", "", "sum", sum, "back", back)
	}
	return sum, err
}

func hashFileSFTP(ctx context.Context, c *sftp.Client, at string) (digest, error) {
	file, err := c.Open(at)
	if err != nil {
		return digest{}, err
	}
	defer func() { _ = file.Close() }()
	return hashCopy(ctx, io.Discard, file)
}

// verifyPublishedSFTP compares a published file with the hash it should have; ErrTaken when they differ.
func verifyPublishedSFTP(ctx context.Context, c *sftp.Client, at string, sum digest) error {
	info, err := c.Lstat(at)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return words.NewFault("target_fault.taken_no_file", "", "taken", ErrTaken)
	}
	have, err := hashFileSFTP(ctx, c, at)
	if err == nil && have != sum {
		err = words.NewFault("target_fault.taken_hash", "", "taken", ErrTaken, "have", have, "want", sum)
	}
	return err
}

// Read reads a published file; see Target.
func (s *SFTPServer) Read(ctx context.Context, name string) (out []byte, err error) {
	if err := checkName(name); err != nil {
		return nil, wrapTargetError("read", name, err)
	}
	err = s.withClient(ctx, func(c *sftp.Client) error {
		file, err := c.Open(path.Join(s.dir, name))
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		out, err = io.ReadAll(io.LimitReader(file, maxRead+1))
		if err == nil && len(out) > maxRead {
			err = words.NewFault("target_fault.more", "", "most", maxRead)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, words.NewFault("target_fault.read", "", "name", name, "cause", err)
	}
	return out, wrapTargetError("read", name, err)
}

// Withdraw removes a file; see Target.
func (s *SFTPServer) Withdraw(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return wrapTargetError("withdraw", name, err)
	}
	err := s.withClient(ctx, func(c *sftp.Client) error {
		at := path.Join(s.dir, name)
		info, err := c.Lstat(at)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return ErrTaken
		}
		return c.Remove(at)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wrapTargetError("withdraw", name, err)
}

// Stage makes a directory on this machine, after the server has answered; see Target.
func (s *SFTPServer) Stage(ctx context.Context) (dir string, release func(), err error) {
	err = s.withClient(ctx, func(c *sftp.Client) error {
		if err := s.makeDirs(c, s.dir); err != nil {
			return err
		}
		return s.removeStaleParts(ctx, c)
	})
	if err != nil {
		return "", nil, wrapTargetError("stage", "", err)
	}
	return stageLocally(ctx)
}

// removeStaleParts removes partial files older than staleAfter, by the server's clock: it creates a file to learn the time.
func (s *SFTPServer) removeStaleParts(ctx context.Context, c *sftp.Client) error {
	probe := path.Join(s.dir, partPrefix+rand.Text())
	file, err := c.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() { _ = c.Remove(probe) }()
	if err := file.Close(); err != nil {
		return err
	}
	info, err := c.Stat(probe)
	if err != nil {
		return err
	}
	for walk := c.Walk(s.dir); walk.Step(); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if walk.Err() != nil || !strings.HasPrefix(path.Base(walk.Path()), partPrefix) {
			continue // a directory that cannot be read has no files of this program
		}
		if info.ModTime().Sub(walk.Stat().ModTime()) > staleAfter {
			_ = c.Remove(walk.Path())
		}
	}
	return nil
}

var _ Target = (*SFTPServer)(nil)

// withClient runs fn with a connected client. When ctx ends, the connection is closed; a connection that failed is
// dropped, so that the next call opens another.
func (s *SFTPServer) withClient(ctx context.Context, fn func(*sftp.Client) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureConnection(ctx); err != nil {
		return err
	}
	raw, conn := s.raw, s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := fn(s.client)
	if !stop() || errors.Is(err, sftp.ErrSSHFxConnectionLost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.closeConnection()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return raw.explainError(err)
}

func (s *SFTPServer) closeConnection() {
	if s.client != nil {
		_ = s.client.Close()
		_ = s.conn.Close()
		s.raw, s.client, s.conn = nil, nil, nil
	}
}

func (s *SFTPServer) ensureConnection(ctx context.Context) error {
	if s.client != nil {
		conn := s.conn
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		_, err := s.client.Getwd()
		if stop() && err == nil {
			return nil
		}
		s.closeConnection()
	}
	config, err := s.sshConfig()
	if err != nil {
		return err
	}
	raw, err := dialWithIdleTimeout(ctx, "tcp", s.addr, s.silence)
	if err != nil {
		return err
	}
	// The handshake has no context of its own.
	greeting, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	stop := context.AfterFunc(greeting, func() { _ = raw.Close() })
	defer stop()
	conn, channels, requests, err := ssh.NewClientConn(raw, s.addr, config)
	if err != nil {
		_ = raw.Close()
		return markLoginRefused(raw.explainError(err))
	}
	s.raw, s.conn = raw, ssh.NewClient(conn, channels, requests)
	if s.client, err = sftp.NewClient(s.conn); err != nil {
		_ = s.conn.Close()
		s.raw, s.client, s.conn = nil, nil, nil
		return raw.explainError(err)
	}
	for _, part := range s.leftoverParts {
		_ = s.client.Remove(part) // on an error, removeStaleParts removes it later
	}
	s.leftoverParts = nil
	return nil
}

// markLoginRefused adds fs.ErrPermission to the error of a refused login, so that it is not retried. Package ssh has no
// type for that error, so its text is compared.
func markLoginRefused(err error) error {
	if strings.Contains(err.Error(), "unable to authenticate") {
		return fmt.Errorf("%w%w", err, silentError{fs.ErrPermission})
	}
	return err
}

// sshConfig reads the key and the known hosts again for every connection, so that changed files take effect.
func (s *SFTPServer) sshConfig() (*ssh.ClientConfig, error) {
	check, err := knownhosts.New(s.options.KnownHosts)
	if err != nil {
		return nil, newURLError("target_fault.sftp_known", "cause", err)
	}
	config := &ssh.ClientConfig{User: s.user, HostKeyCallback: check, Timeout: dialTimeout}
	if s.options.KeyFile != "" {
		text, err := os.ReadFile(s.options.KeyFile)
		if err != nil {
			return nil, newURLError("target_fault.sftp_key", "cause", err)
		}
		key, err := ssh.ParsePrivateKey(text)
		if err != nil {
			return nil, newURLError("target_fault.sftp_key_of", "path", s.options.KeyFile, "cause", err)
		}
		config.Auth = append(config.Auth, ssh.PublicKeys(key))
	}
	if s.options.Password != "" {
		config.Auth = append(config.Auth, ssh.Password(s.options.Password))
	}
	return config, nil
}
