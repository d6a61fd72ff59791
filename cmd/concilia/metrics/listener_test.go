package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"
)

// TestHealth: what does not hold is said, a line each; a process that answers lives.
func TestHealth(t *testing.T) {
	t.Parallel()
	var first, second error
	w := &Listener{
		Meters: NewMeters(), Log: zerolog.Nop(),
		Ready: []Check{
			{Name: "schedule", Holds: func(context.Context) error { return first }},
			{Name: "ledger", Holds: func(context.Context) error { return second }},
			{Name: "inbox", Holds: func(context.Context) error { return nil }},
		},
	}
	server := httptest.NewServer(w.NewHandler())
	t.Cleanup(server.Close)
	for _, c := range []struct {
		name          string
		first, second error
		readyz        string
	}{
		{"all is well", nil, nil, "200 ok\n"},
		{"the ledger is gone", nil, errors.New("the disk is full"), "503 ledger: the disk is full\n"},
		{"nothing moves", errors.New("stands"), errors.New("gone"), "503 schedule: stands\nledger: gone\n"},
	} {
		first, second = c.first, c.second
		for path, want := range map[string]string{"/livez": "200 ok\n", "/readyz": c.readyz} {
			res, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if got := res.Status[:4] + string(body); got != want || err != nil {
				t.Errorf("%s: %s answers %q, want %q", c.name, path, got, want)
			}
		}
	}
	if res, err := http.Post(server.URL+"/metrics", "", nil); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST is answered %v, %v", res, err)
	}
}

// TestMetricsAnswerToKnownHosts: behind a loopback address only addresses and localhost are answered, whatever port they name;
// elsewhere names are the operator's.
func TestMetricsAnswerToKnownHosts(t *testing.T) {
	t.Parallel()
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, row := range []struct {
		says, ip, host string
		status         int
	}{
		{"an address", "127.0.0.1", "127.0.0.1:9464", http.StatusOK},
		{"an address of version 6", "::1", "[::1]:9464", http.StatusOK},
		{"localhost", "127.0.0.1", "localhost", http.StatusOK},
		{"a name that somebody pointed here", "127.0.0.1", "evil.example:9464", http.StatusMisdirectedRequest},
		{"a name where every address is listened on", "0.0.0.0", "worker-1:9464", http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = row.host
		w := httptest.NewRecorder()
		onlyKnownHosts(&net.TCPAddr{IP: net.ParseIP(row.ip)}, inner).ServeHTTP(w, r)
		if w.Code != row.status {
			t.Errorf("%s: %d", row.says, w.Code)
		}
	}
}
