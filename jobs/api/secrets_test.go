package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// card is a card number, and payer a payer's document, that the service blurts out.
const card, payer = "4111111111111111", "12345678909"

// A run in which every call meets every fault, the service repeating all it was sent and more than it should: nothing
// secret is in an error, in what OnRequest hears, or in the client printed.
func TestNothingSecretIsSaid(t *testing.T) {
	t.Parallel()
	blurt := func(w http.ResponseWriter, r *http.Request) []byte {
		body, _ := io.ReadAll(r.Body)
		all := fmt.Sprintf("%s|%s|%s|%s|%s", r.Header.Get("Authorization"), body, password, "cartão "+card, "CPF "+payer)
		text, _ := json.Marshal(all)
		return text
	}
	var echoes []answerer
	for _, status := range []int{200, 201, 400, 401, 403, 429, 500, 503} {
		for _, shape := range []string{`[{"tag":"basic","description":%s}]`, `{"error":%s}`, `{"success":false,"message":%s}`, "%s"} {
			echoes = append(echoes, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(status)
				fmt.Fprintf(w, shape, blurt(w, r))
			})
		}
		echoes = append(echoes, func(w http.ResponseWriter, r *http.Request) { // as text, cut
			w.WriteHeader(status)
			fmt.Fprintf(w, "header:\tBasic\t%s  Bearer  %s %s", encoded, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), card)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
	}
	echoes = append(echoes, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	var mu sync.Mutex
	var said strings.Builder
	note := func(v ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&said, v...)
	}
	failed := 0
	for _, echo := range echoes {
		f := serve(t, echo)
		client := f.client(t, func(o *api.Options) {
			o.MaxTries = 2
			o.OnRequest = func(r api.Request) {
				r.Began, r.Ended = time.Time{}, time.Time{} // six digits of a card may be some nanosecond's by chance
				note(fmt.Sprintf("%+v %v", r, r.Err))
			}
		})
		for _, call := range calls {
			if err := call(t.Context(), client); err != nil {
				failed++
				note(err)
				note(fmt.Sprintf("%#v %+v", err, err))
			}
		}
		note(fmt.Sprintf("%+v %#v", client, *client))
		// The login repeats what it was sent too.
		rude := &fake{Server: httptest.NewServer(http.HandlerFunc(echo)), now: time.Now}
		t.Cleanup(rude.Close)
		_, err := rude.client(t).ReadSubscription(t.Context(), 1001)
		note(err)
	}
	if failed < len(echoes)*5 {
		t.Fatalf("only %d of the calls failed", failed)
	}
	for _, secret := range []string{password, "horse", "token-/", encoded, hooks.Password, card, card[6:12], payer} {
		if at := strings.Index(said.String(), secret); at >= 0 {
			t.Errorf("%q is said: …%s…", secret, said.String()[max(0, at-200):min(said.Len(), at+100)])
		}
	}
	if !strings.Contains(said.String(), "[redacted]") {
		t.Error("nothing was redacted: did the service blurt anything out?")
	}
}

// calls is every call of the client.
var calls = []func(context.Context, *api.Client) error{
	func(ctx context.Context, c *api.Client) error {
		_, err := c.SearchInstallments(ctx, 1001, dayOne, dayOne, nil)
		return err
	},
	func(ctx context.Context, c *api.Client) error {
		_, err := c.ListSlips(ctx, ledger.SlipsCredit, 1001, dayOne, dayOne, ledger.Opt[int64]{})
		return err
	},
	func(ctx context.Context, c *api.Client) error { _, err := c.ReadSlip(ctx, 1001, "x"); return err },
	func(ctx context.Context, c *api.Client) error {
		_, err := c.SimulateSettlement(ctx, "visa", ledger.Real)
		return err
	},
	func(ctx context.Context, c *api.Client) error {
		_, err := c.Subscribe(ctx, 1001, "https://h/", hooks)
		return err
	},
	func(ctx context.Context, c *api.Client) error { _, err := c.ReadSubscription(ctx, 1001); return err },
	func(ctx context.Context, c *api.Client) error { _, err := c.Unsubscribe(ctx, 1001); return err },
	func(ctx context.Context, c *api.Client) error {
		_, err := c.SetWebhookCredential(ctx, hooks)
		return err
	},
	func(ctx context.Context, c *api.Client) error { _, err := c.DeleteWebhookCredential(ctx); return err },
}

// While the service is left alone, what is reported of its last failure is as clean.
func TestNothingSecretIsSaidWhileOpen(t *testing.T) {
	t.Parallel()
	f := serve(t, say(503, `{"message":"`+password+` Basic `+encoded+`"}`))
	client := f.client(t, func(o *api.Options) { o.BreakAfter, o.BreakFor, o.MaxTries = 1, time.Hour, 2 })
	for range 2 {
		_, err := client.SetWebhookCredential(t.Context(), hooks)
		if err == nil || strings.Contains(err.Error(), password) || strings.Contains(err.Error(), encoded) {
			t.Errorf("error %v", err)
		}
	}
}
