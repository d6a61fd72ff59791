package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"concilia/jobs/api"
)

// What the service says in an error reaches the error on one line, short, and without what must not be shown.
func TestForeignTextIsRedacted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"our password", `{"message":"user loja password ` + password + `"}`, "user loja password [redacted]"},
		{"our token, quoted bare", `{"message":"token token-/integration/api/authentication/login-1 is old"}`, "token [redacted] is old"},
		{"anybody's token", `{"error":"header was: Bearer eyJhbGciOi.x.y and Basic dXNlcg=="}`, "header was: Bearer [redacted] and Basic [redacted]"},
		{"a CPF with punctuation", `[{"tag":"payerDocument","description":"123.456.789-09 inválido"}]`, "payerDocument: ***.***.***-** inválido"},
		{"a card number", `[{"tag":"__general__","description":"cartão 4111 1111 1111 1111"}]`, "cartão **** **** **** ****"},
		{"short numbers stay", `{"message":"conta 1001, código 123456789"}`, "conta 1001, código 123456789"},
		{"lines", "a\n\tb\x00c", "a b c"},
		{"a JSON text", `"Erro interno"`, "Erro interno"},
		{"two problems", `[{"tag":"a","description":"b"},{"tag":"","description":"c"}]`, "a: b; c"},
		{"problem details", `{"title":"One or more errors","detail":"bad day"}`, "One or more errors; bad day"},
		{"a long text", strings.Repeat("é", 400), strings.Repeat("é", 300) + "…"},
		{"HTML says nothing", "<html><body>400</body></html>", "bad request"},
		{"another shape says nothing", `{"errors":{"a":["b"]}}`, "bad request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, say(http.StatusBadRequest, c.body))
			_, err := f.client(t).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
			want := "api search installments 2026-11-02..2026-11-02 account 1001: 400: " + c.want
			if err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// Instants of a login without an offset are UTC ones; only their difference counts.
func TestLoginWithoutOffsets(t *testing.T) {
	t.Parallel()
	f := serve(t, say(200, "[]"))
	inner := f.Config.Handler
	logins := 0
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/login") {
			inner.ServeHTTP(w, r)
			return
		}
		logins++
		say(200, `{"Authenticated":true,"Created":"2026-11-03T05:00:00","Expiration":"2026-11-03T05:01:40.5","AccessToken":"t"}`)(w, r)
	})
	now := time.Date(2026, 11, 3, 5, 0, 0, 0, time.UTC)
	client := f.client(t, func(o *api.Options) { o.Now = func() time.Time { return now } })
	// Of 100 s nine are left: were the instants not read, the token would be good for minutes.
	for range 2 {
		if _, err := client.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil); err != nil {
			t.Fatal(err)
		}
		now = now.Add(91500 * time.Millisecond)
	}
	if logins != 2 {
		t.Errorf("%d logins, want 2", logins)
	}
}
