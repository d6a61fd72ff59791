package service_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

const (
	webhookAuth   = "/gateway/v1/security/webhook-auth"
	subscriptions = "/integration/api/webhooks/subscriptions?accountNumber="
)

var asJSON = []string{"Content-Type", "application/json"}

// receiver is something that takes connections.
func receiver(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(nil)
	t.Cleanup(server.Close)
	return server.URL
}

func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	login := onboard(t, opened(t, file), aCompany(func(a *service.Application) { a.Accounts = []int64{1001} }))
	first := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file)})
	gw, in := first.tokenFor(t, gatewayLogin, login), first.tokenFor(t, integrationLogin, login)
	url := receiver(t) + "/notifications/1001"
	if status, body := first.send(t, "POST", webhookAuth, gw, `{"basic":"Basic Y2xpZW50OnBhc3M="}`, asJSON); status != 201 {
		t.Fatalf("webhook-auth: %d %s", status, body)
	}
	if status, body := first.call(t, "POST", subscriptions+"1001", in, `{"url":"`+url+`","basicAuth":"dTpw"}`); status != 201 {
		t.Fatalf("subscribe: %d %s", status, body)
	}
	first.Close()

	again := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file)})
	gw, in = again.tokenFor(t, gatewayLogin, login), again.tokenFor(t, integrationLogin, login)
	status, body := again.send(t, "POST", webhookAuth, gw, `{"basic":"Basic Y2xpZW50OnBhc3M="}`, asJSON)
	if status != 400 || !strings.Contains(string(body), "Já existe autenticação") {
		t.Errorf("a second credential after the restart: %d %s", status, body)
	}
	if _, body := again.call(t, "GET", subscriptions+"1001", in, ""); strings.TrimSpace(string(body)) != `{"url":"`+url+`"}` {
		t.Errorf("the subscription after the restart: %s", body)
	}
	if got, basic, ok := again.service.Subscription(1001); got != url || basic != "dTpw" || !ok {
		t.Errorf("deliveries go to %q with %q, %v", got, basic, ok)
	}
	if basic, ok := again.service.WebhookCredential(1001); basic != "Basic Y2xpZW50OnBhc3M=" || !ok {
		t.Errorf("deliveries carry %q, %v", basic, ok)
	}
}

// A client onboarded by another process while this one serves may log in at once.
func TestServingNoticesTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	s := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file)})
	if status, _ := s.call(t, "POST", gatewayLogin, "", `{"userName":"nobody","password":"x"}`); status != 401 {
		t.Errorf("nobody: %d", status)
	}
	login := onboard(t, opened(t, file), aCompany())
	s.tokenFor(t, gatewayLogin, login)
	wrong := login[:len(login)-2] + `x"}`
	if status, _ := s.call(t, "POST", gatewayLogin, "", wrong); status != 401 {
		t.Errorf("a wrong password after the right one: %d", status)
	}
	if status, _ := s.call(t, "POST", gatewayLogin, "", `{"userName":"nobody","password":"x"}`); status != 401 {
		t.Errorf("nobody, among clients: %d", status)
	}
}

