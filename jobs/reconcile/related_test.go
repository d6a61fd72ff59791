package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// related are the codes of the cases that a case names, in order; a stranger to the ledger is named by its id.
func related(m *memory, subject, code string) []string {
	var codes []string
	for _, id := range caseOf(m, subject, code).Related {
		if f, ok := m.findings[id]; ok {
			id = f.Code
		}
		codes = append(codes, id)
	}
	slices.Sort(codes)
	return codes
}

// TestRelatedAcrossSteps: cases of one subject name each other, whichever step of the run raised them, and both learn
// when one of them is over.
func TestRelatedAcrossSteps(t *testing.T) {
	t.Parallel()
	const gap, cut, untold, conflict = "RUN_COVERAGE_GAP", runs.TruncationSuspected, "PULL_CHANGE_WITHOUT_WEBHOOK", "WEBHOOK_STATE_CONFLICT"
	const double, drift, skew = "TXN_POSSIBLE_DOUBLE_CHARGE", "WEBHOOK_SUBSCRIPTION_DRIFT", "RUN_CLOCK_SKEW"
	for _, c := range []struct {
		says    string
		subject string
		codes   [2]string
		world   func() (*memory, reconcile.Inputs)
		over    func(*memory) // ends the second case the night after
	}{
		{"a day nobody has whole, and its answer looks cut", "day:1001:cards:2024-11-20", [2]string{gap, cut}, func() (*memory, reconcile.Inputs) {
			in := inputs("2024-11-25")
			in.Since = day("2024-11-20")
			m := &memory{gaps: map[string]bool{"cards 2024-11-20": true}, asked: reconcile.RecentPulls{ListCap: 100, Pulls: []ledger.Pull{cutAt(100)}}}
			return m, in
		}, func(m *memory) { m.asked.Pulls = []ledger.Pull{cutAt(3)} }},
		{"a row, and a change of it that nobody told of", shortSubject, [2]string{conflict, untold}, func() (*memory, reconcile.Inputs) {
			m := tellUntil()
			m.told.all = []ledger.LinkedNotification{event(1, "2024-10-22T10:00:00", "", "Paid")}
			return m, inputs("2024-11-05")
		}, func(m *memory) {
			m.told.all = append(m.told.all, event(2, "2024-10-26T10:00:00", "Paid", "Blocked"), event(3, "2024-10-27T10:00:00", "Blocked", "Paid"))
		}},
		{"a sale whose total differs, and that may be charged twice", "sale:1001:2024-10-21:000124:A1B2C4", [2]string{"TXN_TOTAL_MISMATCH", double}, func() (*memory, reconcile.Inputs) {
			m := &memory{sales: []*ledger.Sale{wrongTotal("000123", "A1B2C3"), wrongTotal("000124", "A1B2C4")}}
			return m, inputs("2024-11-05")
		}, func(m *memory) { m.sales = m.sales[1:] }},
		{"an account whose subscription points elsewhere, and whose clock is off", "account:1001", [2]string{drift, skew}, func() (*memory, reconcile.Inputs) {
			m := tellUntil()
			m.told.since.Subscription.Matches = false
			m.asked.Pulls = []ledger.Pull{cutAt(3)}
			m.asked.Pulls[0].Note.Skew = ledger.Some[int64](600)
			return m, inputs("2024-11-05")
		}, func(m *memory) { m.asked.Pulls[0].Note.Skew = ledger.Some[int64](0) }},
	} {
		m, in := c.world()
		m.reconciled(t, in)
		for i, code := range c.codes {
			if got := related(m, c.subject, code); !slices.Contains(got, c.codes[1-i]) || slices.Contains(got, code) {
				t.Errorf("%s: %s names %q; want %s", c.says, code, got, c.codes[1-i])
			}
		}
		m.reconciled(t, in)
		if len(m.events) > 0 {
			t.Errorf("%s: the same night again writes %d events, first %s", c.says, len(m.events), m.events[0].Code)
		}
		c.over(m)
		in.AsOf++
		m.reconciled(t, in)
		if f := caseOf(m, c.subject, c.codes[1]); f.State != ledger.Resolved {
			t.Errorf("%s: %s is %s in the end", c.says, f.Code, f.State)
		}
		if got := related(m, c.subject, c.codes[0]); slices.Contains(got, c.codes[1]) {
			t.Errorf("%s: %s still names %q", c.says, c.codes[0], got)
		}
	}
}

// cutAt is an answer of so many rows to a question for 20 November 2024 alone.
func cutAt(rows int64) ledger.Pull {
	on := day("2024-11-20")
	return ledger.Pull{
		ID: "p", Complete: true, Counts: ledger.Counts{Rows: rows},
		Window: ledger.Window{Account: 1001, Source: ledger.Cards, Period: ledger.Period{From: on, To: on}},
		On:     on + 1,
	}
}

// wrongTotal is a sale of one that says it comes to more than its only installment.
func wrongTotal(nsu, auth string) *ledger.Sale {
	return saleOf(installment("2024-10-21", nsu, auth, 1, func(i *ledger.Installment) {
		i.Count, i.SaleTotal, i.SaleFee, i.SaleAntifraud = 1, some("101"), some("0.10"), some("0.30")
		i.Forecast = day("2024-11-21")
		i.SoldAt = must(ledger.ParseLocalTime("2024-10-21T10:00:00", time.UTC))
	}))
}

// TestRowKeepsCodeOfSkippedRule: an unresolved case is shown with its row, and its split, while its rule can't evaluate it,
// and until the data or a person ends it.
func TestRowKeepsCodeOfSkippedRule(t *testing.T) {
	t.Parallel()
	const code, onSplit = "RECEIVED_VALUE_MISMATCH", "SPLIT_CONTRACT_PCT_MISMATCH"
	in := inputs("2024-12-02")
	in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(contractText+"    splits: [{beneficiary: \"12345678000195\", pct: 10}]\n")))
	row := func(received, status string) *ledger.Sale {
		s := short(received)
		v := &s.Rows[0][0]
		v.Status = status
		v.Splits = []ledger.Split{{Beneficiary: "12345678000195", Type: "P", Pct: pct("12"), Base: some("97.11"), Value: some("11.65")}}
		return s
	}
	m := &memory{}
	for _, step := range []struct {
		says, received, status string
		verdict                ledger.Verdict
		code                   bool
		state                  ledger.State
	}{
		{"ten cents short", "97.01", "Autorizada", ledger.RowBreak, true, ledger.Opened},
		{"a status nobody listed", "97.01", "Sabe-se lá", ledger.RowBreak, true, ledger.Opened},
		{"and still", "97.01", "Sabe-se lá", ledger.RowBreak, true, ledger.Opened},
		{"the data agree", "97.11", "Autorizada", ledger.RowOK, false, ledger.Resolved},
		{"and agree under a status nobody listed", "97.11", "Sabe-se lá", ledger.RowOK, false, ledger.Resolved},
	} {
		m.sales = []*ledger.Sale{row(step.received, step.status)}
		m.reconciled(t, in)
		in.AsOf++
		e, f := m.cards[m.sales[0].Rows[0].Current().Key()], caseOf(m, shortSubject, code)
		if slices.Contains(e.Codes, code) != step.code || e.Verdict != step.verdict || f.State != step.state {
			t.Errorf("%s: row %s %v, case %s; want %s, %s", step.says, e.Verdict, e.Codes, f.State, step.verdict, step.state)
		}
		if len(e.Splits) != 1 || !slices.Contains(e.Splits[0].Codes, onSplit) {
			t.Errorf("%s: split %+v; want %s", step.says, e.Splits, onSplit)
		}
	}
}
