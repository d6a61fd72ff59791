package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// with runs fn on the connection, made if there is none. An end of ctx breaks it off; a connection that failed is
// dropped, so that the next use makes another.
func (s *Server) with(ctx context.Context, fn func(*sftp.Client) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.dial(ctx); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.conn.Close() })
	err := fn(s.client)
	if !stop() || errors.Is(err, sftp.ErrSSHFxConnectionLost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.drop()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *Server) drop() {
	if s.client != nil {
		_ = s.client.Close()
		_ = s.conn.Close()
		s.client, s.conn = nil, nil
	}
}

func (s *Server) dial(ctx context.Context) error {
	if s.client != nil {
		if _, err := s.client.Getwd(); err == nil {
			return nil
		}
		s.drop()
	}
	config, err := s.login()
	if err != nil {
		return err
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	raw, err := dialer.DialContext(ctx, "tcp", s.addr)
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
		return errors.Join(err, raw.Close())
	}
	s.conn = ssh.NewClient(conn, channels, requests)
	if s.client, err = sftp.NewClient(s.conn); err != nil {
		err = errors.Join(err, s.conn.Close())
		s.conn = nil
	}
	return err
}

// login reads key and known hosts anew for every connection, so that changed files count.
func (s *Server) login() (*ssh.ClientConfig, error) {
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
