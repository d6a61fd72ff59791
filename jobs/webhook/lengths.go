package webhook

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// WatchLengths lets a receiver refuse requests that have two lengths: the connections of the listener it returns remember whether
// the head of a request had both Content-Length and Transfer-Encoding. A server and a proxy before it may take such a request
// for two different ones (RFC 9112, section 6.3), and net/http shows only one of the two. The server needs RememberConnection as its
// ConnContext. Below TLS nothing can be seen: there the connection just ends after the request.
func WatchLengths(l net.Listener) net.Listener { return lengthListener{l} }

// RememberConnection makes the connection of a request known to the handler.
func RememberConnection(ctx context.Context, c net.Conn) context.Context {
	if watched, ok := c.(*lengthConn); ok {
		return context.WithValue(ctx, connectionKey{}, watched)
	}
	return ctx
}

type connectionKey struct{}

// hasTwoLengths reports whether the request is known to have a length besides its chunks, after which its connection ends.
func hasTwoLengths(r *http.Request) bool {
	c, ok := r.Context().Value(connectionKey{}).(*lengthConn)
	return ok && len(r.TransferEncoding) > 0 && c.twoLengths.Load()
}

type lengthListener struct{ net.Listener }

func (l lengthListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lengthConn{Conn: c}, nil
}

// longestLine is how much of a line of a head is looked at: more than the two headers need.
const longestLine = 64

// lengthConn follows the heads and bodies that are read from a connection.
type lengthConn struct {
	net.Conn
	twoLengths atomic.Bool // a head had both headers

	// These are used by one reader at a time.
	line       []byte // the beginning of the head's line that is being read
	begun      bool   // the head has lines
	hasLength  bool   // the head has Content-Length
	hasChunks  bool   // the head has Transfer-Encoding
	bodyLength int64  // what Content-Length says
	bodyLeft   int64  // bytes until the next head; -1: none comes
}

func (c *lengthConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.followRequests(p[:max(n, 0)])
	return n, err
}

// followRequests notes which heads have both headers.
func (c *lengthConn) followRequests(b []byte) {
	for len(b) > 0 && c.bodyLeft >= 0 {
		if c.bodyLeft > 0 {
			skipped := min(c.bodyLeft, int64(len(b)))
			c.bodyLeft, b = c.bodyLeft-skipped, b[skipped:]
			continue
		}
		if b[0] == '\n' {
			c.endLine()
		} else if len(c.line) < longestLine {
			c.line = append(c.line, b[0])
		}
		b = b[1:]
	}
}

// endLine notes what a line of a head says; an empty one ends the head.
func (c *lengthConn) endLine() {
	line := strings.TrimSuffix(string(c.line), "\r")
	c.line = c.line[:0]
	if line != "" {
		c.begun = true
		switch name, value, _ := strings.Cut(line, ":"); strings.ToLower(name) {
		case "content-length":
			c.hasLength = true
			c.bodyLength, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64) // what is no number, net/http refuses
		case "transfer-encoding":
			c.hasChunks = true
		}
		return
	}
	if !c.begun {
		return
	}
	if c.hasLength && c.hasChunks {
		c.twoLengths.Store(true)
	}
	c.bodyLeft = max(0, c.bodyLength)
	if c.hasChunks {
		c.bodyLeft = -1 // the receiver ends the connection after it
	}
	c.begun, c.hasLength, c.hasChunks, c.bodyLength = false, false, false, 0
}
