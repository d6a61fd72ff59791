package webhook

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// ConnectionLimits bound the open connections of a receiver, so that idle ones cannot take the file descriptors that the
// rest of the process needs.
type ConnectionLimits struct {
	Total      int // of all clients together; 0: no bound
	PerAddress int // of one client address; 0: no bound
	// TrustedProxies are not bound by PerAddress: they speak for many clients.
	TrustedProxies []netip.Prefix
	OnRefused      func() // after a connection was refused; nil: no call
}

// LimitConnections returns a listener that closes at once what goes beyond the limits, and accepts on.
func LimitConnections(l net.Listener, limits ConnectionLimits) net.Listener {
	return &limitedListener{Listener: l, limits: limits, open: make(map[netip.Addr]int)}
}

type limitedListener struct {
	net.Listener

	limits ConnectionLimits
	mu     sync.Mutex
	total  int
	open   map[netip.Addr]int
}

// Accept waits for the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := peerAddress(conn)
		if l.countConnection(client) {
			return &countedConn{Conn: conn, leave: sync.OnceFunc(func() { l.uncountConnection(client) })}, nil
		}
		_ = conn.Close()
		if l.limits.OnRefused != nil {
			l.limits.OnRefused()
		}
	}
}

// peerAddress is the address that a connection comes from; all that have none count as one.
func peerAddress(conn net.Conn) netip.Addr {
	if a, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
		return a.Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

func (l *limitedListener) countConnection(client netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isProxy := slices.ContainsFunc(l.limits.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(client) })
	switch {
	case l.limits.Total > 0 && l.total >= l.limits.Total:
		return false
	case l.limits.PerAddress > 0 && !isProxy && l.open[client] >= l.limits.PerAddress:
		return false
	}
	l.total++
	l.open[client]++
	return true
}

func (l *limitedListener) uncountConnection(client netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.open[client]--; l.open[client] == 0 {
		delete(l.open, client)
	}
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn

	leave func()
}

// Close closes the connection and no longer counts it.
func (c *countedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

const (
	// loggedPerMinute is how many refused requests of one client are logged in a minute. All are counted.
	loggedPerMinute = 10
	// loggedClients is how many clients have a limit of their own; all others share one.
	loggedClients = 1000
)

// refusalLog decides which refused requests are logged, so that requests without a key cannot fill the log.
type refusalLog struct {
	mu      sync.Mutex
	minute  time.Time
	lines   map[string]int
	skipped int
}

// admitLine says whether a refused request of the client is logged, and how many were not since the last that was.
func (r *refusalLog) admitLine(client string, now time.Time) (ok bool, skipped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if minute := now.Truncate(time.Minute); r.lines == nil || !minute.Equal(r.minute) {
		r.minute, r.lines = minute, make(map[string]int)
	}
	if _, known := r.lines[client]; !known && len(r.lines) >= loggedClients {
		client = ""
	}
	if r.lines[client]++; r.lines[client] > loggedPerMinute {
		r.skipped++
		return false, 0
	}
	skipped, r.skipped = r.skipped, 0
	return true, skipped
}
