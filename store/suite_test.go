package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// runSuite runs every test of the suite on one database. open gives a new empty ledger that is closed with its test. The
// tests use only exported names of the packages below store and assume nothing about tables.
func runSuite(t *testing.T, open func(t *testing.T) *store.Ledger) {
	for _, s := range []struct {
		name string
		run  func(t *testing.T, open func(t *testing.T) *store.Ledger)
	}{
		{"merge of installments", mergeInstallments},
		{"windows in any order", windowsInAnyOrder},
		{"occurrences", occurrences},
		{"merge of slips", mergeSlips},
		{"slips for stores", serviceSlips},
		{"quarantine", quarantine},
		{"bodies", bodies},
		{"coverage", coverage},
		{"what pulls told", asked},
		{"what is kept of one subject", subjects},
		{"leases", leases},
		{"occurrences of schedules", ticks},
		{"rates", rates},
		{"units of work", units},
		{"units of one worker", unitsHeld},
		{"runs, accounts and documents", records},
		{"run records", runRecords},
		{"what changed between runs", runsBetween},
		{"sums of cases", caseSums},
		{"who holds what, and what waits", waits},
		{"expectations", expectations},
		{"standing beliefs", standingBeliefs},
		{"findings", findings},
		{"cases found for the first time", newCases},
		{"bridges", bridges},
		{"sums of many rows", manySums},
		{"sums that move", cells},
		{"what a reconcile looks at", scopes},
		{"open days", openDays},
		{"what a plan looks up", planned},
		{"registrations of slips", registrations},
		{"slips issued again", reissued},
		{"report rows", reportRows},
		{"days of many rows", largeDays},
		{"since when it is so", turns},
		{"sums", sums},
		{"titles of slips", titlesOfSlips},
		{"cases on the rows of a summary", firingCases},
		{"statements", statements},
		{"agenda", agendas},
		{"kept", kept},
		{"as of a run", asOfRuns},
		{"as of a run, proven later", provenLater},
		{"pruned", pruned},
		{"sets", sets},
		{"archives", archives},
		{"numbers", numbers},
		{"notifications", notifications},
		{"links of notifications", links},
		{"rows named without their day", named},
		{"words", wordsOfItems},
		{"words of many nights", wordsAgree},
		{"sales of the service", serviceSales},
		{"items of a day", itemsOfDay},
		{"subscriptions", subscriptions},
		{"acts", acts},
		{"acts at once", actsAtOnce},
		{"acts and runs", actsAndRuns},
		{"filters of cases", findingFilters},
		{"root cases", roots},
		{"figures of any cases", figuresOfAny},
		{"cases on the rows of a report", casesOnRows},
		{"cases of a state", stateCases},
		{"snapshots", snapshots},
		{"what a state has not due", stateNotDue},
		{"the state before", stateBefore},
		{"what went since the state before", retiredSince},
		{"closes of periods", periodCloses},
		{"restatements", restatements},
		{"alerts", alerts},
		{"what came to break", breaking},
		{"what is watched", watched},
	} {
		t.Run(s.name, func(t *testing.T) { s.run(t, open) })
	}
}

const account ledger.Account = 1001

// day is a day of November 2026.
func day(n int) ledger.Date { return ledger.NewDate(2026, time.November, n) }

func at(d ledger.Date, hour int) ledger.LocalTime {
	return ledger.LocalTimeOf(d.Time().Add(time.Duration(hour)*time.Hour), time.UTC)
}

// night is one run after another on a ledger: each of its pulls begins an hour after the last.
type night struct {
	t       testing.TB
	l       *store.Ledger
	account ledger.Account
	run     string
	asOf    ledger.Date
	pulls   int
	lease   *runs.Lease
}

// begin holds the account for a run of its own until the test ends.
func begin(t testing.TB, l *store.Ledger) *night { return beginOn(t, l, account) }

