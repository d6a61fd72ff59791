package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"concilia/jobs/webhook"
	"concilia/store/ledger"
)

const (
	accessKey = "callback-id-123"
	password  = "geheim-passwort"
)

var received = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// good is a notification as the interface document shows one.
const good = `{"movementId":987654321,"nsu":"000123","codAuth":"A1B2C3","installmentNumber":2,` +
	`"moment":"2026-11-18T08:59:58.5","type":"status","oldValue":"Authorized","newValue":"Paid"}`

// post is a request as the service sends it.
func post(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Access-Key", accessKey)
	r.SetBasicAuth("concilia", password)
	return r
}

// desk is a receiver and what came of the requests it had.
type desk struct {
	kept   []ledger.Notification
	events []webhook.Event
	log    bytes.Buffer
	answer func(ledger.Notification) (bool, error)
	http.Handler
}

func newDesk(t testing.TB, change func(*webhook.Options)) *desk {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{answer: func(ledger.Notification) (bool, error) { return false, nil }}
	o := webhook.Options{
		Accounts: []ledger.Account{1001, 1002}, AccessKey: accessKey, BasicUser: "concilia", BasicPassword: password,
		Zone: zone, Now: func() time.Time { return received }, Log: zerolog.New(&d.log),
		OnEvent: func(e webhook.Event) { d.events = append(d.events, e) },
		Store: func(_ context.Context, n ledger.Notification) (bool, error) {
			d.kept = append(d.kept, n)
			return d.answer(n)
		},
	}
	if change != nil {
		change(&o)
	}
	if d.Handler, err = webhook.Handler(o); err != nil {
		t.Fatal(err)
	}
	return d
}

// ask gives the status, and holds every answer to having no body and every log to having no key.
func (d *desk) ask(t testing.TB, r *http.Request) int {
	t.Helper()
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	if w.Body.Len() > 0 {
		t.Errorf("the answer has a body: %q", w.Body)
	}
	for _, secret := range []string{accessKey, password} {
		if strings.Contains(d.log.String(), secret) {
			t.Errorf("a secret is in the log: %s", d.log.String())
		}
	}
	return w.Code
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const path = "/notifications/1001"
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		path   string
		body   string
		status int
	}{
		{name: "a notification is accepted", status: 200},
		{name: "each account has its own address", path: "/notifications/1002", status: 200},
		{name: "the path of the public address may stand before it", path: "/hooks/notifications/1001", status: 200},
		{name: "another account is not ours", path: "/notifications/1003", status: 400},
		{name: "an account is spelled one way", path: "/notifications/01001", status: 400},
		{name: "no account", path: "/notifications/", status: 400},
		{name: "something below the account", path: "/notifications/1001/x", status: 400},
		{name: "another path", path: "/livez", status: 404},
		{name: "the root", path: "/", status: 404},
		{name: "a question is no notification", change: func(r *http.Request) { r.Method = http.MethodGet }, status: 405},
		{name: "no key", change: func(r *http.Request) { r.Header.Del("Access-Key") }, status: 401},
		{name: "a wrong key", change: func(r *http.Request) { r.Header.Set("Access-Key", accessKey+"4") }, status: 401},
		{name: "the beginning of the key", change: func(r *http.Request) { r.Header.Set("Access-Key", "callback") }, status: 401},
		{name: "the key and another", change: func(r *http.Request) { r.Header.Add("Access-Key", "x") }, status: 401},
		{name: "no pair", change: func(r *http.Request) { r.Header.Del("Authorization") }, status: 401},
		{name: "a wrong password", change: func(r *http.Request) { r.SetBasicAuth("concilia", "x") }, status: 401},
		{name: "a wrong user", change: func(r *http.Request) { r.SetBasicAuth("x", password) }, status: 401},
		{name: "a bearer", change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+password) }, status: 401},
		{
			name: "without a key nobody learns which accounts there are", path: "/notifications/1003",
			change: func(r *http.Request) { r.Header.Del("Access-Key") }, status: 401,
		},
		{name: "no body", body: " ", status: 400},
		{name: "too large a body", body: good + strings.Repeat(" ", webhook.MaxBody), status: 400},
		{
			name: "too large a body that does not say so", body: good + strings.Repeat(" ", webhook.MaxBody), status: 400,
			change: func(r *http.Request) { r.ContentLength = -1 },
		},
		{name: "half a surrogate", body: strings.Replace(good, "Authorized", `\ud800`, 1), status: 400},
		{name: "a whole surrogate pair", body: strings.Replace(good, "Authorized", `\ud83d\ude00`, 1), status: 200},
		{name: "as large as may be", body: good + strings.Repeat(" ", webhook.MaxBody-len(good)), status: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, func(o *webhook.Options) { o.Prefix = "/hooks/" })
			at, body := c.path, c.body
			if at == "" {
				at = path
			}
			if body == "" {
				body = good
			}
			r := post(at, body)
			if c.change != nil {
				c.change(r)
			}
			if got := d.ask(t, r); got != c.status {
				t.Errorf("answered %d, not %d: %s", got, c.status, d.log.String())
			}
			if kept := len(d.kept) == 1; kept != (c.status == 200) {
				t.Errorf("answered %d and kept %d", c.status, len(d.kept))
			}
			if len(d.events) != 1 || d.events[0].Status != c.status {
				t.Errorf("told %+v", d.events)
			}
		})
	}
}

