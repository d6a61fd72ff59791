package console

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/console/people"
	"concilia/cmd/concilia/console/signin"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/view/salesview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// emptySource is a ledger of two accounts that has nothing: what is asked of it is not there. What it is not asked panics.
type emptySource struct{ Source }

func (s emptySource) Snapshot(_ context.Context, show func(Source) error) error { return show(s) }

func (emptySource) Heading(context.Context) (Heading, error) {
	return Heading{Accounts: []AccountName{{1001, "Centro"}, {1002, "Norte"}}, AsOf: ledger.NewDate(2026, 11, 18)}, nil
}

func (emptySource) Cases(context.Context, *CaseFilter, string) (*caseview.CaseList, error) {
	return &caseview.CaseList{}, nil
}

func (emptySource) Act(context.Context, *CaseAct, string) (*ActResult, error) {
	return nil, ErrNotFound
}

func (emptySource) Slips(context.Context, *SlipFilter) (*view.SlipList, error) {
	return &view.SlipList{}, nil
}

func (emptySource) Forecast(context.Context, []ledger.Account, int) (*view.CashForecast, error) {
	return nil, nil
}

func (emptySource) Months(context.Context, []ledger.Account, string) ([]view.MonthTotal, error) {
	return nil, nil
}

func (emptySource) Month(context.Context, []ledger.Account, string, ledger.Date) (*view.MonthPage, error) {
	return nil, ErrNotFound
}

func (emptySource) ActOnMonth(context.Context, *MonthAct) (*caseview.PeriodAct, error) {
	return nil, ErrNotFound
}

func (emptySource) ActOnDeposit(context.Context, []ledger.Account, *DepositAct) (*bankview.BankAct, error) {
	return nil, ErrNotFound
}

func (emptySource) Claims(context.Context, []ledger.Account, []casework.ClaimState, string) (*caseview.Claims, error) {
	return &caseview.Claims{}, nil
}

func (emptySource) Letters(context.Context, []string, *CaseFilter, string) ([]caseview.Letter, error) {
	return nil, nil
}

func (emptySource) Sets(context.Context, string, bool) ([]caseview.PublishedSet, error) {
	return nil, nil
}

func (emptySource) Coverage(context.Context, []ledger.Account, string, ledger.Period) (runview.Coverage, error) {
	return nil, nil
}

func (emptySource) Find(context.Context, []ledger.Account, bool, string, string) (*view.Found, string, error) {
	return nil, "nothing", nil
}

func (emptySource) Banks(context.Context, []ledger.Account, string) (bankview.BankConciliations, error) {
	return nil, nil
}

func (emptySource) BankCases(context.Context, []ledger.Account, string) (map[string]caseview.CaseRow, error) {
	return nil, nil
}

func (emptySource) BankDays(context.Context, []ledger.Account, string, ledger.Period) ([]bankview.BankDay, error) {
	return nil, nil
}

func (emptySource) StoreIDs(context.Context, []ledger.Account, []ledger.Account) ([]string, error) {
	return nil, nil
}

func (emptySource) Stores(context.Context, *StoreFilter) (*salesview.StoresPage, error) {
	return &salesview.StoresPage{}, nil
}

