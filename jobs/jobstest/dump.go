package jobstest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// DumpResults is everything that runs concluded of an account, as text by name: expectations, bridge, populations, roundings and open
// amounts of a run, and all cases. What only says when something was looked at is left out.
func DumpResults(t testing.TB, l *store.Ledger, account ledger.Account, run string) map[string]string {
	t.Helper()
	ctx := context.Background()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]string{}
	text := func(v any) string {
		b, err := json.Marshal(v)
		ok(err)
		return string(b)
	}
	q := reports.Query{Account: account, Basis: "operation", Period: ledger.Period{From: 1, To: 1 << 20}}
	ok(l.Installments(ctx, q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e == nil {
			t.Errorf("%s has no expectation", v.Key().Subject())
			return nil
		}
		e.NextOn = 0 // when to look again is a matter of how it was looked at
		out[v.Key().Subject()] = text(e)
		return nil
	}))
	ok(l.SlipRows(ctx, q, func(v *ledger.Slip, e *ledger.SlipExpectation) error {
		e.NextOn = 0
		out[v.Subject()] = text(e)
		return nil
	}))
	lines, err := l.BridgeLines(ctx, account, run)
	ok(err)
	for _, b := range lines {
		out[fmt.Sprint("bridge ", b.Side, b.Day, b.Brand, b.Product, b.Line, b.Reason)] = b.Amount.String()
	}
	counts, err := l.PopulationsOfRun(ctx, account, run)
	ok(err)
	for _, p := range counts {
		if p.Kind == "measured" {
			continue // how many rows there were when the readings were measured last is a matter of when that was
		}
		out["population "+p.Kind+" "+p.Item] = fmt.Sprint(p.Members, p.Amount, p.Other)
	}
	rounded, err := l.RoundingOfRun(ctx, account, run)
	ok(err)
	for _, r := range rounded {
		out["rounding "+r.Code+" "+r.Month.String()] = r.Amount.String()
	}
	open, err := l.ContinuityOfRun(ctx, account, run)
	ok(err)
	for _, c := range open {
		if c.Closing != 0 {
			out[fmt.Sprint("open ", c.Day, c.Brand, c.Product)] = c.Closing.String()
		}
	}
	ok(l.Findings(ctx, caselog.FindingFilter{}, func(f *ledger.Finding) error {
		one := *f
		one.LastRun, one.LastSeen = "", 0
		out["case "+one.Subject+" "+one.Code] = text(one)
		return nil
	}))
	return out
}
