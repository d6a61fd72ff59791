package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/report"
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
		{"an installment overdue", "RECEIVED_OVERDUE", ledger.Opened, 1, report.CardOverdue},
		{"a slip not credited", "SLIP_CREDIT_OVERDUE", ledger.Disputed, 1, report.SlipNotCredited},
		{"a waived one is still owed", "RECEIVED_OVERDUE", ledger.Waived, 1, report.CardOverdue},
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
	f := &ReportSource{Ledger: l, Accounts: []ledger.Account{1001}, Query: reports.Query{Basis: string(report.ByOperation)}}
	never := func(*report.Case) error { t.Error("a case was told"); return nil }
	if err := f.Cases(t.Context(), never); err == nil || err.Error() != "basis operation has no state to tell of" {
		t.Error(err)
	}
	if _, err := f.Sums(t.Context(), string(report.AgingKind)); err == nil {
		t.Error("sums of a state were told")
	}
}

// A set over several accounts is their rows in the order of its accounts, each with its own query.
func TestEachAccount(t *testing.T) {
	t.Parallel()
	f := &ReportSource{Accounts: []ledger.Account{1001, 1002}, Query: reports.Query{Basis: "operation", AsOfRun: "run"}}
	var got []reports.Query
	err := f.forEachAccount(func(q reports.Query) error { got = append(got, q); return nil })
	want := []reports.Query{
		{Account: 1001, Basis: "operation", AsOfRun: "run"}, {Account: 1002, Basis: "operation", AsOfRun: "run"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
