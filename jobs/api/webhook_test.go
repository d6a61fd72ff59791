package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/service"
	"concilia/jobs/api"
	"concilia/store/ledger"
)

// hooks is the pair that notifications carry; encoded is it in Base64.
var hooks = api.BasicCredential{User: "hooks", Password: "geheimnis"}

const encoded = "aG9va3M6Z2VoZWltbmlz"

// What each call puts on the wire, by whose token, and what it makes of the documented answer.
func TestCallsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		call         func(context.Context, *api.Client) (string, error)
		answer       answerer
		sent, got    string
		token        string
		contentTyped bool
	}{
		{
			"a simulation",
			func(ctx context.Context, c *api.Client) (string, error) {
				o, err := c.SimulateSettlement(ctx, "visa", 1000*ledger.Real)
				return fmt.Sprint(o.Options), err
			},
			say(200, `{"installments":[{"installment":1,"amount":1035.24},{"installment":2,"amount":1046.98}]}`),
			"GET /gateway/v1/payments-simulator?Brand=visa&netValue=1000.00 ", "[{1 1035.24} {2 1046.98}]",
			"token-/gateway/api/auth/token-1", false,
		},
		{
			"a subscription with a pair",
			func(ctx context.Context, c *api.Client) (string, error) {
				return c.Subscribe(ctx, 1001, "https://h/notifications/1001", hooks)
			},
			say(201, `{"url":"https://h/notifications/1001"}`),
			`POST /integration/api/webhooks/subscriptions?accountNumber=1001 {"basicAuth":"` + encoded + `","url":"https://h/notifications/1001"}`,
			"https://h/notifications/1001", "token-/integration/api/authentication/login-1", true,
		},
		{
			"a subscription without one",
			func(ctx context.Context, c *api.Client) (string, error) {
				return c.Subscribe(ctx, 1001, "https://h/", api.BasicCredential{})
			},
			say(200, `{"url":"https://h/"}`),
			`POST /integration/api/webhooks/subscriptions?accountNumber=1001 {"url":"https://h/"}`, "https://h/",
			"token-/integration/api/authentication/login-1", true,
		},
		{
			"reading it",
			func(ctx context.Context, c *api.Client) (string, error) { return c.ReadSubscription(ctx, 1001) },
			say(200, `{"url":"https://h/"}`),
			"GET /integration/api/webhooks/subscriptions?accountNumber=1001 ", "https://h/",
			"token-/integration/api/authentication/login-1", false,
		},
		{
			"removing it",
			func(ctx context.Context, c *api.Client) (string, error) { return c.Unsubscribe(ctx, 1001) },
			say(200, `{"url":"https://h/"}`),
			"DELETE /integration/api/webhooks/subscriptions?accountNumber=1001 ", "https://h/",
			"token-/integration/api/authentication/login-1", true,
		},
		{
			"registering the credential",
			func(ctx context.Context, c *api.Client) (string, error) { return c.SetWebhookCredential(ctx, hooks) },
			say(201, `{"message":"Autenticação de webhook cadastrada com sucesso"}`),
			`POST /gateway/v1/security/webhook-auth {"basic":"Basic ` + encoded + `"}`, "Autenticação de webhook cadastrada com sucesso",
			"token-/gateway/api/auth/token-1", true,
		},
		{
			"removing the credential",
			func(ctx context.Context, c *api.Client) (string, error) { return c.DeleteWebhookCredential(ctx) },
			say(200, `{"message":"Autenticação de webhook removida com sucesso"}`),
			"DELETE /gateway/v1/security/webhook-auth ", "Autenticação de webhook removida com sucesso",
			"token-/gateway/api/auth/token-1", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sent, token, contentType string
			f := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent, token, contentType = r.Method+" "+r.URL.RequestURI()+" "+string(body), r.Header.Get("Authorization"), r.Header.Get("Content-Type")
				c.answer(w, r)
			})
			got, err := c.call(t.Context(), f.client(t))
			if err != nil || got != c.got {
				t.Errorf("got %q, error %v, want %q", got, err, c.got)
			}
			if sent != c.sent && !strings.HasSuffix(c.sent, " ") || strings.TrimSpace(sent) != strings.TrimSpace(c.sent) {
				t.Errorf("sent %q, want %q", sent, c.sent)
			}
			if token != "Bearer "+c.token || c.contentTyped != (contentType == "application/json") {
				t.Errorf("token %q, content type %q", token, contentType)
			}
		})
	}
}

