//go:build unix

package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// concludedStore is what a run might conclude of two days of a store: a payment that matches, one that is not at the service, and, of
// the second day, nothing.
func concludedStore(edit func(*ownsales.Conclusion)) []ownsales.Conclusion {
	first := parseDay("2026-11-03")
	c := ownsales.Conclusion{
		Home: 1001, Store: "centro", Period: ledger.Period{From: first, To: first + 1},
		Matches: []ownsales.Match{
			{
				Day: first, Sale: "B", Number: 1, Service: "sale:1001:2026-11-03:7:AA", OwnAmount: ledger.Some(parseAmount("10.00")), OwnMethod: "credit", OwnStatus: "paid", Level: 3,
				SaleTotal: ledger.Some(parseAmount("10.00")), Product: "credit", Live: true, Bucket: ownsales.Matched,
			},
			{Day: first, Sale: "A", Number: 1, OwnAmount: ledger.Some(parseAmount("30.00")), OwnMethod: "debit", OwnStatus: "paid", Bucket: ownsales.NotAtService, Difference: parseAmount("30.00")},
		},
		Days:   []ownsales.SeenDay{{Day: first, State: ownsales.DayComplete, Versions: 2}, {Day: first + 1, State: ownsales.DayMissing}},
		Months: []ownsales.MonthTotal{{Month: parseDay("2026-11-01"), Institution: "11444777000161", Participant: "IP01", OfService: true, ServiceAccounts: "1001", OwnTotal: parseAmount("40.00"), DaysMissing: 1}},
	}
	if edit != nil {
		edit(&c)
	}
	return []ownsales.Conclusion{c}
}

// tellConcluded tells what stood when a run had concluded, with the sums over it.
func tellConcluded(t *testing.T, l *store.Ledger, run string) string {
	t.Helper()
	q := sales.Concluded{Home: 1001, Run: run, Period: ledger.Period{From: parseDay("2026-11-01"), To: parseDay("2026-11-30")}}
	var out []string
	must(t, l.OwnMatches(t.Context(), q, func(m *ownsales.Match) error {
		out = append(out, fmt.Sprint(m.Store, " ", m.Sale, " ", m.Bucket, " ", m.Difference))
		return nil
	}))
	must(t, l.SeenOwnDays(t.Context(), q, func(d *ownsales.SeenDay) error {
		out = append(out, fmt.Sprint(d.Day.String()[5:], " ", d.State))
		return nil
	}))
	must(t, l.OwnMonths(t.Context(), q, func(m *ownsales.MonthTotal) error {
		out = append(out, fmt.Sprint(m.Participant, " ", m.OwnTotal))
		return nil
	}))
	rows, err := l.SumOwnMatches(t.Context(), q)
	must(t, err)
	days, err := l.SumOwnDays(t.Context(), q)
	must(t, err)
	months, err := l.SumOwnMonths(t.Context(), q)
	must(t, err)
	out = append(out, fmt.Sprint(rows.Rows, " rows, ", ledger.Amount(rows.Columns["difference"])), fmt.Sprint(days.Rows, " lines, ", ledger.Amount(days.Columns["not_at_service"]), " of ", ledger.Amount(days.Columns["own_total"])),
		fmt.Sprint(months.Rows, " months, ", ledger.Amount(months.Columns["own_total"])))
	return strings.Join(out, "; ")
}

