//go:build unix

package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// remote is a real server that files are published to. A test may stop uploads in the middle, and take it off the net.
type remote struct {
	env  []string // variables that tell a process how to reach it
	root string   // where published files lie on this machine

	mu     sync.Mutex
	upload func(dir string) error // called in the middle of each upload; an error breaks the connection off
	down   bool
	open   []net.Conn // sftp only
}

// onUpload has fn called in the middle of every upload, with the directory of the file. nil: nothing is.
func (r *remote) onUpload(fn func(dir string) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.upload = fn
}

func (r *remote) middle(dir string) error {
	r.mu.Lock()
	fn := r.upload
	r.mu.Unlock()
	if fn == nil {
		return nil
	}
	return fn(dir)
}

// setDown takes the server off the net, or puts it there again.
func (r *remote) setDown(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = down
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

func (r *remote) isDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down
}

// newRemoteS3 is a bucket on a real S3 server, behind a proxy of the test's.
func newRemoteS3(t *testing.T) *remote {
	t.Helper()
	b := newBucket(t)
	b.start()
	target, err := url.Parse("http://" + b.addr)
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{root: filepath.Join(b.dir, "settlement", "srv")}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = p.In.Host // it is signed
		},
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if r.isDown() {
			panic(http.ErrAbortHandler)
		}
		if name, ok := strings.CutPrefix(q.URL.Path, "/settlement/srv/"); ok && q.Method == http.MethodPut {
			q.Body = &halfway{ReadCloser: q.Body, left: q.ContentLength / 2, then: func() error { return r.middle(path.Dir(name)) }}
		}
		proxy.ServeHTTP(w, q)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	keys := t.TempDir()
	r.env = []string{
		"CONCILIA_REPORTS_OUT=s3://settlement/srv", "CONCILIA_REPORTS_S3_ENDPOINT=" + server.URL, "CONCILIA_REPORTS_S3_REGION=us-east-1",
		"CONCILIA_REPORTS_S3_ACCESS_KEY_FILE=" + secretFile(t, keys, "access", "access"),
		"CONCILIA_REPORTS_S3_SECRET_KEY_FILE=" + secretFile(t, keys, "secret", "secret-key"),
	}
	return r
}

func secretFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// halfway is a body that calls then once, after so many bytes.
type halfway struct {
	io.ReadCloser
	left int64
	then func() error
}

func (h *halfway) Read(b []byte) (int, error) {
	if h.left <= 0 && h.then != nil {
		then := h.then
		h.then = nil
		if err := then(); err != nil {
			return 0, err
		}
	}
	if h.then != nil {
		b = b[:min(int64(len(b)), h.left)]
	}
	n, err := h.ReadCloser.Read(b)
	h.left -= int64(n)
	return n, err
}
