package reconcile_test

import (
	"slices"
	"testing"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// What a case says of a subject holds until its rule can evaluate the subject again: a run that asks the service nothing
// does not call a row right that a list was found to lack.
func TestVerdictOfUnevaluatedCases(t *testing.T) {
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
			answered: map[rules.Recheck]bool{{List: ledger.SlipsDue, Day: due}: true},
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

// A case whose rule cannot evaluate its subject keeps its impact on the row, in addition to what other rules find there now; once
// the rule passes again nothing is left of it.
func TestImpactOfACaseNotEvaluated(t *testing.T) {
	t.Parallel()
	const code = "SLIP_LATE_PENALTY_MISMATCH"
	late := ledger.SlipView{
		Account: 1001, ID: "a", Value: reais("1000"), Issued: day("2024-10-01"), Due: day("2024-11-04"), Status: ledger.Some[int64](3),
		PaidOn: day("2024-11-06"), PaidValue: some("1010"), CreditedOn: day("2024-11-07"),
		Penalty: some("2"), PenaltyReceived: some("10"), Interest: some("0"), InterestReceived: some("0"),
	}
	credited := []ledger.Source{ledger.SlipsCredit}
	m := &memory{slips: []*ledger.Slip{viewsOf(late, credited, func(*ledger.SlipView) {})}}
	m.reconciled(t, inputs("2024-12-01"))
	if e := m.slipped["a"]; e.Impact != some("10") || !slices.Equal(e.Codes, []string{code}) {
		t.Fatalf("at first %v costs %v", e.Codes, e.Impact)
	}
	for _, c := range []struct {
		says   string
		asOf   string
		change func(*ledger.SlipView)
		codes  []string
		impact ledger.Opt[ledger.Amount]
	}{
		{"the terms are no longer shown", "2024-12-02", func(v *ledger.SlipView) { v.Penalty = some("") }, []string{code}, some("10")},
		{"and R$ 3.00 are missing besides", "2024-12-03", func(v *ledger.SlipView) {
			v.Penalty, v.PaidValue = some(""), some("1007")
		}, []string{code, "SLIP_PAYMENT_COMPOSITION_MISMATCH"}, some("13")},
		{"the terms are back, and agree", "2024-12-04", func(v *ledger.SlipView) { v.Penalty = some("1") }, nil, some("")},
	} {
		m.slips = []*ledger.Slip{viewsOf(late, credited, c.change)}
		m.reconciled(t, inputs(c.asOf))
		if e := m.slipped["a"]; e.Impact != c.impact || !slices.Equal(e.Codes, c.codes) {
			t.Errorf("%s: %v cost %v, want %v and %v", c.says, e.Codes, e.Impact, c.codes, c.impact)
		}
	}
}