// newAttacked is a console over an empty ledger, and its handler. With people, ana may do everything.
func newAttacked(t testing.TB, wall func() time.Time, withPeople bool, signIns map[string]int) http.Handler {
	t.Helper()
	o := Options{
		Source: emptySource{}, Language: "pt-BR", Zone: time.UTC, PageRows: 10, QueryTime: time.Hour, ActTime: time.Hour, MonthWait: time.Hour, Log: zerolog.Nop(),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Wall:           wall, HasBanks: true, HasStores: true, Hosts: []string{"example.com"}, Idle: time.Hour, Absolute: time.Hour, OnSignIn: func(result string) { signIns[result]++ },
	}
	path := filepath.Join(t.TempDir(), "people.yaml")
	if err := people.AddPerson(path, people.Person{Name: "ana", Role: people.Manager, Password: people.HashPassword(goodPassword)}); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.People, err = people.OpenRegister(path, wall, func(error) {}); err != nil {
		t.Fatal(err)
	}
	if !withPeople { // a proxy says who asks
		o.IdentityHeader, o.TrustedProxies = "Remote-User", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	handler, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// Of 10,000 tries to sign in, half from one address and half for one name, a few dozen reach a password; the rest wait, the right one too.
func TestTenThousandSignIns(t *testing.T) {
	t.Parallel()
	at, results := newClock(), map[string]int{}
	handler := newAttacked(t, at.wall, true, results)
	try := func(name, password, address string) int {
		at.now = at.now.Add(10 * time.Millisecond)
		form := url.Values{"name": {name}, "password": {password}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr, r.TLS = address, &tls.ConnectionState{}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
			t.Fatal("who has to wait is not told how long")
		}
		return w.Code
	}
	for i := range 5000 {
		try(fmt.Sprintf("name%d", i), "wrong", "192.0.2.1:4711")
	}
	for i := range 5000 {
		try("ana", "wrong", fmt.Sprintf("198.51.%d.%d:4711", i/250, i%250))
	}
	if reached := results["refused"]; reached < 10 || reached > 30 || results["throttled"] != 10_000-reached || results["ok"] > 0 {
		t.Errorf("of 10,000 tries: %v", results)
	}
	if code := try("ana", goodPassword, "203.0.113.7:4711"); code != http.StatusTooManyRequests {
		t.Errorf("the right password during the attack: %d", code)
	}
	at.now = at.now.Add(signin.LongestPause)
	if code := try("ana", goodPassword, "203.0.113.7:4711"); code != http.StatusSeeOther {
		t.Errorf("the right password after the pause: %d", code)
	}
}

// A try to sign in counts for the client that a proxy of ours names last; what a client writes into the header itself counts for nothing.
func TestClientAddress(t *testing.T) {
	t.Parallel()
	c := &Console{Options: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}}
	for _, row := range []struct {
		why, peer string
		forwarded []string
		want      string
		own       bool
	}{
		{"no proxy", "203.0.113.9:4711", nil, "203.0.113.9", true},
		{"no proxy of ours: its header counts for nothing", "203.0.113.9:4711", []string{"192.0.2.1"}, "203.0.113.9", true},
		{"a proxy names its client", "10.0.0.2:4711", []string{"203.0.113.9"}, "203.0.113.9", true},
		{"before it stands what the client sent", "10.0.0.2:4711", []string{"198.51.100.7, 203.0.113.9"}, "203.0.113.9", true},
		{"the same in two headers", "10.0.0.2:4711", []string{"198.51.100.7", "203.0.113.9"}, "203.0.113.9", true},
		{"two proxies, each adds whom it sees", "10.0.0.2:4711", []string{"203.0.113.9, 10.0.0.3"}, "203.0.113.9", true},
		{"IPv6", "[fd00::2]:4711", []string{"2001:db8::1"}, "2001:db8::1", true},
		{"IPv4 as IPv6", "[::ffff:10.0.0.2]:4711", []string{"::ffff:203.0.113.9"}, "203.0.113.9", true},
		{"a proxy that names nobody speaks for everybody", "10.0.0.2:4711", nil, "10.0.0.2", false},
		{"what it names last is no address", "10.0.0.2:4711", []string{"203.0.113.9, unknown"}, "10.0.0.2", false},
		{"it names proxies alone", "10.0.0.2:4711", []string{"10.0.0.3"}, "10.0.0.2", false},
	} {
		r := &http.Request{RemoteAddr: row.peer, Header: http.Header{"X-Forwarded-For": row.forwarded}}
		if got, own := c.clientAddress(r); got != row.want || own != row.own {
			t.Errorf("%s: %s, %v", row.why, got, own)
		}
	}
}

// People behind a proxy that names no client do not wait for each other's wrong passwords; who guesses the password of one name waits.
func TestTriesBehindAProxyCountForTheName(t *testing.T) {
	t.Parallel()
	handler := newAttacked(t, newClock().wall, true, map[string]int{})
	try := func(name, password string) int {
		form := url.Values{"name": {name}, "password": {password}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr, r.TLS = "10.0.0.2:4711", &tls.ConnectionState{}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	for range signin.FreeTries {
		try("rui", "wrong")
	}
	if code := try("rui", "wrong"); code != http.StatusTooManyRequests {
		t.Errorf("the sixth try for one name: %d", code)
	}
	if code := try("ana", goodPassword); code != http.StatusSeeOther {
		t.Errorf("ana, behind the same proxy, signs in: %d", code)
	}
}

// A client that sends forms slowly, or not to their end, does not keep others from the pages.
func TestSlowFormsHoldNoRoom(t *testing.T) {
	t.Parallel()
	handler := newAttacked(t, time.Now, true, map[string]int{})
	server := httptest.NewServer(handler)
	defer server.Close()
	for range 3 * pagesAtOnce {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nname=ana&pass")
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // all are being answered
	got, err := server.Client().Get(server.URL + "/login")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("</html>")) {
		t.Errorf("a page beside %d slow forms: %d", 3*pagesAtOnce, got.StatusCode)
	}
}

// FuzzQueries: whatever is in the query of a page, it is answered, or refused with a page, and nothing of it is markup.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{
		"account=1001&code=X&severity=E&state=open&min-impact=1,00&age=3&due-from=2026-11-01&sort=age", "q=%2A5843&after=x", "days=90", "basis=credit&account=all",
		"state=claimed", "kind=summary&basis=asof&format=csv&old=1", "month=2026-13&source=cards", "case=1&case=2&as=html&letter-of=1001", "store=a&from=1&to=2&bucket=matched",
		"%zz=%&;a=\x00", "q=<script>alert(1)</script>&nsu=\"><i data-x>", "account=99999999999999999999&amount=-1e9&follow-up=31/02/2026", "as=csv-br", "payer=x&status=credited&from=2026-01-01",
	} {
		for page := range 11 {
			f.Add(byte(page), seed)
		}
	}
	handler := newAttacked(f, time.Now, false, map[string]int{})
	pages := []string{"/cases", "/find", "/slips", "/forecast", "/months", "/claims", "/claims/letter", "/files", "/coverage", "/bank", "/own"}
	f.Fuzz(func(t *testing.T, page byte, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.URL.Path, r.URL.RawQuery = pages[int(page)%len(pages)], query
		checkAnswer(t, handler, r)
	})
}

// FuzzForms: whatever a form holds, it is answered or refused with a page.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{
		"verb=close&case=0123456789abcdef&confirm=1&reason=x", "verb=waive&case=1&case=1&until=2026-12-24&cap=9.000,00&version-1=00", "verb=assign&all=1&filter=account%3D1001",
		"verb=dispute&reference=&follow_up=x", "verb=answer&reply=partial&reason=", "verb=close&basis=credit&account=&reason=x&confirm=1", "verb=match&group=a&line=b&line=c&confirm=1",
		"verb=unmatch&name=x", "language=en&keys=off", "name=ana&password=" + url.QueryEscape(goodPassword) + "&next=//evil.example", "verb=%00&case=%ff&%zz", "kept=<script>",
		"verb=close&case=" + strings.Repeat("a", 5000), strings.Repeat("case=1&", 600) + "verb=ack",
	} {
		for page := range 6 {
			f.Add(byte(page), seed)
		}
	}
	at := newClock()
	handler := newAttacked(f, at.wall, false, map[string]int{})
	pages := []string{"/cases/act", "/months/2026-10/act", "/bank/main/act", "/me", "/logout", "/months/x/act"}
	f.Fuzz(func(t *testing.T, page byte, form string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, pages[int(page)%len(pages)], strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		checkAnswer(t, handler, r)
	})
}

// checkAnswer lets ana ask, and fails where the answer is a failure of ours, or contains markup of the request.
func checkAnswer(t *testing.T, handler http.Handler, r *http.Request) {
	t.Helper()
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("Remote-User", "ana")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code >= http.StatusInternalServerError || strings.Contains(w.Body.String(), "<script>") || strings.Contains(w.Body.String(), "<i data-x>") {
		t.Errorf("%s %s: %d\n%s", r.Method, r.URL, w.Code, w.Body)
	}
	if to := w.Header().Get("Location"); to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\r\n")) {
		t.Errorf("%s %s leads to %q", r.Method, r.URL, to)
	}
}
