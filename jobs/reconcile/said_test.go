package reconcile_test

import (
	"slices"
	"testing"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// What a case says of a subject holds until its rule can judge the subject again: a run that asks the service nothing
// does not call a row right that a list was found to lack.
func TestVerdictOfWhatStillStands(t *testing.T) {
	t.Parallel()
	const code = "SLIP_MISSING_IN_DUE_LIST"
	due := day("2024-11-20")
	seen := string(ledger.SlipsDue) + " " + due.String()
	for _, c := range []struct {
		says  string
		now   bool // the second night asks for the list
		lists []ledger.Source
		want  ledger.Verdict
		codes []string
		state ledger.State
	}{
		{"nothing is asked", false, []ledger.Source{ledger.SlipsPayment}, ledger.RowBreak, []string{code}, ledger.Opened},
		{"asked, and not asked again", true, []ledger.Source{ledger.SlipsPayment}, ledger.RowBreak, []string{code}, ledger.Opened},
		{"asked, and there it is", true, []ledger.Source{ledger.SlipsPayment, ledger.SlipsDue}, ledger.RowOK, nil, ledger.Resolved},
	} {
		view := ledger.SlipView{
			Account: 1001, ID: "a", Value: reais("100"), Issued: day("2024-11-01"), Due: due, Status: ledger.Some[int64](3),
			PaidOn: day("2024-11-18"), PaidValue: some("100"), CreditedOn: day("2024-11-19"),
		}
		m := &memory{
			slips: []*ledger.Slip{viewsOf(view, []ledger.Source{ledger.SlipsPayment}, nil)}, now: map[string]bool{seen: true},
			answered: map[rules.Ask]bool{{List: ledger.SlipsDue, Day: due}: true},
		}
		m.reconciled(t, inputs("2024-12-01"))
		if e := m.slipped["a"]; e.Verdict != ledger.RowBreak || !slices.Contains(e.Codes, code) {
			t.Fatalf("%s: at first %s %v", c.says, e.Verdict, e.Codes)
		}
		m.now[seen], m.answered = c.now, nil
		slip := viewsOf(view, c.lists, nil)
		for i := range slip.Views {
			slip.Views[i].LastRun = "run-2024-12-02"
		}
		m.slips = []*ledger.Slip{slip}
		m.reconciled(t, inputs("2024-12-02"))
		e, f := m.slipped["a"], caseOf(m, "slip:1001:a", code)
		if e.Verdict != c.want || !slices.Equal(e.Codes, c.codes) || f.State != c.state {
			t.Errorf("%s: %s %v, case %s; want %s %v, %s", c.says, e.Verdict, e.Codes, f.State, c.want, c.codes, c.state)
		}
	}
}