// The least the service may answer, and what it may not.
func TestAnswersToChanges(t *testing.T) {
	t.Parallel()
	set := func(ctx context.Context, c *api.Client) (string, error) { return c.SetWebhookCredential(ctx, hooks) }
	show := func(ctx context.Context, c *api.Client) (string, error) { return c.ReadSubscription(ctx, 1001) }
	drop := func(ctx context.Context, c *api.Client) (string, error) { return c.Unsubscribe(ctx, 1001) }
	price := func(ctx context.Context, c *api.Client) (string, error) {
		o, err := c.SimulateSettlement(ctx, "visa", ledger.Real)
		return fmt.Sprint(len(o.Options)), err
	}
	for _, c := range []struct {
		name   string
		call   func(context.Context, *api.Client) (string, error)
		answer answerer
		got    string
		wants  string // in the error; empty: none
	}{
		{"a registration answered by nothing but its status", set, say(204, ""), "", ""},
		{"a member in another case", show, say(200, `{"Url":"https://h/"}`), "https://h/", ""},
		{"no subscription, said by null", show, say(200, `{"url":null}`), "", ""},
		{"no subscription, said by nothing", show, say(200, `{}`), "", ""},
		{"no subscription, said by the status", show, say(404, `[{"tag":"","description":"Assinatura não encontrada"}]`), "", ""},
		{"removing none is told in the service's words", drop, say(400, `[{"tag":"","description":"Assinatura não encontrada"}]`), "", "api unsubscribe account 1001: 400: Assinatura não encontrada"},
		{"an array is no subscription", show, say(200, `[]`), "", "not the object that was asked for"},
		{"a page is none either", show, say(200, `<html></html>`), "", "not the object that was asked for"},
		{"each text of the service's validation", set, say(400, `[{"tag":"basic","description":"Base64 inválido"}]`), "", "api set the webhook credential: 400: basic: Base64 inválido"},
		{"an unknown brand", price, say(400, `[{"tag":"","description":"Bandeira não identificada"}]`), "0", `api simulate "visa" net 1.00: 400: Bandeira não identificada`},
		{"no options", price, say(200, `{"installments":[]}`), "0", "one option for each number"},
		{"an option twice", price, say(200, `{"installments":[{"installment":1,"amount":1},{"installment":1,"amount":2}]}`), "0", "one option for each number"},
		{"an amount in quotes", price, say(200, `{"installments":[{"installment":1,"amount":"1"}]}`), "0", "option 1 of the answer"},
		{"an amount that is none", price, say(200, `{"installments":[{"installment":1,"amount":1},{"installment":2}]}`), "0", "option 2 of the answer"},
		{"an amount below a hundredth of a cent", price, say(200, `{"installments":[{"installment":1,"amount":1.00001}]}`), "0", "option 1 of the answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, c.answer)
			got, err := c.call(t.Context(), f.client(t))
			if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) || got != c.got {
				t.Errorf("got %q, error %v, want %q and %q", got, err, c.got, c.wants)
			}
		})
	}
}

