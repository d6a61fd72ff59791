package service_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{})
	for _, path := range []string{gatewayLogin, integrationLogin} {
		status, body := s.call(t, "POST", path, "", goodLogin)
		var ok map[string]any
		if err := json.Unmarshal(body, &ok); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		if ok["authenticated"] != true || ok["created"] != "2026-11-18T09:00:00.000Z" || ok["expiration"] != "2026-11-18T10:00:00.000Z" || ok["message"] == "" {
			t.Errorf("%s: %s", path, body)
		}
		for why, c := range map[string]string{
			"a wrong password":                   `{"userName":"demo","password":"x"}`,
			"an unknown user":                    `{"userName":"other","password":"segredo"}`,
			"an unknown user without characters": `{"userName":" ","password":" "}`,
		} {
			status, body := s.call(t, "POST", path, "", c)
			var refused map[string]any
			if err := json.Unmarshal(body, &refused); err != nil || status != 401 || refused["authenticated"] != false || refused["accessToken"] != nil || refused["message"] == "" {
				t.Errorf("%s at %s: %d %s", why, path, status, body)
			}
		}
	}
	for _, c := range []struct {
		why, body string
		tags      []string
	}{
		{"no members", `{}`, []string{"userName", "password"}},
		{"a name of 31 characters", `{"userName":"` + strings.Repeat("ã", 31) + `","password":"x"}`, []string{"userName"}},
		{"a password of 257 characters", `{"userName":"demo","password":"` + strings.Repeat("x", 257) + `"}`, []string{"password"}},
		{"no JSON", `userName=demo`, []string{""}},
		{"two objects", goodLogin + goodLogin, []string{""}},
		{"a body past any limit", `{"userName":"` + strings.Repeat("x", 70_000) + `"}`, []string{""}},
	} {
		status, body := s.call(t, "POST", gatewayLogin, "", c.body)
		expectProblems(t, c.why, status, body, 400, c.tags...)
	}
	// At the limits themselves the pair is judged, not its length.
	atLimit := `{"userName":"` + strings.Repeat("x", 30) + `","password":"` + strings.Repeat("x", 256) + `"}`
	if status, body := s.call(t, "POST", gatewayLogin, "", atLimit); status != 401 {
		t.Errorf("name and password at their limits: %d %s, want 401", status, body)
	}
}

const (
	simulator = "/gateway/v1/payments-simulator?Brand=visa&netValue=1000"
	dueList   = "/integration/api/billissuer/list/by/due-date?accountNumber=1001&startDate=2026-11-01&endDate=2026-11-02"
	search    = "/api/transaction/concil/search-by-operation-date-installments?accountNumber=1001&startDate=2026-11-16&endDate=2026-11-17"
)

func TestTokensAreGoodForOneFamily(t *testing.T) {
	t.Parallel()
	for _, family := range []string{"integration", "gateway"} {
		s := start(t, world.Options{Days: 2}, service.Options{SearchToken: family})
		gw, in := s.token(t, gatewayLogin), s.token(t, integrationLogin)
		searchToken, otherToken := in, gw
		if family == "gateway" {
			searchToken, otherToken = gw, in
		}
		for _, c := range []struct{ method, path, good, bad string }{
			{"GET", simulator, gw, in},
			{"GET", dueList, in, gw},
			{"POST", "/gateway" + search, searchToken, otherToken},
			{"POST", "/integration" + search, searchToken, otherToken},
		} {
			if status, body := s.call(t, c.method, c.path, c.good, ""); status != 200 {
				t.Errorf("search token %s: %s: %d %s", family, c.path, status, body)
			}
			for _, token := range []string{c.bad, "", "made-up"} {
				status, body := s.call(t, c.method, c.path, token, "")
				expectProblems(t, "a token not good for "+c.path, status, body, 401, "")
			}
		}
	}
}

func TestTokensAgeByTheWallClockAlone(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 2}, service.Options{TokenLifetime: 10 * time.Minute})
	token := s.token(t, integrationLogin)
	s.world.SetNow(s.world.Now().AddDate(1, 0, 0))
	s.wall.Add(int64(10*time.Minute - time.Second))
	if status, _ := s.call(t, "GET", dueList, token, ""); status != 200 {
		t.Errorf("a second before it expires the token gives %d", status)
	}
	s.wall.Add(int64(time.Second))
	status, body := s.call(t, "GET", dueList, token, "")
	expectProblems(t, "an expired token", status, body, 401, "")
}
