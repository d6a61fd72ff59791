package pull

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// The service's clock is compared with the time between request and answer, in whole seconds as the header has them.
func TestMeasureSkew(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.March, 10, 12, 0, 0, 900e6, time.UTC)
	ended := began.Add(3 * time.Second)
	for _, c := range []struct {
		says   string
		server time.Time
		want   ledger.Opt[int64]
	}{
		{"an answer without the header says nothing", time.Time{}, ledger.Opt[int64]{}},
		{"a time between request and answer is right", began.Add(time.Second), ledger.Some[int64](0)},
		{"the second in which the request began is right", began.Truncate(time.Second), ledger.Some[int64](0)},
		{"a clock behind ours", began.Truncate(time.Second).Add(-40 * time.Second), ledger.Some[int64](-40)},
		{"a clock ahead of ours", ended.Add(90 * time.Second), ledger.Some[int64](90)},
	} {
		if got := measureSkew(&api.Receipt{Began: began, Ended: ended, ServerDate: c.server}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.says, got, c.want)
		}
	}
}

// Two answers differ on a day if one has a row more often than the other.
func TestDaysThatDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		a, b []rowName
		want []ledger.Date
	}{
		{"the same rows in another order", []rowName{{1, "a"}, {2, "b"}}, []rowName{{2, "b"}, {1, "a"}}, nil},
		{"a row is missing in the second", []rowName{{1, "a"}, {2, "b"}}, []rowName{{1, "a"}}, []ledger.Date{2}},
		{"a row is missing in the first", nil, []rowName{{3, "c"}}, []ledger.Date{3}},
		{"a duplicate counts", []rowName{{1, "a"}, {1, "a"}}, []rowName{{1, "a"}}, []ledger.Date{1}},
		{"days are in order and named once", []rowName{{9, "x"}, {4, "y"}, {4, "z"}}, nil, []ledger.Date{4, 9}},
	} {
		if diff := cmp.Diff(c.want, daysThatDiffer(c.a, c.b)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.says, diff)
		}
	}
}

// A wider window proves something about a bound only if its outer day has rows in the window of that day alone.
func TestMeasureListEnds(t *testing.T) {
	t.Parallel()
	day := func(d ledger.Date, rows int64) ledger.Pull {
		return ledger.Pull{
			Run: "r", Complete: true, Counts: ledger.Counts{Rows: rows},
			Window: ledger.Window{Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
		}
	}
	wider := func(first, last int64) ledger.Pull {
		return ledger.Pull{
			Run: "r", Window: ledger.Window{Source: ledger.Cards, Period: ledger.Period{From: 1, To: 3}},
			Note: ledger.PullNote{Wider: true, First: first, Last: last},
		}
	}
	for _, c := range []struct {
		says  string
		pulls []ledger.Pull
		want  []ListEnds
	}{
		{"no wider window", []ledger.Pull{day(1, 5)}, nil},
		{
			"both bounds are inclusive",
			[]ledger.Pull{day(1, 5), day(3, 2), wider(5, 2)},
			[]ListEnds{{Source: ledger.Cards, First: End{1, 1}, Last: End{1, 1}}},
		},
		{
			"the last day is left out",
			[]ledger.Pull{day(1, 5), day(3, 2), wider(5, 0)},
			[]ListEnds{{Source: ledger.Cards, First: End{1, 1}, Last: End{1, 0}}},
		},
		{
			"a day without rows proves nothing",
			[]ledger.Pull{day(1, 5), day(3, 0), wider(5, 0)},
			[]ListEnds{{Source: ledger.Cards, First: End{1, 1}}},
		},
	} {
		if diff := cmp.Diff(c.want, MeasureListEnds(c.pulls)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.says, diff)
		}
	}
	sum := MergeListEnds(nil, []ListEnds{{Source: ledger.Cards, First: End{1, 1}}})
	sum = MergeListEnds(sum, []ListEnds{{Source: ledger.Cards, First: End{2, 0}, Last: End{1, 1}}, {Source: ledger.SlipsDue}})
	if diff := cmp.Diff([]ListEnds{{Source: ledger.Cards, First: End{3, 1}, Last: End{1, 1}}, {Source: ledger.SlipsDue}}, sum); diff != "" {
		t.Errorf("merged: -want +got:\n%s", diff)
	}
}
