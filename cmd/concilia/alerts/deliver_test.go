package alerts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"concilia/config"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// turning is a server that redirects requests for /STATUS/… to /there with that status, and keeps what came.
type turning struct {
	*httptest.Server
	mu    sync.Mutex
	heard []string // method, path and body
	from  []string // Referer of what came to /there
}

func newTurning(t *testing.T) *turning {
	s := &turning{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what did not arrive is missed below
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, body))
		if r.URL.Path == "/there" {
			s.from = append(s.from, r.Header.Get("Referer"))
			return
		}
		if r.URL.Path == "/round" {
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
			return
		}
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d/", &status) // of nothing it is none, and the server says so
		http.Redirect(w, r, "/there", status)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAlertLostInARedirect: a hook that redirects a POST so that it becomes a GET of some page has not been notified, and
// where a redirect leads never learns the secret address.
func TestAlertLostInARedirect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, path, body string
		err              string
		last             string
		comes            int
	}{
		{"a POST that became a GET is not delivered", "/302/secret", "it", "answered 302 found", "POST /302/secret it", 2},
		{"nor one that is to see another page", "/303/secret", "it", "answered 303 see other", "POST /303/secret it", 2},
		{"nor one that moved for good", "/301/secret", "it", "answered 301 moved permanently", "POST /301/secret it", 2},
		{"a redirect that keeps the message is followed", "/307/secret", "it", "", "POST /there it", 2},
		{"for good, too", "/308/secret", "it", "", "POST /there it", 2},
		{"a GET has nothing to lose", "/302/secret", "", "", "GET /there ", 2},
		{"round and round is no answer", "/round", "it", "answered 307 temporary redirect", "POST /round it", 2 * (maxRedirects + 1)},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			s := newTurning(t)
			d := delivery{link: config.Link(s.URL + c.path), agent: "test"}
			if c.body != "" {
				d.body = []byte(c.body)
			}
			err := d.send(t.Context())
			if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("it ended with %v, not %q", err, c.err)
			}
			if n := len(s.heard); n != c.comes || s.heard[n-1] != c.last {
				t.Errorf("what came is %q", s.heard)
			}
			if strings.Join(s.from, "") != "" {
				t.Errorf("where it was sent to learned %q", s.from)
			}
		})
	}
}

// TestHungReceiverIsWaitedForOnce: a hook that never answers is waited for once a round, however many alerts there are for
// it; a receiver that answers, even with a refusal, gets the next one. What was not delivered waits.
func TestHungReceiverIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	came := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what it says is read elsewhere
		mu.Lock()
		came[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/gone":
			panic(http.ErrAbortHandler) // no answer, and at once
		case "/refuses":
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(s.Close)
	l, _ := emptyLedger(t)
	var log bytes.Buffer
	a := newAlerts(t, &log,
		config.Alert{On: casework.OnFirstBreak, URL: config.Link(s.URL + "/gone")},
		config.Alert{On: casework.OnFirstBreak, URL: config.Link(s.URL + "/refuses")},
		config.Alert{On: casework.OnFirstBreak, URL: config.Link(s.URL + "/takes")})
	var alarms []casework.Alarm
	for i := range 3 {
		alarms = append(alarms, casework.Alarm{On: casework.OnFirstBreak, Account: ledger.Account(1001 + i), Run: "r1"})
	}
	a.raiseAlarms(t.Context(), l, alarms)
	const tries = 2
	want := map[string]int{"/gone": tries, "/refuses": 3 * tries, "/takes": 3}
	if fmt.Sprint(came) != fmt.Sprint(want) {
		t.Errorf("requests %v, want %v", came, want)
	}
	clear(came)
	a.raiseAlarms(t.Context(), l, nil)
	want = map[string]int{"/gone": tries, "/refuses": 3 * tries}
	if fmt.Sprint(came) != fmt.Sprint(want) {
		t.Errorf("the next time requests %v, want %v", came, want)
	}
}

// An alert that was sent by TLS is not sent again in the clear because its receiver says so.
func TestRedirectOutOfTLSIsNotFollowed(t *testing.T) {
	t.Parallel()
	request := func(address string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, row := range []struct {
		from, to string
		want     error
	}{
		{"https://hook.example/a", "http://hook.example/a", http.ErrUseLastResponse},
		{"https://hook.example/a", "https://other.example/a", nil},
		{"http://127.0.0.1/a", "http://127.0.0.1/b", nil},
		{"http://127.0.0.1/a", "https://hook.example/a", nil},
	} {
		if err := checkRedirect(request(row.to), []*http.Request{request(row.from)}); !errors.Is(err, row.want) {
			t.Errorf("%s to %s: %v, want %v", row.from, row.to, err, row.want)
		}
	}
}
