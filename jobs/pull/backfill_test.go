package pull

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// Windows double while answers are small, up to the widest one, and never contain a day that is not asked for.
func TestWidestWindows(t *testing.T) {
	t.Parallel()
	days := func(periods ...ledger.Period) (out []ledger.Date) {
		for _, p := range periods {
			for d := p.From; d <= p.To; d++ {
				out = append(out, d)
			}
		}
		return out
	}
	for _, c := range []struct {
		says string
		days []ledger.Date
		want []ledger.Period
	}{
		{"no days", nil, nil},
		{"one day", days(ledger.Period{From: 5, To: 5}), []ledger.Period{{From: 5, To: 5}}},
		{"each window is twice as wide as the newer one", days(ledger.Period{From: 1, To: 7}), []ledger.Period{{From: 7, To: 7}, {From: 5, To: 6}, {From: 1, To: 4}}},
		{
			"a day between is in no window", days(ledger.Period{From: 1, To: 4}, ledger.Period{From: 6, To: 7}),
			[]ledger.Period{{From: 7, To: 7}, {From: 6, To: 6}, {From: 1, To: 4}},
		},
		{
			"no window is wider than the widest", days(ledger.Period{From: 1, To: 100}),
			[]ledger.Period{
				{From: 100, To: 100},
				{From: 98, To: 99},
				{From: 94, To: 97},
				{From: 86, To: 93},
				{From: 70, To: 85},
				{From: 39, To: 69},
				{From: 8, To: 38},
				{From: 1, To: 7},
			},
		},
	} {
		if diff := cmp.Diff(c.want, WidestWindows(c.days)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.says, diff)
		}
	}
}

// Without a ledger every day of every list is selected, up to today; boletos may fall due later.
func TestSelectRangesOfAnEmptyLedger(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	today := ledger.DateOf(now, time.UTC)
	p := &Puller{Accounts: []plan.Account{{Number: 1001}}, Zone: time.UTC, Now: func() time.Time { return now }}
	period := ledger.Period{From: today - 1, To: today + 1}
	got, err := p.SelectRanges(context.Background(), Selection{Period: period, Sources: []ledger.Source{ledger.Cards, ledger.SlipsDue}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Range{
		{
			Account: 1001, Source: ledger.Cards, Period: ledger.Period{From: today - 1, To: today},
			Days: []ledger.Date{today - 1, today}, Reason: "not complete yet",
		},
		{
			Account: 1001, Source: ledger.SlipsDue, Period: period, Days: []ledger.Date{today - 1, today, today + 1},
			Reason: "not complete yet",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A run continues another one only if both ask the same lists of the same accounts for the same days and for the same reason.
func TestSameRanges(t *testing.T) {
	t.Parallel()
	one := Range{Account: 1001, Source: ledger.Cards, Period: ledger.Period{From: 1, To: 9}, Days: []ledger.Date{3}, Reason: "asked again"}
	units := one.workUnits("earlier")[:1]
	for _, c := range []struct {
		says   string
		change func(*Range)
		want   bool
	}{
		{"the same range", func(*Range) {}, true},
		{"fewer days are left", func(r *Range) { r.Days = nil }, true},
		{"another account", func(r *Range) { r.Account = 1002 }, false},
		{"another list", func(r *Range) { r.Source = ledger.SlipsDue }, false},
		{"another period", func(r *Range) { r.Period.To = 8 }, false},
		{"another reason", func(r *Range) { r.Reason = "asked for" }, false},
	} {
		other := one
		c.change(&other)
		if got := SameRanges([]Range{other}, units); got != c.want {
			t.Errorf("%s: %v, want %v", c.says, got, c.want)
		}
	}
	if SameRanges([]Range{one, one}, units) {
		t.Error("two ranges are not the same as one")
	}
}
