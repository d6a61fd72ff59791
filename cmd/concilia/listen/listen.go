package listen

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// headerTimeout and idleTimeout bound what a sender may do without sending; a body has webhook.BodyTimeout.
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	// AnswerTimeout bounds a whole request. The service waits 30 s (interface document, Events).
	AnswerTimeout = 30 * time.Second
	// maxHeader is far above what a notification carries.
	maxHeader = 16 << 10
)

// ServeUntil serves until ctx ends, then answers what had begun.
func ServeUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			failed <- server.ServeTLS(listener, "", "")
		} else {
			failed <- server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("serve at %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), AnswerTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		// A client that has not sent a whole request by now gets no answer, and sends again.
		_ = server.Close()
	}
	return nil
}

// ParseNetworks reads addresses and networks; an address is a network of one.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("trusted_proxies: %w", err)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		out = append(out, p)
	}
	return out, nil
}

// complaints are the server's own: a handshake that failed, a connection that broke.
type complaints struct{ logger zerolog.Logger }

func (c complaints) Write(p []byte) (int, error) {
	c.logger.Warn().Msg(string(p))
	return len(p), nil
}

// certificate is the pair of files of a certificate, read again when they change: certificates are renewed while the
// receiver runs.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed [2]time.Time // when the files loaded had changed last
}

// getCertificate is the certificate of the files as they are now. A renewal that is under way, or went wrong, leaves the one
// before in force.
func (c *certificate) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var changed [2]time.Time
	for i, path := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(path); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if c.loaded != nil && changed == c.changed {
		return c.loaded, nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	switch {
	case err == nil:
		c.loaded, c.changed = &pair, changed
	case c.loaded == nil:
		return nil, err
	}
	return c.loaded, nil
}

// NewServer is a server with the limits of this program; what it has to say goes to the log.
func NewServer(handler http.Handler, logger zerolog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: AnswerTimeout, WriteTimeout: AnswerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: NewErrorLog(logger),
	}
}

// NewErrorLog takes what a server of net/http has to say.
func NewErrorLog(logger zerolog.Logger) *log.Logger { return log.New(complaints{logger}, "", 0) }

// UseCertificate lets a server speak TLS with the certificate of two files, which are read again when they change.
func UseCertificate(server *http.Server, certFile, keyFile string) error {
	keys := &certificate{certFile: certFile, keyFile: keyFile}
	if _, err := keys.getCertificate(nil); err != nil {
		return err
	}
	server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: keys.getCertificate}
	return nil
}
