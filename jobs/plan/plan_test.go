package plan_test

import (
	"testing"
	"time"

	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// The first run of an account decides from which day it is covered; later only an earlier configured day changes it.
func TestFixFirstDay(t *testing.T) {
	t.Parallel()
	asOf := ledger.NewDate(2026, time.March, 10)
	type run struct{ configured, asOf, want ledger.Date }
	for _, c := range []struct {
		says string
		runs []run
	}{
		{"without a configured day, a fixed number of days before the first run", []run{
			{0, asOf, asOf - plan.DefaultSinceDays}, {0, asOf + 30, asOf - plan.DefaultSinceDays},
		}},
		{"the configured day", []run{{asOf - 5, asOf, asOf - 5}, {asOf - 5, asOf + 30, asOf - 5}}},
		{"a later configured day changes nothing", []run{{asOf - 5, asOf, asOf - 5}, {asOf - 1, asOf + 1, asOf - 5}}},
		{"an earlier configured day is taken", []run{{asOf - 5, asOf, asOf - 5}, {asOf - 90, asOf + 1, asOf - 90}, {0, asOf + 2, asOf - 90}}},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			l, err := store.Open(t.Context(), storetest.FreshSQLite(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			for i, r := range c.runs {
				a := plan.Account{Number: 1001, Since: r.configured}
				planned, err := plan.FirstDay(t.Context(), l, a.Number, a.Since, r.asOf)
				if err != nil || planned != r.want {
					t.Errorf("run %d: planned from %v, %v, want %v", i, planned, err, r.want)
				}
				got, err := plan.FixFirstDay(t.Context(), l, a, r.asOf)
				if err != nil || got != r.want {
					t.Errorf("run %d: covered from %v, %v, want %v", i, got, err, r.want)
				}
			}
		})
	}
}