func TestASpoiltStateFile(t *testing.T) {
	t.Parallel()
	for why, text := range map[string]string{
		"no JSON":           "{",
		"another version":   `{"version":2}`,
		"an unknown member": `{"version":1,"users":[]}`,
	} {
		file := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := service.OpenState(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v", why, err)
		}
	}
	file := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(file, []byte(`{"version":1,"webhookCredentials":null,"subscriptions":null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	onboard(t, opened(t, file), aCompany())
	// Spoilt while it is served: nothing is lost or overwritten.
	s := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file)})
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, body := s.send(t, "DELETE", webhookAuth, s.token(t, gatewayLogin), "", asJSON)
	expectProblems(t, "a change over a spoilt file", status, body, 500, "")
	if text, _ := os.ReadFile(file); string(text) != "{" {
		t.Errorf("the spoilt file became %s", text)
	}
}

// A hash that can't be parsed matches no password.
func TestAHashThatIsNone(t *testing.T) {
	t.Parallel()
	const salt, key = "$AAAAAAAAAAAAAAAAAAAAAA", "$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for why, hash := range map[string]string{
		"empty":                    "",
		"the password itself":      "segredo",
		"another algorithm":        "$argon2i$v=19$m=64,t=1,p=1" + salt + key,
		"another version":          "$argon2id$v=16$m=64,t=1,p=1" + salt + key,
		"no passes":                "$argon2id$v=19$m=64,t=0,p=1" + salt + key,
		"no lanes":                 "$argon2id$v=19$m=64,t=1,p=0" + salt + key,
		"more memory than allowed": "$argon2id$v=19$m=4294967295,t=1,p=1" + salt + key,
		"parameters in words":      "$argon2id$v=19$m=much" + salt + key,
		"a salt that is no Base64": "$argon2id$v=19$m=64,t=1,p=1$*" + key,
		"no key":                   "$argon2id$v=19$m=64,t=1,p=1" + salt + "$",
		"another key":              "$argon2id$v=19$m=64,t=1,p=1" + salt + key,
	} {
		file := filepath.Join(t.TempDir(), "state.json")
		text := fmt.Sprintf(`{"version":1,"clients":[{"userName":"c","addresses":["127.0.0.1/32"],"passwordHash":%q}]}`, hash)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, world.Options{Days: 1}, service.Options{State: opened(t, file)})
		if status, body := s.call(t, "POST", gatewayLogin, "", `{"userName":"c","password":"segredo"}`); status != 401 {
			t.Errorf("%s: %d %s", why, status, body)
		}
	}
}

// FuzzState: any file is refused with an error or can be gone on with, and what was onboarded is there after.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1,"clients":[{"userName":"c","cnpj":"x","addresses":["10.0.0.0/8"],"accounts":[1]}],"subscriptions":{"1001":{"url":"http://h/"}}}`))
	f.Add([]byte(`{"version":1,"clients":null,"webhookCredentials":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		state, err := service.OpenState(file)
		if err != nil {
			return
		}
		had := len(state.Clients())
		if _, _, err := state.Onboard(aCompany()); err != nil {
			return // its CNPJ is there already
		}
		if again := opened(t, file).Clients(); len(again) != had+1 || again[had].CNPJ != "11222333000181" {
			t.Errorf("%d clients, then %v", had, again)
		}
	})
}

// TestTwoWriters has two processes' worth of states change one file at once: no change is lost, and a
// reader never finds half a file.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	s := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file), SkipURLCheck: true})
	other := start(t, world.Options{Days: 2}, service.Options{State: opened(t, file), SkipURLCheck: true})
	const rounds = 20
	var wg sync.WaitGroup
	for i, server := range []sandbox{s, other} {
		token := server.token(t, integrationLogin)
		wg.Go(func() {
			for n := range rounds {
				url := fmt.Sprintf("http://receiver.example/%d/%d", i, n)
				if status, body := server.call(t, "POST", subscriptions+[]string{"1001", "1002"}[i], token, `{"url":"`+url+`"}`); status != 201 {
					t.Errorf("%s: %d %s", url, status, body)
				}
			}
		})
		wg.Go(func() {
			for range rounds {
				if status, body := server.call(t, "GET", subscriptions+"1001", token, ""); status != 200 {
					t.Errorf("reading: %d %s", status, body)
				}
			}
		})
	}
	wg.Wait()
	last := opened(t, file)
	for _, server := range []sandbox{s, other, start(t, world.Options{Days: 2}, service.Options{State: last})} {
		for i, account := range []int64{1001, 1002} {
			want := fmt.Sprintf("http://receiver.example/%d/%d", i, rounds-1)
			if got, _, _ := server.service.Subscription(account); got != want {
				t.Errorf("account %d: %s, want %s", account, got, want)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWebhookAuth(t *testing.T) {
	t.Parallel()
	state := opened(t, "")
	login := onboard(t, state, aCompany(func(a *service.Application) { a.Accounts = []int64{1002} }))
	s := start(t, world.Options{Days: 2}, service.Options{State: state})
	token, own := s.token(t, gatewayLogin), s.tokenFor(t, gatewayLogin, login)
	for _, c := range []struct{ why, method, token, body, want string }{
		{"removing none", "DELETE", token, "", `200 {"message":"Autenticação de webhook removida com sucesso"}`},
		{"not sent", "POST", token, `{}`, `400 [{"tag":"basic","description":"Campo basic é obrigatório"}]`},
		{"empty", "POST", token, `{"basic":""}`, `400 [{"tag":"basic","description":"Campo basic é obrigatório"}]`},
		{"another scheme", "POST", token, `{"basic":"Bearer dTpw"}`, `400 [{"tag":"basic","description":"Formato inválido"}]`},
		{"no space", "POST", token, `{"basic":"BasicdTpw"}`, `400 [{"tag":"basic","description":"Formato inválido"}]`},
		{"the scheme alone", "POST", token, `{"basic":"Basic"}`, `400 [{"tag":"basic","description":"Formato inválido"}]`},
		{"nothing after the scheme", "POST", token, `{"basic":"Basic "}`, `400 [{"tag":"basic","description":"Base64 inválido"}]`},
		{"no Base64", "POST", token, `{"basic":"Basic user:pass"}`, `400 [{"tag":"basic","description":"Base64 inválido"}]`},
		{"no padding", "POST", token, `{"basic":"Basic dTpwYQ"}`, `400 [{"tag":"basic","description":"Base64 inválido"}]`},
		{"a line end that would split the header", "POST", token, `{"basic":"Basic dTpw\r\n"}`, `400 [{"tag":"basic","description":"Base64 inválido"}]`},
		{"a good one", "POST", token, `{"basic":"Basic dTpw"}`, `201 {"message":"Autenticação de webhook cadastrada com sucesso"}`},
		{"a second", "POST", token, `{"basic":"Basic dTpx"}`, `400 [{"tag":"basic","description":"Já existe autenticação"}]`},
		{"another client's", "POST", own, `{"basic":"Basic b3duOnA="}`, `201 {"message":"Autenticação de webhook cadastrada com sucesso"}`},
	} {
		status, body := s.send(t, c.method, webhookAuth, c.token, c.body, asJSON)
		if got := fmt.Sprintf("%d %s", status, strings.TrimSpace(string(body))); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	status, body := s.call(t, "DELETE", webhookAuth, token, "")
	expectProblems(t, "without the content type the document demands", status, body, 400, "Content-Type")
	for account, want := range map[int64]string{1001: "Basic dTpw", 1002: "Basic b3duOnA="} {
		if got, _ := s.service.WebhookCredential(account); got != want {
			t.Errorf("account %d: %q, want %q", account, got, want)
		}
	}
	for _, token := range []string{own, token} {
		if status, body := s.send(t, "DELETE", webhookAuth, token, "", asJSON); status != 200 {
			t.Errorf("removing: %d %s", status, body)
		}
	}
	if got, ok := s.service.WebhookCredential(1002); ok {
		t.Errorf("after removal: %q", got)
	}
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{})
	token := s.token(t, integrationLogin)
	here := receiver(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, c := range []struct{ why, method, body, want string }{
		{"reading none", "GET", "", `200 {"url":null}`},
		{"removing none", "DELETE", "", `200 {"url":null}`},
		{"no url", "POST", `{}`, `400 [{"tag":"url","description":"Campo url é obrigatório"}]`},
		{"another scheme", "POST", `{"url":"ftp://receiver.example/"}`, `400 [{"tag":"url","description":"Campo url inválido"}]`},
		{"no host", "POST", `{"url":"http:///n"}`, `400 [{"tag":"url","description":"Campo url inválido"}]`},
		{"a path alone", "POST", `{"url":"/n"}`, `400 [{"tag":"url","description":"Campo url inválido"}]`},
		{"a password in the URL", "POST", `{"url":"http://u:p@receiver.example/"}`, `400 [{"tag":"url","description":"Campo url inválido"}]`},
		{"501 characters", "POST", `{"url":"` + here + "/" + strings.Repeat("x", 500-len(here)) + `"}`, `400 [{"tag":"url","description":"Campo url inválido"}]`},
		{"nobody listens", "POST", `{"url":"` + gone.URL + `"}`, `400 [{"tag":"url","description":"URL inacessível"}]`},
		{"a credential that is no Base64", "POST", `{"url":"` + here + `","basicAuth":"u:p"}`, `400 [{"tag":"basicAuth","description":"Base64 inválido"}]`},
		{"a credential without a colon", "POST", `{"url":"` + here + `","basicAuth":"dXA="}`, `400 [{"tag":"basicAuth","description":"Base64 inválido"}]`},
		{"a credential with a line end", "POST", `{"url":"` + here + `","basicAuth":"dTpw\n"}`, `400 [{"tag":"basicAuth","description":"Base64 inválido"}]`},
		{"two things wrong", "POST", `{"url":"n","basicAuth":"u:p"}`, `400 [{"tag":"url","description":"Campo url inválido"},{"tag":"basicAuth","description":"Base64 inválido"}]`},
		{"still none", "GET", "", `200 {"url":null}`},
		{"a good one", "POST", `{"url":"` + here + `/a","basicAuth":"dTpw"}`, `201 {"url":"` + here + `/a"}`},
		{"another in its place", "POST", `{"url":"` + here + `/b?x=1"}`, `201 {"url":"` + here + `/b?x=1"}`},
		{"reading it", "GET", "", `200 {"url":"` + here + `/b?x=1"}`},
		{"removing it", "DELETE", "", `200 {"url":"` + here + `/b?x=1"}`},
		{"removed", "GET", "", `200 {"url":null}`},
	} {
		status, body := s.call(t, c.method, subscriptions+"1001", token, c.body)
		if got := fmt.Sprintf("%d %s", status, strings.TrimSpace(string(body))); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	if url, _, ok := s.service.Subscription(1001); ok {
		t.Errorf("deliveries still go to %s", url)
	}
	status, body := s.call(t, "POST", subscriptions+"7", token, `{"url":"`+here+`"}`)
	expectProblems(t, "an unknown account", status, body, 400, "accountNumber")
	trusting := start(t, world.Options{Days: 2}, service.Options{SkipURLCheck: true})
	if status, body := trusting.call(t, "POST", subscriptions+"1001", trusting.token(t, integrationLogin), `{"url":"`+gone.URL+`"}`); status != 201 {
		t.Errorf("a URL nobody looks at: %d %s", status, body)
	}
}
