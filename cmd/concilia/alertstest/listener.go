// Package alertstest has the receiver of pings and alerts that tests send to.
package alertstest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Listener is a server that receives pings and alerts.
type Listener struct {
	Server *httptest.Server

	mu     sync.Mutex
	came   []Request
	answer map[string]int // status by path; 200 where none is set
}

// Request is a request that came: its line, such as "POST /fail", and its body.
type Request struct{ Line, Body string }

// NewListener listens until the test ends.
func NewListener(t *testing.T) *Listener {
	l := &Listener{answer: map[string]int{}}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what did not arrive is missed below
		l.mu.Lock()
		defer l.mu.Unlock()
		l.came = append(l.came, Request{r.Method + " " + r.URL.RequestURI(), string(body)})
		status := l.answer[r.Method+" "+r.URL.Path]
		if status == 0 {
			status = http.StatusOK
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(l.Server.Close)
	return l
}

// AnswerWith sets the status that "METHOD /path" is answered with from now on.
func (l *Listener) AnswerWith(request string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer[request] = status
}

// TakeRequests returns the requests since the last call.
func (l *Listener) TakeRequests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.came
	l.came = nil
	return out
}

// JoinLines joins the lines of requests, in order.
func JoinLines(all []Request) string {
	var out []string
	for _, h := range all {
		out = append(out, h.Line)
	}
	return strings.Join(out, ", ")
}
