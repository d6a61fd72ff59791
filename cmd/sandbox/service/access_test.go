package service_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// aCompany is an application that lacks nothing.
func aCompany(change ...func(*service.Application)) service.Application {
	a := service.Application{CNPJ: "11.222.333/0001-81", LegalName: "Loja Centro Ltda", Contact: "ti@loja.example", Addresses: []string{"127.0.0.1"}}
	for _, c := range change {
		c(&a)
	}
	return a
}

// onboard adds a client and returns the body of its login.
func onboard(t *testing.T, state *service.State, a service.Application) (login string) {
	t.Helper()
	user, password, err := state.Onboard(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(user) > 30 || len(password) > 256 || len(password) < 20 {
		t.Errorf("issued a name of %d characters and a password of %d", len(user), len(password))
	}
	b, err := json.Marshal(map[string]string{"userName": user, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tokenFor logs in with a body of onboard.
func (s sandbox) tokenFor(t *testing.T, path, login string) string {
	t.Helper()
	status, body := s.call(t, "POST", path, "", login)
	var r struct{ AccessToken string }
	if err := json.Unmarshal(body, &r); err != nil || status != 200 || r.AccessToken == "" {
		t.Fatalf("login at %s: %d %s", path, status, body)
	}
	return r.AccessToken
}

func opened(t *testing.T, file string) *service.State {
	t.Helper()
	state, err := service.OpenState(file)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestOnboardingChecksTheApplication(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		change func(*service.Application)
		says   []string
	}{
		{"everything missing is told at once", func(a *service.Application) { *a = service.Application{} }, []string{"CNPJ", "legal name", "contact", "no address"}},
		{"a CNPJ whose check digits don't fit", func(a *service.Application) { a.CNPJ = "11222333000182" }, []string{"check digits"}},
		{"an address that is none", func(a *service.Application) { a.Addresses = []string{"10.0.0.1", "loja.example"} }, []string{`"loja.example"`}},
		{"an account twice", func(a *service.Application) { a.Accounts = []int64{7, 7} }, []string{"account 7"}},
		{"an account below one", func(a *service.Application) { a.Accounts = []int64{0} }, []string{"account 0"}},
		{"a name of 201 characters", func(a *service.Application) { a.LegalName = strings.Repeat("ã", 201) }, []string{"legal name: 201"}},
		{"a CNPJ that is a client's", func(*service.Application) {}, []string{"onboarded already"}},
		{"an account that is a client's", func(a *service.Application) { a.CNPJ, a.Accounts = "11444777000161", []int64{1001} }, []string{"account 1001 belongs to"}},
	} {
		state := opened(t, "")
		onboard(t, state, aCompany(func(a *service.Application) { a.Accounts = []int64{1001} }))
		_, _, err := state.Onboard(aCompany(c.change))
		if err == nil || len(state.Clients()) != 1 {
			t.Errorf("%s: error %v, %d clients", c.why, err, len(state.Clients()))
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: says %q, want %q in it", c.why, err, want)
			}
		}
	}
}

func TestCNPJ(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, text, want string }{
		{"with punctuation", "11.222.333/0001-81", "11222333000181"},
		{"digits alone", "11444777000161", "11444777000161"},
		{"the published example with letters", "12.ABC.345/01DE-35", "12ABC34501DE35"},
		{"letters in lower case", "12abc34501de35", "12ABC34501DE35"},
		{"one check digit off", "12ABC34501DE36", ""},
		{"the other check digit off", "12ABC34501DE45", ""},
		{"a letter among the check digits", "12ABC34501DE3A", ""},
		{"a digit short", "1122233300018", ""},
		{"a digit over", "112223330001811", ""},
		{"all alike, though the sums fit", "00000000000000", ""},
		{"a character of two bytes", "1122233300018ã", ""},
		{"nothing", "", ""},
	} {
		if got, err := service.ParseCNPJ(c.text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q is %q, %v", c.why, c.text, got, err)
		}
	}
}

// FuzzCNPJ: what is taken has fourteen characters and is taken again; one digit off never passes.
func FuzzCNPJ(f *testing.F) {
	f.Add("11.222.333/0001-81", uint8(3))
	f.Add("12ABC34501DE35", uint8(0))
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		s, err := service.ParseCNPJ(text)
		if err != nil {
			return
		}
		if again, err := service.ParseCNPJ(s); err != nil || again != s || len(s) != 14 {
			t.Errorf("%q, then %q %v", s, again, err)
		}
		b := []byte(s)
		if i := int(at) % 14; b[i] >= '0' && b[i] <= '8' {
			b[i]++
			if other, err := service.ParseCNPJ(string(b)); err == nil {
				t.Errorf("%q and %q both pass", s, other)
			}
		}
	})
}

