package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// withClient runs fn on the connection, made if there is none. An end of ctx breaks it off; a connection that failed is
// dropped, so that the next use makes another.
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
		_ = s.client.Remove(part) // or it is swept another day
	}
	s.leftoverParts = nil
	return nil
}

// markLoginRefused marks an error of a server that lets the user in by none of the ways there are: asking again is of no use. The
// error has no type of its own.
func markLoginRefused(err error) error {
	if strings.Contains(err.Error(), "unable to authenticate") {
		return fmt.Errorf("%w%w", err, silentError{fs.ErrPermission})
	}
	return err
}

// sshConfig reads key and known hosts anew for every connection, so that changed files count.
func (s *SFTPServer) sshConfig() (*ssh.ClientConfig, error) {
	check, err := knownhosts.New(s.options.KnownHosts)
	if err != nil {
		return nil, fmt.Errorf("%w: known hosts: %w", ErrURL, err)
	}
	config := &ssh.ClientConfig{User: s.user, HostKeyCallback: check, Timeout: dialTimeout}
	if s.options.KeyFile != "" {
		text, err := os.ReadFile(s.options.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%w: sftp key: %w", ErrURL, err)
		}
		key, err := ssh.ParsePrivateKey(text)
		if err != nil {
			return nil, fmt.Errorf("%w: sftp key %s: %w", ErrURL, s.options.KeyFile, err)
		}
		config.Auth = append(config.Auth, ssh.PublicKeys(key))
	}
	if s.options.Password != "" {
		config.Auth = append(config.Auth, ssh.Password(s.options.Password))
	}
	return config, nil
}
