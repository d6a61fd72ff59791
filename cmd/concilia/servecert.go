package main

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// certificate is the pair of files of a certificate, read again when they change: certificates are renewed while the
// receiver runs.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed [2]time.Time // when the files loaded had changed last
}

// get is the certificate of the files as they are now. A renewal that is under way, or went wrong, leaves the one
// before in force.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
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
