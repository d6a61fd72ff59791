package caselife_test

import (
	"testing"

	"concilia/jobs/caselife"
	"concilia/store/ledger"
)

// TestRegroupedCases: a case that was not found again is resolved, but closed where what it is about is expected elsewhere. Found again it is
// reopened, even with the same numbers: no person looked at it and decided.
func TestRegroupedCases(t *testing.T) {
	t.Parallel()
	first := ledger.NewDate(2026, 11, 9)
	found := func(subject string) ledger.Finding {
		return ledger.Finding{
			Case: subject, LastSeen: first, Subject: subject, Code: "BANK_CREDIT_MISSING", Severity: ledger.Error, State: ledger.Opened, Impact: ledger.Some[ledger.Amount](97_1100),
		}
	}
	never := func(*ledger.Finding) bool { return false }
	closes := func(f *ledger.Finding) ledger.Closing {
		if f.Subject == "day" {
			return ledger.Regrouped
		}
		return ""
	}
	follow := func(asOf ledger.Date, prior, seen []ledger.Finding) map[string]ledger.CaseChange {
		out := map[string]ledger.CaseChange{}
		for _, c := range caselife.Follow(&ledger.Run{ID: asOf.String(), AsOf: asOf}, prior, seen, never, closes).Changes {
			out[c.Subject] = c
		}
		return out
	}
	changes := follow(first+1, []ledger.Finding{found("day"), found("came")}, []ledger.Finding{found("brand")})
	if c := changes["day"]; c.State != ledger.Closed || c.ClosedAs != ledger.Regrouped || !c.Event || c.Impact.V != 97_1100 {
		t.Errorf("what is expected in another group: %+v", c)
	}
	if c := changes["came"]; c.State != ledger.Resolved || c.ClosedAs != "" {
		t.Errorf("what came: %+v", c)
	}
	if c := changes["brand"]; c.State != ledger.Opened {
		t.Errorf("the other group: %+v", c)
	}
	closed := changes["day"].Finding
	if again := follow(first+2, []ledger.Finding{closed}, nil); len(again) > 0 {
		t.Errorf("it is told twice: %+v", again)
	}
	if c := follow(first+3, []ledger.Finding{closed}, []ledger.Finding{found("day")})["day"]; c.State != ledger.Reopened || c.ClosedAs != "" {
		t.Errorf("expected in that group again: %+v", c)
	}
}
