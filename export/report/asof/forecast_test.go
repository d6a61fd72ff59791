package asof_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
)

// Every amount with a day is in exactly one row, days without money are shown, and running totals end at the totals.
func TestForecastDays(t *testing.T) {
	t.Parallel()
	kinds := []ledger.ForecastKind{
		ledger.ForecastCards, ledger.ForecastSlipsPaid, ledger.ForecastSlipsDue, ledger.ForecastSplits, ledger.ForecastBlocked, ledger.LateCards,
	}
	rapid.Check(t, func(r *rapid.T) {
		f := &report.AccountForecast{Account: 1001}
		for d := range ledger.Date(rapid.IntRange(0, 9).Draw(r, "days")) {
			f.Days = append(f.Days, 1000+2*d)
		}
		want := map[ledger.ForecastKind]ledger.Amount{}
		for range rapid.IntRange(0, 20).Draw(r, "sums") {
			s := ledger.ForecastSum{
				Kind: rapid.SampledFrom(kinds).Draw(r, "kind"), Day: ledger.Date(rapid.SampledFrom([]int{0, 999, 1000, 1002, 1004, 1030}).Draw(r, "day")),
				Items: 1, Printed: ledger.Amount(rapid.IntRange(-500, 500).Draw(r, "cents")) * ledger.Cent,
			}
			s.Exact = s.Printed + 1
			f.Sums = append(f.Sums, s)
			if s.Day != 0 {
				want[s.Kind] += s.Printed
			}
		}
		days := asof.ForecastDays(f)
		got := map[ledger.ForecastKind]ledger.Amount{}
		shown := map[ledger.Date]bool{}
		for i := range days {
			d := &days[i]
			shown[d.Day] = true
			got[ledger.ForecastCards] += d.Cards.Printed
			got[ledger.ForecastSlipsPaid] += d.SlipsPaid.Printed
			got[ledger.ForecastSlipsDue] += d.SlipsDue.Printed
			got[ledger.ForecastSplits] += d.Splits.Printed
			got[ledger.ForecastBlocked] += d.Blocked.Printed
			if i+1 < len(days)-1 && days[i+1].Day <= d.Day {
				r.Errorf("day %s comes after %s", days[i+1].Day, d.Day)
			}
		}
		for _, kind := range kinds[:5] {
			if got[kind] != want[kind] {
				r.Errorf("%s: the rows have %s, should have %s", kind, got[kind], want[kind])
			}
		}
		for _, d := range f.Days {
			if !shown[d] {
				r.Errorf("day %s has no row", d)
			}
		}
		confirmed := want[ledger.ForecastCards] + want[ledger.ForecastSlipsPaid] - want[ledger.ForecastSplits]
		last := days[len(days)-1]
		if last.Day != 0 || last.ConfirmedToDate.Printed != confirmed || last.ExpectedToDate.Printed != confirmed+want[ledger.ForecastSlipsDue] {
			r.Errorf("the last row is %+v", last)
		}
	})
}

func TestForecastTakesNoFilter(t *testing.T) {
	t.Parallel()
	asked, formats := []report.Kind{report.ForecastKind}, []report.Format{report.CSV}
	filter := report.Filter{Brands: []string{"visa"}}
	if _, err := kindlist.Choose(asked, formats, report.ByAsOf, ledger.Period{}, filter, true); err == nil {
		t.Error("a filtered forecast was not refused")
	}
	kinds, err := kindlist.Choose(append(asked, report.AgendaKind), formats, report.ByAsOf, ledger.Period{}, filter, false)
	if err != nil || len(kinds) != 2 || kinds[0] != report.AgendaKind {
		t.Errorf("of configured kinds a filter leaves %v, %v", kinds, err)
	}
}
