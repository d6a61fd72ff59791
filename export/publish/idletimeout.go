package publish

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// defaultIdleTimeout is longer than any server takes over one step of a publication: bringing a large file to a slow disk.
const defaultIdleTimeout = 2 * time.Minute

// idleTimeoutConn is a connection that is closed once nothing has gone over it, either way, for as long as a silence may last. A
// server that hangs takes a call and never answers it, which TCP alone does not mind for hours, and a night would wait
// with it. A connection that nobody uses is closed as well, and made anew when somebody does.
type idleTimeoutConn struct {
	net.Conn
	idleTimeout time.Duration
	timer       *time.Timer
	hung        atomic.Bool
}

// dialWithIdleTimeout connects as net.Dialer does, within dialTimeout.
func dialWithIdleTimeout(ctx context.Context, network, addr string, silence time.Duration) (*idleTimeoutConn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if silence <= 0 {
		silence = defaultIdleTimeout
	}
	w := &idleTimeoutConn{Conn: conn, idleTimeout: silence}
	w.timer = time.AfterFunc(silence, func() {
		w.hung.Store(true)
		_ = conn.Close()
	})
	return w, nil
}

func (w *idleTimeoutConn) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	return n, w.resetTimer(n, err)
}

func (w *idleTimeoutConn) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	return n, w.resetTimer(n, err)
}

// Close closes the connection.
func (w *idleTimeoutConn) Close() error {
	w.timer.Stop()
	return w.Conn.Close()
}

// resetTimer begins the silence anew where bytes moved, and names it in an error that comes of it.
func (w *idleTimeoutConn) resetTimer(n int, err error) error {
	switch {
	case err == nil && n > 0:
		w.timer.Reset(w.idleTimeout)
	case err != nil:
		return w.explainError(err)
	}
	return err
}

// explainError is the error of a connection that was closed because the server hung, and any other as it is.
func (w *idleTimeoutConn) explainError(err error) error {
	if err != nil && w.hung.Load() {
		return fmt.Errorf("the server hangs: it neither took nor sent a byte for %s: %w", w.idleTimeout, err)
	}
	return err
}
