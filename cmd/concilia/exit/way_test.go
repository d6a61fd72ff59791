package exit_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/export/publish"
	"concilia/export/words"
	"concilia/jobs/api"
	"concilia/store"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// certificate is one that signs itself, of a host, until an instant.
func certificate(t *testing.T, host string, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plan := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until, DNSNames: []string{host}}
	if ip := net.ParseIP(host); ip != nil {
		plan.DNSNames, plan.IPAddresses = nil, []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, plan, plan, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// listen serves connections with a certificate, of a database after the bytes with which one asks for TLS.
func listen(t *testing.T, shown tls.Certificate, database bool) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if database {
				_, _ = io.CopyN(io.Discard, c, 8)
				_, _ = c.Write([]byte("S"))
			}
			_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{shown}, MinVersion: tls.VersionTLS12}).Handshake()
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// hold asks that an error is of the environment, says what it is once and has the hint.
func hold(t *testing.T, err error, says, hint string) {
	t.Helper()
	if err == nil {
		t.Fatal("nothing failed")
	}
	if code := exit.CodeOf(err); code != exit.Unreachable {
		t.Errorf("it ends with %d: %v", code, err)
	}
	if n := strings.Count(err.Error(), says); n != 1 {
		t.Errorf("it says %q %d times: %v", says, n, err)
	}
	if got := exit.HintOf(err, view.English); !strings.Contains(got, hint) {
		t.Errorf("%v\nhas the hint %q, not %q", err, got, hint)
	}
}

// TestCertificates: a certificate that is not trusted, out of date or of another host is named, of the service, the database and the
// target alike, with what to do. The hint used to be about addresses.
func TestCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, row := range []struct {
		because, host string
		until         time.Time
		says, hint    string
	}{
		{"signed by nobody known", "127.0.0.1", now.Add(time.Hour), "unknown authority", "SSL_CERT_FILE"},
		{"out of date", "127.0.0.1", now.Add(-time.Hour), "expired", "out of date"},
		{"of another host", "10.1.2.3", now.Add(time.Hour), "valid for 10.1.2.3", "of another host"},
	} {
		shown := certificate(t, row.host, row.until)
		for where, ask := range map[string]func(ctx context.Context) error{
			"service": func(ctx context.Context) error {
				return askService(ctx, http.DefaultTransport, "https://"+listen(t, shown, false))
			},
			"database": func(ctx context.Context) error {
				l, err := store.Open(ctx, "postgres://u@"+listen(t, shown, true)+"/d?sslmode=verify-full&connect_timeout=60")
				if err == nil {
					_, _, err = l.Migrate(ctx)
					_ = l.Close()
				}
				return err
			},
			"target": func(ctx context.Context) error {
				target, err := publish.Open("s3://bucket/x?region=us-east-1&endpoint=https://"+listen(t, shown, false), publish.Options{
					S3: publish.S3Options{AccessKey: "a", SecretKey: "b"},
				})
				if err == nil {
					_, err = target.Stat(ctx, "1001/x")
				}
				return err
			},
		} {
			t.Run(row.because+"/"+where, func(t *testing.T) {
				t.Parallel()
				hold(t, ask(t.Context()), row.says, row.hint)
			})
		}
	}
}

// askService is a request that fails as the service's client tells it.
func askService(ctx context.Context, by http.RoundTripper, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := by.RoundTrip(req)
	if err == nil {
		_ = res.Body.Close()
		return nil
	}
	return fmt.Errorf("nothing could be pulled: %w", &api.Error{Operation: words.NewMessage("call.login", "family", api.Integration), Err: err})
}

// TestProxies: a proxy that is not there, or wants to know who asks, is named.
func TestProxies(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refusing.Close)
	for _, row := range []struct{ because, proxy, says, hint string }{
		{"nobody listens", "http://127.0.0.1:1", "proxyconnect", "does not answer"},
		{"it wants a password", refusing.URL, "Proxy Authentication Required", "NAME:PASSWORD"},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			at, err := url.Parse(row.proxy)
			if err != nil {
				t.Fatal(err)
			}
			hold(t, askService(t.Context(), &http.Transport{Proxy: http.ProxyURL(at)}, "https://service.example/"), row.says, row.hint)
		})
	}
}