// beginOn is begin on an account of its own: a property runs on one ledger with an account for each try.
func beginOn(t testing.TB, l *store.Ledger, a ledger.Account) *night {
	n := &night{t: t, l: l, account: a, run: "run-1", asOf: day(20)}
	n.hold()
	t.Cleanup(func() { _ = n.lease.Release(context.Background()) })
	return n
}

func (n *night) hold() {
	n.t.Helper()
	lease, err := n.l.LeaseAccounts(context.Background(), n.run, []ledger.Account{n.account}, time.Hour)
	ok(n.t, err)
	n.lease = lease
}

// pull is a complete pull of the source over the period.
func (n *night) pull(source ledger.Source, from, to ledger.Date) *ledger.Pull {
	n.pulls++
	began := n.asOf.Time().Add(time.Duration(n.pulls) * time.Hour)
	return &ledger.Pull{
		ID: fmt.Sprintf("pull-%04d", n.pulls), Run: n.run, Complete: true, AsOf: n.asOf, On: n.asOf,
		Window: ledger.Window{Account: n.account, Source: source, Period: ledger.Period{From: from, To: to}},
		Began:  began, Ended: began.Add(time.Minute), Counts: ledger.Counts{Requests: 1},
	}
}

// merge merges copies of the rows over the period and gives the counts.
func (n *night) merge(from, to ledger.Date, rows ...ledger.Installment) ledger.Counts {
	n.t.Helper()
	p := n.pull(ledger.Cards, from, to)
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Account = n.account
	}
	ok(n.t, n.l.MergeInstallments(n.t.Context(), p, rows, nil))
	return p.Counts
}

func (n *night) slips(list ledger.Source, from, to ledger.Date, views ...ledger.SlipView) ledger.Counts {
	n.t.Helper()
	p := n.pull(list, from, to)
	views = slices.Clone(views)
	for i := range views {
		views[i].Account = n.account
	}
	ok(n.t, n.l.MergeSlips(n.t.Context(), p, views, nil))
	return p.Counts
}

func (n *night) sales() []ledger.Sale {
	n.t.Helper()
	var out []ledger.Sale
	ok(n.t, n.l.Sales(n.t.Context(), n.account, func(s *ledger.Sale) error {
		out = append(out, *s)
		return nil
	}))
	return out
}

// row is installment k of n of a sale, not yet received.
func row(d ledger.Date, nsu string, k, n int) ledger.Installment {
	return ledger.Installment{
		Account: account, SoldAt: at(d, 14), Terminal: "T1", Card: "411111******1111", CardType: "CREDIT",
		CardName: "VISA", Auth: "A" + nsu, NSU: nsu, Number: k, Count: n, Gross: 100 * ledger.Real,
		SaleTotal: ledger.Some(ledger.Amount(n) * 100 * ledger.Real), MDR: ledger.Some(2*ledger.Real + 34*ledger.Cent),
		MDRRate: ledger.Some(ledger.Rate(2_340_000)), Forecast: d + ledger.Date(30*k), Status: "Authorized",
		Splits: []ledger.Split{{Beneficiary: "12345678000195", Type: "P", Pct: ledger.Some(ledger.Rate(10_000_000))}},
	}
}

// received is the row as it is when the money came.
func received(i ledger.Installment, amount ledger.Amount) ledger.Installment {
	i.Received, i.Effective, i.ReceivedStatus = ledger.Some(amount), i.Forecast, "Paid"
	return i
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// property holds what fn says on random tries, others each time: a quarter of rapid's hundred, all of them where
// storetest.Long says so. A try that failed is made smaller by as many more as that takes.
func property(t *testing.T, fn func(r *rapid.T)) {
	t.Helper()
	passed, failed := 0, false
	rapid.Check(t, func(r *rapid.T) {
		if passed >= storetest.Few(100, 25, 5) && !failed {
			return
		}
		defer func() { failed = failed || r.Failed() }()
		fn(r)
		passed++
	})
}