// A change is asked again only where that comes to the same, or where the service cannot have acted.
func TestChangesAreRepeatedWhereSafe(t *testing.T) {
	t.Parallel()
	set := func(c *api.Client) error { _, err := c.SetWebhookCredential(context.Background(), hooks); return err }
	drop := func(c *api.Client) error { _, err := c.DeleteWebhookCredential(context.Background()); return err }
	subscribe := func(c *api.Client) error {
		_, err := c.Subscribe(context.Background(), 1001, "https://h/", hooks)
		return err
	}
	good, refused := say(201, `{"message":"ok","url":"https://h/"}`), say(400, `[{"tag":"basic","description":"Já existe autenticação"}]`)
	closed := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	busy := func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "0"); say(429, "")(w, r) }
	for _, c := range []struct {
		name     string
		call     func(*api.Client) error
		answers  []answerer
		requests int
		wants    string
		unsure   bool
	}{
		{"a registration that was put off is asked again", set, []answerer{busy, good}, 2, "", false},
		{"one whose token is old too", set, []answerer{say(401, ""), good}, 2, "", false},
		{"one without an answer is not", set, []answerer{closed, good}, 1, "EOF; it may have been done all the same", true},
		{"nor one answered by a fault", set, []answerer{say(503, `{"message":"Em manutenção"}`), good}, 1, "503: Em manutenção: it may have been done", true},
		{"nor one whose answer broke off", set, []answerer{hangUp(`{"mess`), good}, 1, "it may have been done", true},
		{"a refusal is sure", set, []answerer{refused, good}, 1, "400: basic: Já existe autenticação", false},
		{"a removal is asked again", drop, []answerer{closed, say(500, ""), good}, 3, "", false},
		{"and a subscription", subscribe, []answerer{closed, say(503, ""), good}, 3, "", false},
		{"whose refusal after a lost answer is unsure", subscribe, []answerer{closed, refused}, 2, "400: basic: Já existe autenticação: it may have been done", true},
		{"faults to the end leave it unsure", drop, []answerer{say(500, "")}, 5, "it may have been done", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, inTurn(c.answers...))
			err := c.call(f.client(t))
			if f.callCount() != c.requests {
				t.Errorf("%d requests, want %d", f.callCount(), c.requests)
			}
			if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
				t.Errorf("error %v, want %q", err, c.wants)
			}
			if errors.Is(err, api.ErrOutcomeUnknown) != c.unsure {
				t.Errorf("unsure: %v, want %v", !c.unsure, c.unsure)
			}
		})
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	f := serve(t, good)
	err := set(f.client(t, func(o *api.Options) { o.GatewayURL, o.SearchURL = gone.URL, f.URL }))
	if err == nil || errors.Is(err, api.ErrOutcomeUnknown) || !api.IsUnreachable(err) {
		t.Errorf("a login that reached nobody: %v", err)
	}
}

// What cannot be asked is refused before anything is sent.
func TestNothingIsSentInVain(t *testing.T) {
	t.Parallel()
	f := serve(t, say(200, "{}"))
	c := f.client(t)
	var errs []error
	for _, call := range []func() error{
		func() error { _, err := c.SimulateSettlement(t.Context(), "", ledger.Real); return err },
		func() error { _, err := c.SimulateSettlement(t.Context(), "visa", 0); return err },
		func() error { _, err := c.Subscribe(t.Context(), 0, "https://h/", api.BasicCredential{}); return err },
		func() error { _, err := c.Subscribe(t.Context(), 1, "", api.BasicCredential{}); return err },
		func() error { _, err := c.ReadSubscription(t.Context(), -1); return err },
		func() error { _, err := c.Unsubscribe(t.Context(), 0); return err },
		func() error {
			_, err := c.SetWebhookCredential(t.Context(), api.BasicCredential{User: "u"})
			return err
		},
	} {
		errs = append(errs, call())
	}
	var e *api.Error
	for i, err := range errs {
		if !errors.As(err, &e) || !e.Permanent || errors.Is(err, api.ErrOutcomeUnknown) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if f.callCount()+f.loginCount() != 0 {
		t.Errorf("%d calls and %d logins were sent", f.callCount(), f.loginCount())
	}
}

// A pair prints as nothing.
func TestBasicDoesNotPrint(t *testing.T) {
	t.Parallel()
	got := fmt.Sprintf("%v %+v %#v %s %q %x %d", hooks, hooks, hooks, &hooks, hooks, hooks, struct{ B api.BasicCredential }{hooks})
	if strings.Contains(got, "hooks") || strings.Contains(got, "geheim") || strings.Contains(got, "686f6f") {
		t.Errorf("printed %q", got)
	}
	if diff := cmp.Diff("", api.BasicCredential{}.String()); diff != "" {
		t.Error(diff)
	}
}

// A caller that goes away while a change is under way learns that it may have been done.
func TestAbandonedChange(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server sees a caller go only behind the body
		cancel()
		<-r.Context().Done()
	})
	_, err := f.client(t).SetWebhookCredential(ctx, hooks)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, api.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	_, err = f.client(t).SetWebhookCredential(ctx, hooks)
	if !errors.Is(err, context.Canceled) || errors.Is(err, api.ErrOutcomeUnknown) || f.callCount() != 1 {
		t.Errorf("error %v after %d requests: nothing was sent the second time", err, f.callCount())
	}
}

