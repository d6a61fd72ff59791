package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

func TestManyCallersOneLogin(t *testing.T) {
	t.Parallel()
	f := serve(t, say(200, "[]"))
	client := f.client(t)
	var wait sync.WaitGroup
	var failed atomic.Int64
	for range 1000 {
		wait.Go(func() {
			if _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); err != nil {
				failed.Add(1)
			}
		})
	}
	wait.Wait()
	if failed.Load() != 0 || f.loginCount() != 1 || f.callCount() != 1000 {
		t.Errorf("%d failed, %d logins, %d calls", failed.Load(), f.loginCount(), f.callCount())
	}
}

// A caller that gives up does not take the login of the others with it; when all give up, so does the login.
func TestGivingUpOnALogin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		stay bool
	}{{"one of two gives up", true}, {"the only one gives up", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, say(200, "[]"))
			arrived, proceed, abandoned := make(chan struct{}), make(chan struct{}), make(chan struct{})
			inner := f.Config.Handler
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/login") {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(strings.NewReader(string(body)))
					close(arrived)
					select {
					case <-proceed:
					case <-r.Context().Done():
						close(abandoned)
						return
					}
				}
				inner.ServeHTTP(w, r)
			})
			client := f.client(t)
			ctx, cancel := context.WithCancel(t.Context())
			leaver, stayer := make(chan error, 1), make(chan error, 1)
			go func() { _, err := client.SearchInstallments(ctx, 1, dayOne, dayOne, nil); leaver <- err }()
			<-arrived
			if c.stay {
				go func() { _, err := client.SearchInstallments(t.Context(), 2, dayOne, dayOne, nil); stayer <- err }()
				for api.Waiters(client) < 2 {
					runtime.Gosched()
				}
			}
			cancel()
			if err := <-leaver; !errors.Is(err, context.Canceled) {
				t.Errorf("who gave up has error %v", err)
			}
			if !c.stay {
				<-abandoned
				return
			}
			close(proceed)
			if err := <-stayer; err != nil || f.loginCount() != 1 {
				t.Errorf("who stayed has error %v after %d logins", err, f.loginCount())
			}
		})
	}
}

// The paths, the prefixes, the families' own tokens and what every call carries.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/information") {
			say(200, `{"id":"`+r.FormValue("id")+`","value":1.00,"dueDate":"2026-11-02","status":2,"success":true}`)(w, r)
			return
		}
		say(200, "[]")(w, r)
	})
	client := f.client(t)
	gateway := f.client(t, func(o *api.Options) { o.SearchToken, o.SearchURL = api.Gateway, f.URL+"/search/v2/" })
	none := ledger.Opt[int64]{}
	for _, call := range []func() error{
		func() error {
			_, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne+1, nil)
			return err
		},
		func() error { _, err := gateway.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); return err },
		func() error {
			_, err := client.ListSlips(t.Context(), ledger.SlipsDue, 7, dayOne, dayOne, none)
			return err
		},
		func() error {
			_, err := client.ListSlips(t.Context(), ledger.SlipsPayment, 7, dayOne, dayOne, none)
			return err
		},
		func() error {
			_, err := client.ListSlips(t.Context(), ledger.SlipsCredit, 7, dayOne, dayOne, none)
			return err
		},
		func() error {
			_, err := client.ListSlips(t.Context(), ledger.SlipsCredit, 7, dayOne, dayOne, ledger.Some[int64](9))
			return err
		},
		func() error {
			_, err := client.ReadSlip(t.Context(), 7, " 3FA85F64-5717-4562-B3FC-2C963F66AFA6")
			return err
		},
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	const integration = "Bearer token-/integration/api/authentication/login-1"
	search := "/api/transaction/concil/search-by-operation-date-installments"
	slips := "GET /integration/api/billissuer/"
	want := []string{
		"POST /gateway" + search + "?accountNumber=1001&endDate=2026-11-03&startDate=2026-11-02 " + integration,
		"POST /search/v2" + search + "?accountNumber=1001&endDate=2026-11-02&startDate=2026-11-02 Bearer token-/gateway/api/auth/token-1",
		slips + "list/by/due-date?accountNumber=7&endDate=2026-11-02&startDate=2026-11-02 " + integration,
		slips + "list/by/payment-date?accountNumber=7&endDate=2026-11-02&startDate=2026-11-02 " + integration,
		slips + "list/by/credit-date?accountNumber=7&endDate=2026-11-02&startDate=2026-11-02 " + integration,
		slips + "list/by/credit-date?accountNumber=7&endDate=2026-11-02&startDate=2026-11-02&statusIntegration=9 " + integration,
		slips + "information?accountNumber=7&id=3fa85f64-5717-4562-b3fc-2c963f66afa6&id_bill=3fa85f64-5717-4562-b3fc-2c963f66afa6 " + integration,
	}
	for i, r := range f.calls {
		if got := r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization"); got != want[i] {
			t.Errorf("call %d\n got %s\nwant %s", i+1, got, want[i])
		}
		if r.Header.Get("User-Agent") != "concilia/test" || r.ContentLength != 0 {
			t.Errorf("call %d: agent %q, body of %d bytes", i+1, r.Header.Get("User-Agent"), r.ContentLength)
		}
		if r.Method == "POST" && r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("call %d: content type %q", i+1, r.Header.Get("Content-Type"))
		}
	}
}