// TestKept: what is kept is what was sent, and the answer says what the keeper said.
func TestKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	if got := d.ask(t, post("/notifications/1002", good)); got != 200 {
		t.Fatalf("answered %d", got)
	}
	moment, err := ledger.ParseLocalTime("2026-11-18T08:59:58.5", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	want := ledger.Notification{
		Account: 1002, MovementID: 987654321, NSU: "000123", Auth: "A1B2C3", Installment: 2, Moment: moment, Type: "status",
		OldValue: "Authorized", NewValue: "Paid", Body: []byte(good),
		BodyHash: d.kept[0].BodyHash, ReceivedAt: received, // TestDecodeTakes holds the hash to the body
	}
	if diff := cmp.Diff(want, d.kept[0]); diff != "" {
		t.Errorf("sent (-), kept (+):\n%s", diff)
	}
	for _, c := range []struct {
		repeat  bool
		err     error
		status  int
		outcome webhook.Outcome
	}{
		{false, nil, 200, webhook.Accepted},
		{true, nil, 200, webhook.Repeated},
		{false, errors.New("disk full"), 500, webhook.Failed},
	} {
		d.answer = func(ledger.Notification) (bool, error) { return c.repeat, c.err }
		if got := d.ask(t, post("/notifications/1001", good)); got != c.status {
			t.Errorf("kept %v, %v: answered %d", c.repeat, c.err, got)
		}
		if e := d.events[len(d.events)-1]; e.Outcome != c.outcome || e.Account != 1001 || e.Movement != 987654321 {
			t.Errorf("told %+v", e)
		}
	}
	if !strings.Contains(d.log.String(), `"movement":"987654321"`) || !strings.Contains(d.log.String(), "disk full") {
		t.Errorf("logged %s", d.log.String())
	}
}

// TestDemands: what is configured is demanded, and a receiver that demands nothing is refused.
func TestDemands(t *testing.T) {
	t.Parallel()
	bare := func(r *http.Request, drop string) *http.Request { r.Header.Del(drop); return r }
	keyOnly := newDesk(t, func(o *webhook.Options) { o.BasicUser, o.BasicPassword = "", "" })
	if got := keyOnly.ask(t, bare(post("/notifications/1001", good), "Authorization")); got != 200 {
		t.Errorf("the key alone: %d", got)
	}
	if got := keyOnly.ask(t, bare(post("/notifications/1001", good), "Access-Key")); got != 401 {
		t.Errorf("a pair that is not wanted, without the key: %d", got)
	}
	pairOnly := newDesk(t, func(o *webhook.Options) { o.AccessKey = "" })
	if got := pairOnly.ask(t, bare(post("/notifications/1001", good), "Access-Key")); got != 200 {
		t.Errorf("the pair alone: %d", got)
	}
	if got := pairOnly.ask(t, bare(post("/notifications/1001", good), "Authorization")); got != 401 {
		t.Errorf("a key that is not wanted, without the pair: %d", got)
	}
	o := webhook.Options{
		Accounts: []ledger.Account{1}, Zone: time.UTC, Now: time.Now,
		Store: func(context.Context, ledger.Notification) (bool, error) { return false, nil },
	}
	if _, err := webhook.Handler(o); err == nil {
		t.Error("a receiver that anybody may send to")
	}
}

// TestClient: a forwarded address is taken from a trusted proxy alone, from the right.
func TestClient(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		name, peer, forwarded, want string
	}{
		{"nobody in between", "203.0.113.9:1", "", "203.0.113.9"},
		{"a stranger who claims to be another", "203.0.113.9:1", "198.51.100.1", "203.0.113.9"},
		{"a proxy", "10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"two proxies, behind somebody who claims to be another", "10.0.0.1:1", "192.0.2.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"a proxy that says nothing", "10.0.0.1:1", "", "10.0.0.1"},
		{"a proxy that says nonsense", "10.0.0.1:1", "192.0.2.1, unknown", "10.0.0.1"},
		{"an address of six in the clothes of four", "[::ffff:10.0.0.1]:1", "2001:db8::1", "2001:db8::1"},
	} {
		d := newDesk(t, func(o *webhook.Options) { o.TrustedProxies = trusted })
		r := post("/notifications/1001", good)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		d.ask(t, r)
		if got := d.events[0].Client; got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// TestSlowBody: a sender that dawdles is answered 400 when its time is over, and its connection ends.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *webhook.Options) { o.BodyTimeout, o.Now = 50*time.Millisecond, time.Now })
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	read, write := newSlow(t, s.Listener.Addr().String())
	write("POST /notifications/1001 HTTP/1.1\r\nHost: x\r\nAccess-Key: " + accessKey +
		"\r\nAuthorization: Basic Y29uY2lsaWE6Z2VoZWltLXBhc3N3b3J0\r\nContent-Length: 200\r\n\r\n{")
	if line := read(); !strings.HasPrefix(line, "HTTP/1.1 400 ") {
		t.Errorf("answered %q", line)
	}
	for line := read(); line != ""; line = read() {
		if strings.HasPrefix(line, "HTTP/") {
			t.Errorf("answered once more: %q", line)
		}
	}
	if len(d.kept) > 0 {
		t.Error("kept what did not arrive")
	}
}

// TestSlowKeeper: the time of the body does not bound the keeping.
func TestSlowKeeper(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *webhook.Options) {
		// Long enough for a busy machine to read a body that is there already.
		o.BodyTimeout, o.Now = time.Second, time.Now
		o.Store = func(ctx context.Context, _ ledger.Notification) (bool, error) {
			select {
			case <-ctx.Done():
				return false, ctx.Err()
			case <-time.After(1200 * time.Millisecond):
				return false, nil
			}
		}
	})
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	r := post("/notifications/1001", good)
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", s.Listener.Addr().String()
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		t.Errorf("answered %d", answer.StatusCode)
	}
}
