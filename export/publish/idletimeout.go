package publish

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"concilia/export/words"
)

// defaultIdleTimeout is longer than the longest step of a publication: syncing a large file to a slow disk.
const defaultIdleTimeout = 2 * time.Minute

// idleTimeoutConn is a connection that is closed when no byte has gone over it, either way, for the idle timeout. Without
// it, a server that accepts a request and never answers would block the run for hours, since TCP reports no error. An
// unused connection is closed as well; the next use opens another.
type idleTimeoutConn struct {
	net.Conn
	idleTimeout time.Duration
	timer       *time.Timer
	hung        atomic.Bool
}

// dialWithIdleTimeout connects like net.Dialer, within dialTimeout.
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

// resetTimer restarts the idle timeout after bytes were transferred, and explains an error.
func (w *idleTimeoutConn) resetTimer(n int, err error) error {
	switch {
	case err == nil && n > 0:
		w.timer.Reset(w.idleTimeout)
	case err != nil:
		return w.explainError(err)
	}
	return err
}

// explainError replaces the error of a connection that the idle timeout closed by one that says so; others stay as they
// are.
func (w *idleTimeoutConn) explainError(err error) error {
	if err != nil && w.hung.Load() {
		return words.NewFault("target_fault.hangs", "", "pause", w.idleTimeout, "cause", err)
	}
	return err
}
