package service_test

import (
	"encoding/json"
	"strings"
	"testing"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// TestADetailAskedWronglyIsSuccessFalse holds the document's "invalid requests return success false; message holds
// error details": the detail has no array of problems.
func TestADetailAskedWronglyIsSuccessFalse(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{}, service.Options{})
	token := s.token(t, integrationLogin)
	for _, c := range []struct{ why, query, says string }{
		{"no parameter at all", "", "Campo accountNumber é obrigatório; Campo id é obrigatório"},
		{"an account that is no number", "accountNumber=x&id=y", "Campo accountNumber inválido"},
		{"an account nobody has", "accountNumber=7&id=y", "Conta não localizada"},
		{"no identifier", "accountNumber=1001", "Campo id é obrigatório"},
		{"no slip of that identifier", "accountNumber=1001&id=y", "Boleto não localizado."},
	} {
		status, body := s.call(t, "GET", "/integration/api/billissuer/information?"+c.query, token, "")
		if want := `{"success":false,"message":"` + c.says + `"}`; status != 200 || strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: %d %s, want %s", c.why, status, body, want)
		}
	}
}

// TestAllProblemsOfAListAreReported has four parameters wrong together.
func TestAllProblemsOfAListAreReported(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 1}, service.Options{})
	status, body := s.call(t, "GET", "/integration/api/billissuer/list/by/credit-date?statusIntegration=3&startDate=x", s.token(t, integrationLogin), "")
	expectProblems(t, "credit list", status, body, 400, "accountNumber", "startDate", "endDate", "statusIntegration")
	status, body = s.call(t, "GET", "/gateway/v1/payments-simulator", s.token(t, gatewayLogin), "")
	expectProblems(t, "simulator", status, body, 400, "", "netValue")
	if !strings.Contains(string(body), "Campo netValue é obrigatório") {
		t.Errorf("simulator: %s", body)
	}
}

// TestClockStaysWithinRFC3339: past the year 9999 its answer was no instant any more.
func TestClockStaysWithinRFC3339(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 1}, service.Options{})
	for _, c := range []struct {
		why, body string
		status    int
	}{
		{"the last second there is", `{"now":"9999-12-31T23:59:59Z"}`, 200},
		{"a day past it", `{"advance_days":1}`, 400},
		{"a zone that is still in the last year, and UTC is not", `{"now":"9999-12-31T23:59:59-03:00"}`, 400},
		{"the first one", `{"now":"0001-01-01T00:00:00Z"}`, 200},
		{"a day before it", `{"advance_days":-1}`, 400},
		{"and back", `{"now":"2026-11-18T09:00:00Z"}`, 200},
	} {
		if status, body := s.call(t, "POST", "/sandbox/clock", "", c.body); status != c.status {
			t.Errorf("%s: %d %s", c.why, status, body)
		}
	}
}

// TestUnknownOrdersAreRefused: a member misspelt in an order to the sandbox would make a test prove nothing.
func TestUnknownOrdersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, world.Options{Days: 1}, service.Options{})
	for _, c := range []struct{ why, path, body, tag, says string }{
		{"a member misspelt", "faults", `{"endpoint":"search","kind":"503","cuont":2}`, "", `unknown field "cuont"`},
		{"a member the clock has not", "clock", `{"advance":1}`, "", `unknown field "advance"`},
		{"a text for a number", "clock", `{"advance_days":"1"}`, "advance_days", "want a value of type int, not a string"},
		{"no instant", "clock", `{"now":"tomorrow"}`, "", `tomorrow is no instant: want one like 2026-11-18T09:00:00Z`},
		{"a payment of nothing that was planted", "pay", `{"subject":"slip:1001:x"}`, "subject", "nothing of this subject was planted"},
		{"an empty body", "faults", ``, "", "want a JSON object, the body is empty"},
		{"a list", "faults", `[]`, "", "want a JSON object, not this: array"},
		{"two orders", "clock", `{"advance_days":1} {"advance_days":1}`, "", "want one JSON object and nothing behind it"},
	} {
		status, body := s.call(t, "POST", "/sandbox/"+c.path, "", c.body)
		expectProblems(t, c.why, status, body, 400, c.tag)
		var got []struct{ Description string }
		if err := json.Unmarshal(body, &got); err != nil || len(got) != 1 || !strings.Contains(got[0].Description, c.says) {
			t.Errorf("%s: %s, want %q", c.why, body, c.says)
		}
	}
	if status, body := s.call(t, "GET", "/sandbox/faults", "", ""); status != 200 || !strings.Contains(string(body), `"armed":[]`) {
		t.Errorf("an order that was refused is armed: %s", body)
	}
}
