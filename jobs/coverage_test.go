package jobs_test

import (
	"fmt"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"

	"pgregory.net/rapid"
)

// However windows failed, came too early, overlapped or were never asked for: a verdict over a day without a complete
// answer begun after its end is incomplete, and coverage says which day it is.
func TestNoGreenVerdictOverAGap(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 1, Days: 1, Installments: 1})
	const days = 4
	asOf := m.Today()
	since := asOf - days
	sources := append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
	accounts := ledger.Account(5000)
	rapid.Check(t, func(rt *rapid.T) {
		if jobstest.Raced && accounts >= 5020 {
			return // one account after another: a score is enough for the race detector
		}
		accounts++
		account := accounts
		m.Accounts = []jobs.Account{{Number: account, Since: since}}
		run := fmt.Sprintf("pulls of %d", account)
		lease, err := m.Ledger.LeaseAccounts(t.Context(), run, []ledger.Account{account}, time.Hour)
		if err != nil {
			rt.Fatal(err)
		}
		proven := map[ledger.Source]map[ledger.Date]bool{}
		asked := map[ledger.Source]map[ledger.Date]bool{}
		for _, s := range sources {
			proven[s], asked[s] = map[ledger.Date]bool{}, map[ledger.Date]bool{}
		}
		keep := func(n int, s ledger.Source, from, to ledger.Date, complete bool, on ledger.Date) {
			began := asOf.Time().Add(time.Duration(n) * time.Second)
			p := &ledger.Pull{
				ID: fmt.Sprintf("%d/%d", account, n), Run: run, Began: began, Ended: began, AsOf: asOf, On: on, Complete: complete,
				Window: ledger.Window{Account: account, Source: s, Period: ledger.Period{From: from, To: to}},
			}
			var err error
			switch {
			case !complete:
				p.Failure = "cut"
				err = m.Ledger.StorePull(t.Context(), p)
			case s == ledger.Cards:
				err = m.Ledger.MergeInstallments(t.Context(), p, nil, nil)
			default:
				err = m.Ledger.MergeSlips(t.Context(), p, nil, nil)
			}
			if err != nil {
				rt.Fatal(err)
			}
			for d := from; d <= to; d++ {
				asked[s][d] = true
				proven[s][d] = proven[s][d] || complete && on > d
			}
		}
		n := 0
		if rapid.Bool().Draw(rt, "nearly whole") {
			// Else hardly any draw would leave nothing out.
			hole := rapid.SampledFrom(append([]ledger.Source{""}, sources...)).Draw(rt, "hole")
			for _, s := range sources {
				if n++; s != hole {
					keep(n, s, since, asOf-1, true, asOf)
				}
			}
		}
		for range rapid.IntRange(0, 12).Draw(rt, "windows") {
			n++
			from := since + ledger.Date(rapid.IntRange(0, days-1).Draw(rt, "from"))
			to := from + ledger.Date(rapid.IntRange(0, days).Draw(rt, "days"))
			on := since + ledger.Date(rapid.IntRange(0, days).Draw(rt, "on"))
			keep(n, rapid.SampledFrom(sources).Draw(rt, "source"), from, to, rapid.Bool().Draw(rt, "whole"), on)
		}
		if err := lease.Release(t.Context()); err != nil {
			rt.Fatal(err)
		}
		gap := false
		covers, err := m.viewer().ReadCoverage(t.Context(), asOf, ledger.Period{}, sources)
		if err != nil {
			rt.Fatal(err)
		}
		for _, c := range covers {
			if len(c.Days) != days {
				rt.Fatalf("%s tells of %d days", c.Source, len(c.Days))
			}
			for _, d := range c.Days {
				want := casework.DayMissing
				switch {
				case proven[c.Source][d.Day]:
					want = casework.DayComplete
				case asked[c.Source][d.Day]:
					want = casework.DayPartial
				}
				gap = gap || want != casework.DayComplete
				if d.State != want || (d.Since != "") != (want == casework.DayComplete) {
					rt.Fatalf("%s %s is %+v, not %s", c.Source, d.Day, d, want)
				}
			}
		}
		s, err := m.Reconcile(t.Context(), asOf)
		if err != nil {
			rt.Fatal(err)
		}
		if gap != (s.Verdict == ledger.Incomplete) || gap != (s.ExitCode() == jobs.ExitIncomplete) {
			rt.Fatalf("a gap: %t, the verdict %s, exit %d", gap, s.Verdict, s.ExitCode())
		}
	})
}
