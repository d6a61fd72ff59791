package reconcile_test

import (
	"testing"

	"concilia/store/ledger"
)

// TestAgesOut: a case that nothing looks at any more is closed once, four hundred days after a run last evaluated it,
// and is not counted; a day earlier it stands and counts.
func TestAgesOut(t *testing.T) {
	t.Parallel()
	f := ledger.Finding{
		Account: 1001, Code: "RECEIVED_OVERDUE", RuleVersion: 1, Subject: "card:1001:2023-10-21:1:A:1", Severity: ledger.Error,
		State: ledger.Waived, WaivedUntil: day("2030-01-01"), FirstSeen: day("2023-10-22"), LastSeen: day("2023-12-01"),
		OpenedOn: day("2023-10-22"), LastRun: "long ago", Assignee: "ana",
	}
	f.Case = ledger.CaseID(f.Account, f.Subject, f.Code)
	m := &memory{findings: map[string]ledger.Finding{f.Case: f}}
	for _, step := range []struct {
		says, asOf string
		state      ledger.State
		events     int
	}{
		{"the day before", "2025-01-03", ledger.Waived, 0},
		{"the day", "2025-01-04", ledger.Closed, 1},
		{"once", "2025-01-05", ledger.Closed, 0},
	} {
		m.reconciled(t, inputs(step.asOf))
		events := 0
		for _, e := range m.events {
			if e.Case == f.Case {
				events++
			}
		}
		if got := m.findings[f.Case]; got.State != step.state || events != step.events {
			t.Errorf("%s: %s, %d events", step.says, got.State, events)
		}
	}
	got := m.findings[f.Case]
	if got.ClosedAs != ledger.AgedOut || got.WaivedUntil != 0 || got.Assignee != "ana" || got.LastRun != "run-2025-01-04" {
		t.Errorf("%+v", got)
	}
}