// A 401 renews the token once and repeats the call once.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		refuse        int // how many calls are answered 401
		calls, logins int
		fails         bool
	}{
		{"a token that ended early is renewed", 1, 2, 2, false},
		{"a second 401 fails the call", 9, 2, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var refused atomic.Int64
			f := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if refused.Add(1) <= int64(c.refuse) {
					say(401, "")(w, r)
					return
				}
				say(200, "[]")(w, r)
			})
			_, err := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if (err != nil) != c.fails || f.callCount() != c.calls || f.loginCount() != c.logins {
				t.Errorf("error %v, %d calls, %d logins", err, f.callCount(), f.loginCount())
			}
			if c.fails && !strings.Contains(err.Error(), "401: unauthorized") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A token is renewed when less than min(60 s, a tenth of its life) is left, on our clock alone.
func TestRenewal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		life   time.Duration
		after  time.Duration
		logins int
	}{
		{"of an hour 61 s are left", time.Hour, time.Hour - 61*time.Second, 1},
		{"of an hour 59 s are left", time.Hour, time.Hour - 59*time.Second, 2},
		{"of 100 s 11 s are left", 100 * time.Second, 89 * time.Second, 1},
		{"of 100 s 9 s are left", 100 * time.Second, 91 * time.Second, 2},
		{"no life stated, after 4 minutes", 0, 4 * time.Minute, 1},
		{"no life stated, after 5 minutes", 0, 5 * time.Minute, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 3, 5, 30, 0, 0, time.UTC)
			f := serve(t, say(200, "[]"))
			f.life = c.life
			// The service's clock is years off: only the difference of its two instants counts.
			f.now = func() time.Time { return now.AddDate(-3, 0, 0) }
			client := f.client(t, func(o *api.Options) { o.Now = func() time.Time { return now } })
			for range 2 {
				if _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); err != nil {
					t.Fatal(err)
				}
				now = now.Add(c.after)
			}
			if f.loginCount() != c.logins {
				t.Errorf("%d logins, want %d", f.loginCount(), c.logins)
			}
		})
	}
}

// Refusals of a login, in every shape they may have.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		status  int
		body    string
		refused bool
		logins  int
		says    string
	}{
		{"authenticated false with 200", 200, `{"authenticated":false,"message":"Usuário inválido"}`, true, 1, "Usuário inválido"},
		{"authenticated false with 500", 500, `{"authenticated":false}`, true, 1, ""},
		{"401 without a body", 401, ``, true, 1, ""},
		{"400 with the array", 400, `[{"tag":"userName","description":"inválido"}]`, true, 1, "userName: inválido"},
		{"403 with HTML", 403, `<html>address not known</html>`, true, 1, ""},
		{"a server error is no refusal", 502, ``, false, 5, "502"},
		{"a missing token is no refusal", 200, `{"authenticated":true}`, false, 5, "not a token"},
		{"HTML with 200 is no refusal", 200, `<html>`, false, 5, "not a token"},
		{"404 is a wrong address", 404, ``, false, 1, "404"},
		{"the service repeats the password", 200, `{"authenticated":false,"message":"bad ` + password + `"}`, true, 1, "bad [redacted]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var logins atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				logins.Add(1)
				say(c.status, c.body)(w, r)
			}))
			t.Cleanup(server.Close)
			f := &fake{Server: server}
			client := f.client(t)
			_, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			if err == nil || api.IsRefused(err) != c.refused || errors.Is(err, api.ErrRefusedCredentials) != c.refused {
				t.Fatalf("error %v, want refused %v", err, c.refused)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), password) {
				t.Errorf("error %q, want one that says %q", err, c.says)
			}
			// A refusal is remembered for a while: asking again must not lock the credential.
			if c.refused {
				_, err = client.ReadSlip(t.Context(), 1, "x")
				if !api.IsRefused(err) {
					t.Errorf("second call: %v", err)
				}
			}
			if int(logins.Load()) != c.logins {
				t.Errorf("%d logins, want %d", logins.Load(), c.logins)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := (&fake{Server: &httptest.Server{URL: "https://host"}}).options()
	for _, c := range []struct {
		name   string
		change func(*api.Options)
		wants  []string
	}{
		{"good options", func(o *api.Options) {}, nil},
		{"names have 30 characters, accents or not", func(o *api.Options) { o.UserName = strings.Repeat("ã", 30) }, nil},
		{"a name of 31", func(o *api.Options) { o.UserName = strings.Repeat("a", 31) }, []string{"longer than 30"}},
		{"a password of 257", func(o *api.Options) { o.Password = strings.Repeat("s", 257) }, []string{"longer than 256"}},
		{"everything at once", func(o *api.Options) {
			*o = api.Options{GatewayURL: "ftp://x", IntegrationURL: "https://u:p@host", SearchURL: "http:///x", SearchToken: "other", Timeout: -1}
		}, []string{"clock", "search token", "negative", "both are needed", "gateway address", "integration address", "search address: has no host"}},
	} {
		o := good
		c.change(&o)
		_, err := api.New(o)
		if (err == nil) != (c.wants == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %q", c.name, err, want)
			}
		}
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	t.Parallel()
	f := serve(t, say(200, "[]"))
	var heard []api.Request
	client := f.client(t, func(o *api.Options) { o.OnRequest = func(r api.Request) { heard = append(heard, r) } })
	if _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); err != nil {
		t.Fatal(err)
	}
	options := f.options()
	for _, v := range []any{client, *client, options, &options, struct{ O api.Options }{options}, []*api.Client{client}, heard} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
			s := fmt.Sprintf(verb, v)
			for _, secret := range []string{password, userName, "token-/", fmt.Sprintf("%x", password)} {
				if strings.Contains(s, secret) {
					t.Errorf("%s of %T shows %q", verb, v, secret)
				}
			}
		}
	}
	if len(heard) != 2 || heard[0].Operation != "log in to integration" || heard[1].Status != 200 || heard[1].Bytes != 2 || heard[1].Try != 1 {
		t.Errorf("heard of %+v", heard)
	}
}