// A past run is read as it was: a later one ends only what it concludes otherwise, one that is taken up again replaces its own, and
// days that it does not evaluate stay.
func TestConclusionsOfStores(t *testing.T) {
	t.Parallel()
	for kind, l := range bankLedgers(t) {
		keep := func(run string, edit func(*ownsales.Conclusion)) {
			t.Helper()
			must(t, l.KeepSales(t.Context(), &ledger.Run{ID: run}, concludedStore(edit), nil))
		}
		state := func(run string) string {
			t.Helper()
			s, err := l.OwnState(t.Context(), sales.Concluded{Home: 1001, Run: run, Period: ledger.Period{From: 1, To: parseDay("2026-11-30")}})
			must(t, err)
			return s
		}
		keep("run1", nil)
		keep("run2", nil)
		if state("run1") != state("run2") {
			t.Errorf("%s: the same conclusion is another state", kind)
		}
		matched := func(c *ownsales.Conclusion) {
			c.Matches[1].Bucket, c.Matches[1].Service, c.Matches[1].Difference = ownsales.Matched, "sale:1001:2026-11-03:8:BB", 0
			c.Matches[1].SaleTotal, c.Matches[1].Live = c.Matches[1].OwnAmount, true
		}
		keep("run3", func(c *ownsales.Conclusion) { c.Matches, c.Months[0].OwnTotal = c.Matches[:1], parseAmount("10.00") })
		keep("run3", matched)
		keep("run4", func(c *ownsales.Conclusion) { // evaluates the second day alone
			c.Period.From++
			c.Matches, c.Days[1].State = nil, ownsales.DayComplete
			c.Days = c.Days[1:]
		})
		const before = "centro A not_at_service 30.00; centro B matched 0.00; 11-03 complete; 11-04 missing; IP01 40.00; 2 rows, 30.00; 3 lines, 30.00 of 40.00; 1 months, 40.00"
		for run, want := range map[string]string{
			"run0": "0 rows, 0.00; 0 lines, 0.00 of 0.00; 0 months, 0.00", "run1": before, "run2": before,
			"run3": "centro A matched 0.00; centro B matched 0.00; 11-03 complete; 11-04 missing; IP01 40.00; 2 rows, 0.00; 3 lines, 0.00 of 40.00; 1 months, 40.00",
			"run4": "centro A matched 0.00; centro B matched 0.00; 11-03 complete; 11-04 complete; IP01 40.00; 2 rows, 0.00; 3 lines, 0.00 of 40.00; 1 months, 40.00",
		} {
			if diff := cmp.Diff(want, tellConcluded(t, l, run)); diff != "" {
				t.Errorf("%s, %s: wanted (-) and told (+):\n%s", kind, run, diff)
			}
		}
		if state("run2") == state("run3") || state("run3") == state("run4") {
			t.Errorf("%s: another conclusion is no other state", kind)
		}
	}
}

// What the page of a store adds up is what its rows add up to, from run to run, on days that are evaluated and on one that is not.
func TestSumsOfAStoreAreThoseOfItsRows(t *testing.T) {
	t.Parallel()
	for kind, l := range bankLedgers(t) {
		at, first := sales.Shop{Home: 1001, ID: "centro"}, parseDay("2026-11-03")
		for run, edit := range []func(*ownsales.Conclusion){
			nil,
			func(c *ownsales.Conclusion) {
				c.Matches[0].Bucket, c.Matches[0].Difference = ownsales.Divergent, ledger.Real
			},
			func(c *ownsales.Conclusion) { c.Matches[1].Bucket, c.Matches[1].Difference = ownsales.Matched, 1 },
			func(c *ownsales.Conclusion) { c.Days = c.Days[1:] },
		} {
			must(t, l.KeepSales(t.Context(), &ledger.Run{ID: fmt.Sprint("R", run)}, concludedStore(edit), nil))
			for _, p := range []ledger.Period{{From: 1, To: first + 9}, {From: first, To: first}, {From: first + 1, To: first + 1}} {
				var want []sales.BucketSum
				for _, bucket := range ownsales.Buckets() {
					sum := sales.BucketSum{Bucket: bucket}
					must(t, l.LatestMatches(t.Context(), at, bucket, p, 100, func(m *ownsales.Match) error {
						sum.Rows++
						sum.Difference += m.Difference
						return nil
					}))
					if sum.Rows > 0 {
						want = append(want, sum)
					}
				}
				got, err := l.BucketSums(t.Context(), at, p)
				must(t, err)
				if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 && p.Contains(first) {
					t.Errorf("%s, run %d, %s: rows (-) and sums (+):\n%s", kind, run, p, diff)
				}
			}
		}
	}
}
