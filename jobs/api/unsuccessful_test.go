package api_test

import (
	"errors"
	"strings"
	"testing"

	"concilia/jobs/api"
)

// TestSuccessFalseUnderAnotherStatus: a service that answers 400 for a slip there is not says the same as one that
// answers 200, and a night is as complete.
func TestSuccessFalseUnderAnotherStatus(t *testing.T) {
	t.Parallel()
	const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
	refusal := `{"success":false,"message":"Boleto não localizado"}`
	for _, c := range []struct {
		why          string
		status       int
		body         string
		unsuccessful bool
	}{
		{"the request is at fault", 400, refusal, true},
		{"there is no such slip", 404, refusal, true},
		{"a status with the gateway's body", 400, `[{"tag":"","description":"Conta não localizada"}]`, false},
		{"an object that says nothing of success", 404, `{"message":"x"}`, false},
		{"an address that is not allowed", 403, refusal, false},
		{"a service that is out of order", 500, refusal, false},
		{"too many requests", 429, refusal, false},
	} {
		f := serve(t, say(c.status, c.body))
		_, err := f.client(t).ReadSlip(t.Context(), 1001, id)
		if e := (*api.Error)(nil); !errors.As(err, &e) || e.Status != c.status || errors.Is(err, api.ErrUnsuccessful) != c.unsuccessful {
			t.Errorf("%s: %v", c.why, err)
		}
		if c.unsuccessful && !strings.Contains(err.Error(), "Boleto não localizado") {
			t.Errorf("%s: %v says not why", c.why, err)
		}
	}
}