// seenFrom is how the refusals of TestAddresses end.
func seenFrom(proxy string, header []string) string {
	switch {
	case proxy != "127.0.0.1/32":
		return ": 127.0.0.1"
	case strings.HasSuffix(header[1], "unknown"):
		return "."
	}
	return ": 203.0.113.9"
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	stranger := []string{"X-Forwarded-For", "203.0.113.9"}
	range10 := func(a *service.Application) { a.Addresses = []string{"192.0.2.1", "10.0.0.0/8"} }
	ipv6 := func(a *service.Application) { a.Addresses = []string{"2001:db8::/32"} }
	checkedPassword := false // once is enough: it is slow
	for _, c := range []struct {
		why    string
		proxy  string
		client func(*service.Application)
		header []string
		status int
	}{
		{"from its own address", "", func(*service.Application) {}, nil, 200},
		{"from another address", "", range10, nil, 403},
		{"the header is nothing without a trusted proxy", "", func(*service.Application) {}, stranger, 200},
		{"the header opens nothing without a trusted proxy", "", range10, []string{"X-Forwarded-For", "10.1.2.3"}, 403},
		{"nor when another proxy is trusted", "127.0.0.2/32", range10, []string{"X-Forwarded-For", "10.1.2.3"}, 403},
		{"behind a trusted proxy, within a range", "127.0.0.1/32", range10, []string{"X-Forwarded-For", "10.1.2.3"}, 200},
		{"behind a trusted proxy, from a stranger", "127.0.0.1/32", func(*service.Application) {}, stranger, 403},
		{"behind a trusted proxy, without the header, it is the proxy's address", "127.0.0.1/32", func(*service.Application) {}, nil, 200},
		{"what stands before the stranger he wrote himself", "127.0.0.1/32", range10, []string{"X-Forwarded-For", "10.1.2.3, 203.0.113.9"}, 403},
		{"a chain of trusted proxies is seen through", "127.0.0.0/8", range10, []string{"X-Forwarded-For", "203.0.113.9, 10.1.2.3,127.0.0.9"}, 200},
		{"an address that is none is nobody's", "127.0.0.1/32", func(*service.Application) {}, []string{"X-Forwarded-For", "127.0.0.1, unknown"}, 403},
		{"IPv6", "127.0.0.1/32", ipv6, []string{"X-Forwarded-For", "2001:db8::7"}, 200},
		{"IPv4 written as IPv6", "127.0.0.1/32", range10, []string{"X-Forwarded-For", "::ffff:10.1.2.3"}, 200},
	} {
		state := opened(t, "")
		login := onboard(t, state, aCompany(c.client))
		o := service.Options{State: state}
		if c.proxy != "" {
			o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(c.proxy)}
		}
		s := start(t, world.Options{Days: 2}, o)
		status, body := s.send(t, "POST", integrationLogin, "", login, c.header)
		if status != c.status {
			t.Errorf("%s: %d %s, want %d", c.why, status, body, c.status)
		}
		if c.status == 403 {
			expectProblems(t, c.why, status, body, 403, "")
			// The error names the address, which in a container is not obvious.
			if at := seenFrom(c.proxy, c.header); !strings.Contains(string(body), `não autorizado`+at) {
				t.Errorf("%s: %s, want %q in it", c.why, body, at)
			}
		}
		if c.status == 403 && !checkedPassword {
			checkedPassword = true
			wrong := login[:len(login)-2] + `x"}`
			if status, body := s.send(t, "POST", integrationLogin, "", wrong, c.header); status != 401 {
				t.Errorf("%s, with a wrong password: %d %s, want 401", c.why, status, body)
			}
		}
	}
}

func TestATokenIsBoundToTheAddresses(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	token := s.token(t, integrationLogin)
	status, body := s.send(t, "GET", dueList, token, "", []string{"X-Forwarded-For", "203.0.113.9"})
	expectProblems(t, "a token carried off", status, body, 403, "")
	if status, body := s.call(t, "GET", dueList, token, ""); status != 200 {
		t.Errorf("the same token at home: %d %s", status, body)
	}
}

func TestAClientAsksForItsOwnAccounts(t *testing.T) {
	t.Parallel()
	state := opened(t, "")
	login := onboard(t, state, aCompany(func(a *service.Application) { a.Accounts = []int64{1002} }))
	s := start(t, world.Options{Days: 2}, service.Options{State: state})
	own := s.tokenFor(t, integrationLogin, login)
	for path, method := range map[string]string{
		"/integration/api/billissuer/list/by/due-date":                              "GET",
		"/integration/api/transaction/concil/search-by-operation-date-installments": "POST",
		"/integration/api/webhooks/subscriptions":                                   "GET",
	} {
		query := "&startDate=2026-11-01&endDate=2026-11-17"
		if status, body := s.call(t, method, path+"?accountNumber=1002"+query, own, ""); status != 200 {
			t.Errorf("%s of its own account: %d %s", path, status, body)
		}
		status, other := s.call(t, method, path+"?accountNumber=1001"+query, own, "")
		expectProblems(t, path+" of another's account", status, other, 400, "accountNumber")
		_, unknown := s.call(t, method, path+"?accountNumber=7"+query, own, "")
		if string(other) != string(unknown) {
			t.Errorf("%s: another's account says %s, one that is not there %s", path, other, unknown)
		}
	}
	if status, body := s.call(t, "GET", dueList, s.token(t, integrationLogin), ""); status != 200 {
		t.Errorf("the user of the options may ask for every account: %d %s", status, body)
	}
}

func TestStateFileKeepsNoPassword(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	login := onboard(t, opened(t, file), aCompany())
	var c struct{ UserName, Password string }
	if err := json.Unmarshal([]byte(login), &c); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), c.UserName) || strings.Contains(string(text), c.Password) || !strings.Contains(string(text), "$argon2id$") {
		t.Errorf("the file holds %s", text)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
