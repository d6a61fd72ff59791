package jobs_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// BenchmarkBankNight is the part of a night that a bank account takes, of which the ledger has a year: 20,000 groups, each a slip, and a
// statement of 100,000 lines that lies in its inbox. first: everything is taken in and matched. unmoved: a morning on which neither a pull nor a
// statement has brought anything since the last one. The goal of that is 0.2 seconds, with no conclusion written.
func BenchmarkBankNight(b *testing.B) {
	for name, fresh := range map[string]func(testing.TB) string{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				benchmarkBankNight(b, fresh(b))
			}
		})
	}
}

func benchmarkBankNight(b *testing.B, dsn string) {
	l, err := store.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	w := benchWorker(b, l)
	asOf, days := day("2027-01-04"), jobstest.BankDays(b)(1001)
	slips := listBenchSlips(days)
	w.Banks = []bank.Account{{
		ID: "itau-12345", Bank: "341", Branch: "1234", Number: "12345-6", Accounts: []ledger.Account{1001}, Shift: 5,
		Inbox: filepath.Dir(writeBenchStatement(b, ofxBench, func(yield func(benchRow) bool) { yieldBenchLines(slips, yield) })),
		Payers: []bank.Payer{{
			Name: "service", Match: bank.Pattern{Piece: "SERVICO PAGAMENTOS"}, Cards: true, Slips: true, Grain: match.Slip,
		}},
	}}
	w.BankCalendar = days
	w.Wall = func() time.Time { return time.Now().Add(time.Hour) } // the statement was not written just now
	began := func(tail string, asOf ledger.Date) *ledger.Run {
		r := &ledger.Run{ID: ledger.RunID(asOf.Time().Add(time.Hour), tail), Kind: ledger.Nightly, AsOf: asOf, Began: asOf.Time(), Accounts: []ledger.Account{1001}}
		if err := l.BeginRun(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		return r
	}
	live := func(what string, r *ledger.Run, pull func()) {
		lease, err := l.LeaseAccounts(b.Context(), r.ID, r.Accounts, time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = lease.Release(b.Context()) }()
		pull()
		result, err := w.ReconcileIn(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.AnalyzeTables(b.Context(), int64(len(slips)), result.ChangedExpectations); err != nil {
			b.Fatal(err)
		}
		k := othersides.Keeper{
			Ledger: l, Banks: w.Banks, BankCalendar: w.BankCalendar, Mapping: w.Inputs.Mapping, Contracts: w.Inputs.Contracts, Wall: w.Wall,
		}
		started, used := time.Now(), cpuTime("self")
		var taken time.Duration
		var found *othersides.Evaluation
		pprof.Do(b.Context(), pprof.Labels("night", what), func(ctx context.Context) {
			if err = k.TakeIn(ctx); err == nil {
				taken = time.Since(started)
				found, err = k.Evaluate(ctx, r, othersides.Reconciled{1001: result})
			}
		})
		if err != nil || len(found.Banks) != 1 {
			b.Fatal(found, err)
		}
		b.ReportMetric(taken.Seconds(), what+"-taking-in-s")
		b.ReportMetric(time.Since(started).Seconds(), what+"-s")
		b.ReportMetric((cpuTime("self") - used).Seconds(), what+"-cpu-s")
		b.Logf("%s: %+v, %v", what, found.Banks[0], found.Counts)
	}
	first := began("a", asOf)
	live("first", first, func() { benchPullSlips(b, l, first, slips) })
	live("second", began("b", asOf+1), func() {}) // looks again at what the first night brought
	live("unmoved", began("c", asOf+2), func() {})
}

// listBenchSlips are 20,000 slips that the service credited on the business days of a year, in order of day.
func listBenchSlips(days *calendar.Calendar) (all []ledger.SlipView) {
	const count = 20_000
	for i := range count {
		credited := days.NextBusinessDay(calendar.Settles, day("2026-01-02")+ledger.Date(i*361/count))
		amount := ledger.FromCents(int64(10_000 + i*7919%1_000_000))
		all = append(all, ledger.SlipView{
			Account: 1001, ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), List: ledger.SlipsCredit, Value: amount, Issued: credited - 20, Due: credited - 1,
			PaidOn: credited - 1, CreditedOn: credited, PaidValue: ledger.Some(amount), Status: ledger.Some[int64](2),
		})
	}
	return all
}

// yieldBenchLines yields the lines of the bank: one for each slip, but for one in a thousand that never came, and four times as many of
// others.
func yieldBenchLines(slips []ledger.SlipView, yield func(benchRow) bool) {
	for i := range slips {
		s := &slips[i]
		if i%1000 != 0 && !yield(benchRow{day: s.CreditedOn, amount: s.PaidValue.V, text: "SERVICO PAGAMENTOS"}) {
			return
		}
		for n := range 4 {
			if !yield(benchRow{day: s.CreditedOn, amount: ledger.FromCents(int64(1_000 + i*31%90_000 + n)), text: fmt.Sprintf("PIX RECEBIDO CLIENTE %d", i*4+n)}) {
				return
			}
		}
	}
}

// benchPullSlips brings slips into the ledger, by pulls of a month.
func benchPullSlips(b *testing.B, l *store.Ledger, run *ledger.Run, slips []ledger.SlipView) {
	month := func(s ledger.SlipView) ledger.Date { return s.CreditedOn.MonthStart() }
	for n := 0; len(slips) > 0; n++ {
		first := month(slips[0])
		end := slices.IndexFunc(slips, func(s ledger.SlipView) bool { return month(s) != first })
		if end < 0 {
			end = len(slips)
		}
		p := &ledger.Pull{
			ID: fmt.Sprintf("%s-%04d", run.ID, n), Run: run.ID, Complete: true, AsOf: run.AsOf, On: run.AsOf, Began: run.Began, Ended: run.Began,
			Window: ledger.Window{Account: 1001, Source: ledger.SlipsCredit, Period: ledger.Period{From: first, To: slips[end-1].CreditedOn}},
		}
		if err := l.MergeSlips(b.Context(), p, slips[:end], nil); err != nil {
			b.Fatal(err)
		}
		slips = slips[end:]
	}
}
