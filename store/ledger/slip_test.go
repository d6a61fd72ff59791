package ledger

import (
	"slices"
	"testing"
	"time"
)

// A detail that repeats what a list shows changes nothing of a slip; one that shows more, or something else, does.
func TestDetailCountsOnlyForWhatItAdds(t *testing.T) {
	t.Parallel()
	const day = Date(20_000)
	list := SlipView{
		Account: 1001, ID: "a", List: SlipsDue, Value: 100_000, Issued: day, Due: day + 10, PayerDocument: "52998224725", PayerName: "Ana",
		BarCode: "001", Status: Some[int64](BillIssued), Integration: Some[int64](IntegrationProcessing),
	}
	same := list
	same.List, same.Integration = SlipDetail, Opt[int64]{}
	change := func(change func(*SlipView)) SlipView {
		d := same
		change(&d)
		return d
	}
	overdue := list
	overdue.Status = Some[int64](BillOverdue)
	for _, c := range []struct {
		says    string
		list    SlipView
		detail  SlipView
		came    Date // as-of of the detail, the list's being day
		adds    bool
		unpaid  bool // the merged slip is not paid
		overdue bool
	}{
		{says: "all alike", list: list, detail: same, came: day + 1, unpaid: true},
		{says: "it leaves out a name and a code", list: list, detail: change(func(d *SlipView) { d.PayerName, d.BarCode = "", "" }), came: day + 1, unpaid: true},
		{says: "it can't say overdue", list: overdue, detail: same, came: day + 1, unpaid: true, overdue: true},
		{says: "nothing paid is no payment", list: list, detail: change(func(d *SlipView) { d.PaidValue = Some[Amount](0) }), came: day + 1, unpaid: true},
		{says: "it shows a payment", list: list, detail: change(func(d *SlipView) { d.PaidOn, d.PaidValue = day+3, Some[Amount](100_000) }), came: day + 1, adds: true},
		{says: "it shows a code that the list lacks", list: list, detail: change(func(d *SlipView) { d.PixCode = "br" }), came: day + 1, adds: true, unpaid: true},
		{says: "it shows another status", list: list, detail: change(func(d *SlipView) { d.Status = Some[int64](BillProcessing) }), came: day + 1, adds: true, unpaid: true},
		{says: "it shows another due date", list: list, detail: change(func(d *SlipView) { d.Due++ }), came: day + 1, adds: true, unpaid: true},
		{says: "the list followed only later", list: list, detail: same, came: day - 1, adds: true, unpaid: true},
	} {
		seen := time.Unix(0, 0)
		views := []SlipVersion{
			{SlipView: c.list, Version: 1, SeenAt: seen, LastChanged: day, FirstSeen: day},
			{SlipView: c.detail, Version: 1, SeenAt: seen.Add(time.Second), LastChanged: c.came, FirstSeen: c.came},
		}
		s := SlipOf(views, nil)
		version, changed, in := 1, day, []Source{SlipsDue}
		if c.adds {
			version, changed, in = 2, max(day, c.came), []Source{SlipDetail, SlipsDue}
		}
		lists := s.SeenIn()
		slices.Sort(lists)
		slices.Sort(in)
		if s.Version != version || s.LastChanged != changed || !slices.Equal(lists, in) {
			t.Errorf("%s: version %d, changed on %s, seen in %v; want %d, %s, %v", c.says, s.Version, s.LastChanged, lists, version, changed, in)
		}
		if c.unpaid != (s.PaidOn == 0) || c.overdue != (s.Status.V == BillOverdue) || s.PayerName != "Ana" || s.View(SlipDetail) == nil {
			t.Errorf("%s: merged to %+v", c.says, s.SlipView)
		}
	}
}

// What the detail repeated is forgotten with the version of the list that showed it no more than that version is.
func TestEarlierDetailThatRepeatedCountsNothing(t *testing.T) {
	t.Parallel()
	const day = Date(20_000)
	list := SlipView{Account: 1001, ID: "a", List: SlipsDue, Value: 100_000, Issued: day, Due: day + 10, Status: Some[int64](BillIssued)}
	detail := list
	detail.List = SlipDetail
	paid, known := list, detail
	paid.PaidOn, paid.Status = day+2, Some[int64](BillPaid)
	known.PaidOn, known.Status = paid.PaidOn, paid.Status
	s := SlipOf(
		[]SlipVersion{{SlipView: paid, Version: 2, LastChanged: day + 3}, {SlipView: known, Version: 2, LastChanged: day + 4}},
		[]SlipVersion{{SlipView: list, Version: 1, LastChanged: day}, {SlipView: detail, Version: 1, LastChanged: day + 1}},
	)
	if s.Version != 2 || s.LastChanged != day+3 || len(s.SeenIn()) != 1 {
		t.Errorf("version %d, changed on %s, seen in %v", s.Version, s.LastChanged, s.SeenIn())
	}
}