// TestTemporaryFolder: what is on its way to a bucket lies among the temporary files first; where there is no folder for them, that is said.
func TestTemporaryFolder(t *testing.T) {
	bucket := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // there it is
	t.Cleanup(bucket.Close)
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	target, err := publish.Open("s3://bucket/x?region=us-east-1&endpoint="+bucket.URL, publish.Options{
		S3: publish.S3Options{AccessKey: "a", SecretKey: "b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = target.Stage(t.Context())
	hold(t, err, "temporary files", "TMPDIR")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, why := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES} {
		at := filepath.Join(dir, "concilia-staging-1-2-3", "sheet-1.part")
		hold(t, fmt.Errorf("set: %w", &fs.PathError{Op: "write", Path: at, Err: why}), at, "TMPDIR")
	}
	if err := error(&fs.PathError{Op: "write", Path: filepath.Join(dir, "reports", "a.csv"), Err: syscall.ENOSPC}); publish.IsTemporary(err) {
		t.Errorf("somebody's own folder among the temporary files is taken for ours: %v", err)
	}
	hold(t, &sqldb.UnavailableError{Err: fmt.Errorf("sort: %w", sqlite.ResultIOErrGetTempPath.ToError())}, "sort", "TMPDIR")
}

// TestHintsOfPlaces: what to do about the archive and the target is said of the right one, in both languages; a certificate comes first.
func TestHintsOfPlaces(t *testing.T) {
	t.Parallel()
	full := &publish.Error{Op: "publish", Name: "a", Err: syscall.ENOSPC}
	for _, row := range []struct {
		because string
		err     error
		en, pt  string
	}{
		{"a full target", full, "check reports.out: make room on the target,", "confira reports.out: libere espaço no destino"},
		{"a full archive", &publish.ArchiveError{Place: "x", Err: full}, "check reports.archive: make room on the archive,", "confira reports.archive: libere espaço no acervo"},
		{"an archive of another ledger", &publish.ArchiveError{Place: "x", Err: publish.ErrName}, "check reports.archive: mount it", "confira reports.archive: monte-o"},
		{
			"an archive with a strange certificate", &publish.ArchiveError{Place: "x", Err: &publish.Error{Op: "read", Err: x509.UnknownAuthorityError{}}},
			"SSL_CERT_FILE", "SSL_CERT_FILE",
		},
		{"nothing known", publish.ErrName, "", ""},
	} {
		en, pt := exit.HintOf(row.err, view.English), exit.HintOf(row.err, view.Portuguese)
		if !strings.Contains(en, row.en) || !strings.Contains(pt, row.pt) || row.en == "" && en+pt != "" {
			t.Errorf("%s: %q and %q", row.because, en, pt)
		}
	}
}

// TestTextsOfFailures: what holds an account or the ledger is said in both languages, within whatever was being done; the cause stays.
func TestTextsOfFailures(t *testing.T) {
	t.Parallel()
	locked := &runs.LockedError{Account: 1001, Holder: "r1", Since: time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC)}
	for _, row := range []struct {
		err    error
		en, pt string
	}{
		{
			fmt.Errorf("reconcile: %w", locked), "reconcile: " + locked.Error(),
			"reconcile: a conta 1001 está em uso pela execução r1 desde 2026-11-18T08:00:00Z: espere que termine, ou encerre-a",
		},
		{&sqldb.UnavailableError{Err: syscall.EIO}, "the ledger is not available: input/output error", "o banco de dados não está disponível: falha no disco (input/output error)"},
		{syscall.EIO, "input/output error", "falha no disco (input/output error)"},
	} {
		if en, pt := exit.TextOf(row.err, view.English), exit.TextOf(row.err, view.Portuguese); en != row.en || pt != row.pt {
			t.Errorf("%v: %q and %q", row.err, en, pt)
		}
	}
}