// The simulator, the subscriptions and the credential of a service that keeps what it receives.
func TestSandboxHooks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client, requests := sandbox(t, newWorld(t), service.Options{SkipURLCheck: true})
	answer, err := client.SimulateSettlement(ctx, "visa", 1000*ledger.Real)
	options := answer.Options
	if answer.Requests != 1 || answer.Body == nil || answer.Bytes == 0 {
		t.Errorf("the answer's receipt: %d requests, %d bytes", answer.Requests, answer.Bytes)
	}
	if err != nil || len(options) != 12 || options[0] != (ledger.SimulatedOption{Installments: 1, Gross: 1_035_24 * ledger.Cent}) ||
		options[11] != (ledger.SimulatedOption{Installments: 12, Gross: 1_115_29 * ledger.Cent}) {
		t.Errorf("options %v, error %v", options, err)
	}
	for _, step := range []struct {
		because string
		call    func() (string, error)
		got     string
	}{
		{"nothing is registered", func() (string, error) { return client.ReadSubscription(ctx, 1001) }, ""},
		{"removing nothing is no error", func() (string, error) { return client.Unsubscribe(ctx, 1001) }, ""},
		{"an address is registered", func() (string, error) { return client.Subscribe(ctx, 1001, "http://h/a", hooks) }, "http://h/a"},
		{"another takes its place", func() (string, error) { return client.Subscribe(ctx, 1001, "http://h/b", api.BasicCredential{}) }, "http://h/b"},
		{"and is told", func() (string, error) { return client.ReadSubscription(ctx, 1001) }, "http://h/b"},
		{"the other account has none", func() (string, error) { return client.ReadSubscription(ctx, 1002) }, ""},
		{"what is removed is told", func() (string, error) { return client.Unsubscribe(ctx, 1001) }, "http://h/b"},
		{"and gone", func() (string, error) { return client.ReadSubscription(ctx, 1001) }, ""},
		{"a credential", func() (string, error) { return client.SetWebhookCredential(ctx, hooks) }, "Autenticação de webhook cadastrada com sucesso"},
		{"goes", func() (string, error) { return client.DeleteWebhookCredential(ctx) }, "Autenticação de webhook removida com sucesso"},
		{"and comes", func() (string, error) { return client.SetWebhookCredential(ctx, hooks) }, "Autenticação de webhook cadastrada com sucesso"},
	} {
		if got, err := step.call(); err != nil || got != step.got {
			t.Errorf("%s: %q, error %v", step.because, got, err)
		}
	}
	before := *requests
	_, err = client.SetWebhookCredential(ctx, hooks)
	if want := "api set the webhook credential: 400: basic: Já existe autenticação"; err == nil || err.Error() != want || *requests != before+1 {
		t.Errorf("error %v after %d requests, want %s", err, *requests-before, want)
	}
}

func FuzzSimulation(f *testing.F) {
	f.Add([]byte(`{"installments":[{"installment":2,"amount":1046.98},{"installment":1,"amount":1035.24}]}`))
	f.Add([]byte(`{"Installments":[{"installment":1,"amount":1e2}],"installments":null}`))
	f.Add([]byte(`[{"tag":"","description":"Bandeira não identificada"}]`))
	f.Add([]byte(`{"installments":[{"installment":1,"amount":0.00001}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		options, err := api.ReadSimulation(raw)
		if err != nil {
			if options != nil || len([]rune(err.Error())) > 500 {
				t.Fatalf("%d options, error %v", len(options), err)
			}
			return
		}
		last := 0
		for _, o := range options {
			if o.Installments <= last || o.Gross <= 0 || o.Gross > ledger.MaxAmount {
				t.Fatalf("options %v", options)
			}
			last = o.Installments
		}
		if last == 0 {
			t.Fatal("no options and no error")
		}
	})
}
