package publish_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/export/publish"
)

// TestServerHangs: a server that accepts a request and never answers is an error with its name after the idle timeout.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	const silence = 300 * time.Millisecond
	end := make(chan struct{})
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			<-end
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(bucket.Close)
	t.Cleanup(func() { close(end) }) // first: a server waits for its handlers
	s := newKeys(t)
	addr := s.serve(t)
	s.oversee(func(request []byte) error {
		if bytes.Contains(request, []byte(".part-")) {
			<-end
		}
		return nil
	})
	for _, c := range []struct {
		name, url string
		options   publish.Options
	}{
		{"s3", "s3://settlement/x?region=us-east-1&endpoint=" + bucket.URL, publish.Options{
			S3: publish.S3Options{AccessKey: "access", SecretKey: "secret-key"},
		}},
		{"sftp", "sftp://who@" + addr + filepath.Join(t.TempDir(), "srv"), publish.Options{
			SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, s.host)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.IdleTimeout = silence
			target, err := publish.Open(c.url, c.options)
			must(t, err)
			err = target.Put(t.Context(), "a.csv", local(t, strings.Repeat("x", 1<<20)))
			if !errors.Is(err, publish.ErrUnreachable) || !strings.Contains(err.Error(), "the server hangs") {
				t.Errorf("put on a server that hangs: %v", err)
			}
		})
	}
}

// TestSilenceIsNoHaste: a server that is slow over a file, and not silent, is waited for.
func TestSilenceIsNoHaste(t *testing.T) {
	t.Parallel()
	const silence = 3 * time.Second // more than a busy machine needs for one step
	s := newKeys(t)
	addr := s.serve(t)
	began := time.Now()
	s.oversee(func([]byte) error {
		time.Sleep(silence / 50)
		return nil
	})
	target, err := publish.Open("sftp://who@"+addr+filepath.Join(t.TempDir(), "srv"), publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, s.host)}, IdleTimeout: silence,
	})
	must(t, err)
	must(t, target.Put(t.Context(), "a.csv", local(t, strings.Repeat("x", 300<<10))))
	if took := time.Since(began); took < silence {
		t.Errorf("it took %s: nothing was slow here", took)
	}
}

// TestPartOfBrokenLine: what a line that broke in the middle of a file left on the server goes with the next file, and not
// with the next day.
func TestPartOfBrokenLine(t *testing.T) {
	t.Parallel()
	s := newKeys(t)
	addr, dir := s.serve(t), t.TempDir()
	var once sync.Once
	parts := 0
	s.oversee(func(request []byte) (err error) {
		if bytes.Contains(request, []byte(".part-")) {
			parts++
			return nil
		}
		if parts > 0 {
			once.Do(func() { err = io.ErrUnexpectedEOF })
		}
		return err
	})
	target, err := publish.Open("sftp://who@"+addr+dir, publish.Options{
		SFTP: publish.SFTPOptions{KeyFile: s.userKey, KnownHosts: s.known(t, addr, s.host)},
	})
	must(t, err)
	file := local(t, strings.Repeat("x", 1<<20))
	if err := target.Put(t.Context(), "1001/a.csv", file); !errors.Is(err, publish.ErrUnreachable) {
		t.Fatalf("put over a line that broke: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "1001", ".part-*")); len(left) != 1 {
		t.Fatalf("the line left %v", left)
	}
	must(t, target.Put(t.Context(), "1001/a.csv", file))
	if left, err := filepath.Glob(filepath.Join(dir, "1001", ".*")); err != nil || len(left) > 0 {
		t.Errorf("%v are left of the line that broke, %v", left, err)
	}
}

// TestRefusedKeys: refused keys are an error with a hint and without the keys, and it is fs.ErrPermission, since a retry is
// of no use.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	s, others := newKeys(t), newKeys(t)
	addr := s.serve(t)
	for _, c := range []struct {
		name string
		open func(t *testing.T) (publish.Target, error)
	}{
		{"s3, a wrong secret key", func(t *testing.T) (publish.Target, error) {
			return publish.Open("s3://settlement/x?region=us-east-1&endpoint="+s3Server(t), publish.Options{
				S3: publish.S3Options{AccessKey: "access", SecretKey: "very-secret"},
			})
		}},
		{"s3, a user nobody knows", func(t *testing.T) (publish.Target, error) {
			return publish.Open("s3://settlement/x?region=us-east-1&endpoint="+s3Server(t), publish.Options{
				S3: publish.S3Options{AccessKey: "nobody", SecretKey: "very-secret"},
			})
		}},
		{"sftp, another's key", func(t *testing.T) (publish.Target, error) {
			return publish.Open("sftp://who@"+addr+t.TempDir(), publish.Options{
				SFTP: publish.SFTPOptions{KeyFile: others.userKey, KnownHosts: s.known(t, addr, s.host)},
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target, err := c.open(t)
			must(t, err)
			_, _, staged := target.Stage(t.Context())
			for _, err := range []error{staged, target.Put(t.Context(), "a.csv", local(t, "x"))} {
				if !errors.Is(err, publish.ErrUnreachable) || !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "very-secret") {
					t.Errorf("refused: %v", err)
				}
				hints(t, err, "hint.target_permission")
			}
		})
	}
}

// hints fails unless an error has a hint with that text.
func hints(t *testing.T, err error, what string) {
	t.Helper()
	var told *publish.Error
	if !errors.As(err, &told) || !strings.Contains(told.Hint(), what) {
		t.Errorf("%v: hints nothing of %q", err, what)
	}
}

// TestHalvesOfUploads: of the uploads that are half done only those are given up that are old and below the target, one by
// one: another process may be at the same name, and a neighbour at a longer one.
func TestHalvesOfUploads(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 6, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	var given, asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch q := r.URL.Query(); {
		case r.Method == http.MethodGet && q.Has("uploads"):
			asked = append(asked, q.Get("prefix"))
			fmt.Fprint(w, "<ListMultipartUploadsResult><Bucket>settlement</Bucket>")
			for _, u := range []struct {
				id string
				at time.Time
			}{{"dead", now.Add(-13 * time.Hour)}, {"alive", now.Add(-time.Minute)}} {
				fmt.Fprintf(w, "<Upload><Key>srv/a.csv</Key><UploadId>%s</UploadId><Initiated>%s</Initiated></Upload>", u.id, u.at.Format(time.RFC3339))
			}
			fmt.Fprint(w, "</ListMultipartUploadsResult>")
		case r.Method == http.MethodDelete:
			given = append(given, q.Get("uploadId"))
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	target, err := publish.Open("s3://settlement/srv?region=us-east-1&endpoint="+server.URL, publish.Options{
		S3: publish.S3Options{AccessKey: "access", SecretKey: "secret-key"}, Now: func() time.Time { return now },
	})
	must(t, err)
	_, release, err := target.Stage(t.Context())
	must(t, err)
	release()
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(given, []string{"dead"}) || !slices.Contains(asked, "srv/") || slices.Contains(asked, "srv") {
		t.Errorf("given up %v, asked below %v", given, asked)
	}
}
