package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
)

// asks runs a command against a service that answers its logins well and everything else by answer.
func asks(t *testing.T, answer http.HandlerFunc, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/login") || strings.HasSuffix(r.URL.Path, "/token") {
			fmt.Fprint(w, `{"authenticated":true,"accessToken":"the-token"}`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "concilia.yaml")
	text := fmt.Sprintf(`
service: {gateway_url: %[1]q, integration_url: %[1]q, user_name: u, requests_per_second: 1000}
accounts: [{number: 1001}, {number: 1002}, {number: 1003}]
reports: {formats: [csv]}
webhook: {public_url: "https://h/x", basic_user: hooks}
`, server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"CONCILIA_SERVICE_PASSWORD": "hunter2", "CONCILIA_WEBHOOK_BASIC_PASSWORD": "geheimnis"}
	var out, errs bytes.Buffer
	code = run(t.Context(), environment{
		args: append([]string{"--config", file}, args...), stdout: &out, stderr: &errs, wall: time.Now,
		lookup: func(name string) (string, bool) { v, ok := secrets[name]; return v, ok },
	})
	for _, secret := range []string{"hunter2", "geheimnis", "the-token", "aG9va3M6Z2VoZWltbmlz"} {
		if strings.Contains(out.String()+errs.String(), secret) {
			t.Errorf("%v: %q is printed", args, secret)
		}
	}
	return code, out.String(), errs.String()
}

func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// What the service answers, and what that ends with and says.
func TestAskingEndsWith(t *testing.T) {
	t.Parallel()
	simulate := []string{"simulate", "--brand", "visa", "--net", "10"}
	set := []string{"webhook", "credential", "set"}
	show := []string{"webhook", "show"}
	broken := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	echo := func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		_, _ = sent.ReadFrom(r.Body)
		text, _ := json.Marshal(r.Header.Get("Authorization") + " sent " + sent.String())
		answers(400, `[{"tag":"basic","description":`+string(text)+`}]`)(w, r)
	}
	for _, c := range []struct {
		because string
		args    []string
		answer  http.HandlerFunc
		code    int
		says    string // on standard error
	}{
		{"a brand the service does not know is a wrong flag", simulate, answers(400, `[{"tag":"","description":"Bandeira não identificada"}]`), exit.Usage, "hint: the service knows brands"},
		{"an answer that is no simulation", simulate, answers(200, `[]`), exit.Unreachable, "not the object that was asked for"},
		{"a simulator that fails", simulate, answers(500, `[{"tag":"","description":"Erro desconhecido."}]`), exit.Unreachable, "500: Erro desconhecido."},
		{"an address the service does not let in", simulate, answers(403, `[{"tag":"","description":"Acesso negado"}]`), exit.Config, "hint: the login was good"},
		{"a token it does not take", show, answers(401, ""), exit.Config, "hint: the login was good"},
		{"nobody there", show, answers(503, ""), exit.Unreachable, "hint: check service.gateway_url"},
		{"a registration whose answer is lost", set, broken, exit.Unreachable, "hint: webhook credential delete, then set again"},
		{"a registration that is refused", set, answers(400, `[{"tag":"basic","description":"Já existe autenticação"}]`), exit.Config, "hint: there is one at most"},
		{"a refusal that repeats what it was sent", set, echo, exit.Config, "[redacted]"},
		{"a removal that is refused", []string{"webhook", "credential", "delete"}, answers(400, `{"error":"Nenhuma autenticação"}`), exit.Config, "400: Nenhuma autenticação"},
	} {
		t.Run(c.because, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := asks(t, c.answer, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" {
				t.Errorf("ended with %d, want %d and %q:\n%s%s", code, c.code, c.says, stdout, stderr)
			}
		})
	}
}

// An account that is refused does not keep the others from being subscribed; all are reported.
func TestSubscribeGoesOn(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := asks(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("accountNumber") {
		case "1001":
			answers(400, `[{"tag":"url","description":"URL inacessível"}]`)(w, r)
		case "1002":
			answers(200, `{"url":"https://elsewhere/"}`)(w, r)
		default:
			answers(204, "")(w, r)
		}
	}, "--json", "webhook", "subscribe")
	want := `{"account":1002,"url":"https://elsewhere/"}
{"account":1003,"url":"https://h/x/notifications/1003"}
`
	if code != exit.Config || stdout != want {
		t.Errorf("ended with %d and\n%s", code, stdout)
	}
	for _, says := range []string{
		"api subscribe account 1001: 400: url: URL inacessível",
		"warning: account 1002: asked for https://h/x/notifications/1002, the service says https://elsewhere/",
	} {
		if !strings.Contains(stderr, says) {
			t.Errorf("standard error lacks %q:\n%s", says, stderr)
		}
	}
}

// A service that refuses the login, or is not there, is not asked again for every account.
func TestSubscribeStops(t *testing.T) {
	t.Parallel()
	asked := 0
	code, _, _ := asks(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		answers(200, "<html>")(w, r)
	}, "webhook", "unsubscribe", "--account", "1001", "--account", "1002", "--account", "1001")
	if code != exit.Unreachable || asked != 5 {
		t.Errorf("ended with %d after %d requests", code, asked)
	}
}
