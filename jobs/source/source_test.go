package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/storetest"
)

// Only what is past its time and still asked after waits.
func TestLateKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		code   string
		state  ledger.State
		opened ledger.Date
		want   string
	}{
		{"an installment overdue", "RECEIVED_OVERDUE", ledger.Opened, 1, asof.CardOverdue},
		{"a slip not credited", "SLIP_CREDIT_OVERDUE", ledger.Disputed, 1, asof.SlipNotCredited},
		{"a deposit not in the bank", "BANK_CREDIT_MISSING", ledger.Opened, 1, asof.BankMissing},
		{"a waived one is still owed", "RECEIVED_OVERDUE", ledger.Waived, 1, asof.CardOverdue},
		{"pending until it is confirmed", "RECEIVED_OVERDUE", ledger.Pending, 1, ""},
		{"its rule is not believed", "RECEIVED_OVERDUE", ledger.Shadow, 1, ""},
		{"it was resolved", "RECEIVED_OVERDUE", ledger.Resolved, 1, ""},
		{"it never opened", "RECEIVED_OVERDUE", ledger.Opened, 0, ""},
		{"another rule", "RECEIVED_LATE", ledger.Opened, 1, ""},
	} {
		if got := agingKindOf(&ledger.Finding{Code: c.code, State: c.state, OpenedOn: c.opened}); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// A feed of a period has no state: to be asked for one is an error, and not the answer that nothing is open.
func TestNoState(t *testing.T) {
	t.Parallel()
	l, err := store.Open(t.Context(), storetest.FreshSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	f := New(Set{Ledger: l, Accounts: []ledger.Account{1001}, Query: reports.Query{Basis: string(report.ByOperation)}})
	never := func(*report.Case) error { t.Error("a case was told"); return nil }
	if err := f.Cases(t.Context(), never); err == nil || err.Error() != "basis operation has no state to report" {
		t.Error(err)
	}
	if _, err := f.Sums(t.Context(), string(report.AgingKind)); err == nil {
		t.Error("sums of a state were told")
	}
}

// TestSumsAsOfARunAreComputedOnce closes the ledger after it was asked: what it summed as of a run is remembered, as a copy of
// its own for each caller, with what is summed with it; another table, and sums of no run, are asked of the ledger and fail.
func TestSumsAsOfARunAreComputedOnce(t *testing.T) {
	t.Parallel()
	l, err := store.Open(t.Context(), storetest.FreshSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	q := reports.Query{Account: 1001, Basis: string(report.ByOperation), Period: ledger.Period{From: 1, To: 2}, AsOfRun: "20261118T060000.000Z-a"}
	f := New(Set{Ledger: l, Accounts: []ledger.Account{1001}, Query: q, Known: &RunSums{}})
	stop := f.SumAhead(t.Context(), []string{"summary"})
	first, err := f.Sums(t.Context(), "summary")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	first.Columns["gross"] = 1
	again, err := f.Known.Sum(t.Context(), l, q, "summary", f.Unit)
	if err != nil || again.Columns["gross"] != 0 || len(again.Columns) != len(first.Columns) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := f.Sums(t.Context(), "installments"); err != nil {
		t.Errorf("they are summed with the summary: %v", err)
	}
	if _, err := f.Sums(t.Context(), "splits"); err == nil {
		t.Error("sums of a table that was never asked for come from nowhere")
	}
	q.AsOfRun = ""
	if _, err := f.Known.Sum(t.Context(), l, q, "summary", f.Unit); err == nil {
		t.Error("sums that may change are remembered")
	}
}

// A set over several accounts is their rows in the order of its accounts, each with its own query.
func TestEachAccount(t *testing.T) {
	t.Parallel()
	f := New(Set{Accounts: []ledger.Account{1001, 1002}, Query: reports.Query{Basis: "operation", AsOfRun: "run"}})
	var got []reports.Query
	err := f.forEachAccount(func(q reports.Query) error { got = append(got, q); return nil })
	want := []reports.Query{
		{Account: 1001, Basis: "operation", AsOfRun: "run"}, {Account: 1002, Basis: "operation", AsOfRun: "run"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
