package pull

import (
	"cmp"
	"slices"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// answer is the service's answer for a window, of cards or of slips.
type answer struct {
	cards       []ledger.Installment
	slips       []ledger.SlipView
	conflicting []string // ids of slips shown more than once with different members
	api.Receipt
}

// countRows counts the rows, readable or not, as a limit of the operator would.
func (a *answer) countRows() int64 { return int64(len(a.cards) + len(a.slips) + len(a.Bad)) }

// countByDay counts the rows of each day; rows without a day are left out.
func (a *answer) countByDay() map[ledger.Date]int64 {
	n := map[ledger.Date]int64{}
	for i := range a.cards {
		n[a.cards[i].SoldAt.Date()]++
	}
	for i := range a.slips {
		n[a.slips[i].ListDay()]++
	}
	return n
}

// makeNote notes what the rows of an answer do not show.
func (a *answer) makeNote(win ledger.Window) ledger.PullNote {
	n := ledger.PullNote{Skew: measureSkew(&a.Receipt), Unknown: a.Unknown, Twice: a.conflicting}
	for i := range a.cards {
		if d := a.cards[i].SoldAt.Date(); !win.Period.Contains(d) {
			n.Outside++
			n.Day = cmp.Or(n.Day, d)
		}
	}
	for i := range a.slips {
		// A slip without the date of its list is found by another rule.
		v := &a.slips[i]
		if d := v.ListDay(); d != 0 && !win.Period.Contains(d) {
			n.Outside++
			n.Day = cmp.Or(n.Day, d)
			if len(n.SlipsOutside) < ledger.MaxNamed && !slices.Contains(n.SlipsOutside, v.ID) {
				n.SlipsOutside = append(n.SlipsOutside, v.ID)
			}
		}
	}
	return n
}

// measureSkew is how far the service's clock was ahead of ours. The header has whole seconds and was written at some time
// between request and end: only what lies outside that is a difference.
func measureSkew(r *api.Receipt) ledger.Opt[int64] {
	if r.ServerDate.IsZero() {
		return ledger.Opt[int64]{}
	}
	first, last := r.Began.Truncate(time.Second), r.Ended
	switch {
	case r.ServerDate.Before(first):
		return ledger.Some(int64(r.ServerDate.Sub(first) / time.Second))
	case r.ServerDate.After(last):
		return ledger.Some(int64(r.ServerDate.Sub(last) / time.Second))
	}
	return ledger.Some[int64](0)
}

// rowName identifies a row of an answer: its day and its key within the day. Two answers show the same rows if they have the
// same names, as often.
type rowName struct {
	day ledger.Date
	key string
}

// listRows returns the names of the rows in the period. A row that cannot be read is named by the hash of its bytes.
func (a *answer) listRows(p ledger.Period) []rowName {
	out := make([]rowName, 0, a.countRows())
	add := func(d ledger.Date, key string) {
		if p.Contains(d) {
			out = append(out, rowName{d, key})
		}
	}
	for i := range a.cards {
		// Occurrences are numbered when an answer is merged: before, every duplicate is the first.
		r := a.cards[i]
		r.Occurrence, r.SaleOccurrence = 0, 0
		k := r.Key()
		add(k.Day, k.Subject())
	}
	for i := range a.slips {
		add(a.slips[i].ListDay(), a.slips[i].ID)
	}
	for i := range a.Bad {
		add(p.From, a.Bad[i].Hash)
	}
	return out
}

// daysThatDiffer returns the days for which two answers have different rows, in order.
func daysThatDiffer(a, b []rowName) []ledger.Date {
	rest := make(map[rowName]int, len(a))
	for _, r := range a {
		rest[r]++
	}
	for _, r := range b {
		rest[r]--
	}
	var days []ledger.Date
	for r, n := range rest {
		if n != 0 {
			days = append(days, r.day)
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// countOuterDays notes how many rows the answer has for the first and for the last day of the window. Rows outside the window
// are not noted: it was wider on purpose.
func (a *answer) countOuterDays(n *ledger.PullNote, window ledger.Period) {
	n.Wider = true
	n.Outside, n.Day, n.SlipsOutside = 0, 0, nil
	count := func(d ledger.Date) {
		switch d {
		case window.From:
			n.First++
		case window.To:
			n.Last++
		}
	}
	for i := range a.cards {
		count(a.cards[i].SoldAt.Date())
	}
	for i := range a.slips {
		count(a.slips[i].ListDay())
	}
}

// ListEnds counts how often a list included the first and the last day of the range that was asked for, in the wider windows
// of an account's first runs.
type ListEnds struct {
	Source      ledger.Source
	First, Last End
}

// End is one bound of a list's date range. Decisive is the number of wider windows whose outer day has rows in
// another window of the same run; Shown is how many of them included that day. If the bound is inclusive the two are equal.
type End struct{ Decisive, Shown int }

// MeasureListEnds evaluates the wider windows among the pulls of one account. Lists without one are left out.
func MeasureListEnds(pulls []ledger.Pull) []ListEnds {
	type window struct {
		run    string
		source ledger.Source
		day    ledger.Date
	}
	inside := map[window]int64{} // rows of a day, by the window of that day alone
	for i := range pulls {
		p := &pulls[i]
		if p.Complete && p.Window.Period.Days() == 1 {
			inside[window{p.Run, p.Window.Source, p.Window.Period.From}] = p.Counts.Rows - p.Note.Outside
		}
	}
	bySource := map[ledger.Source]*ListEnds{}
	for i := range pulls {
		p := &pulls[i]
		if !p.Note.Wider {
			continue
		}
		e := bySource[p.Window.Source]
		if e == nil {
			e = &ListEnds{Source: p.Window.Source}
			bySource[e.Source] = e
		}
		e.First.addWindow(inside[window{p.Run, e.Source, p.Window.Period.From}], p.Note.First)
		e.Last.addWindow(inside[window{p.Run, e.Source, p.Window.Period.To}], p.Note.Last)
	}
	var out []ListEnds
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		if e := bySource[source]; e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// addWindow counts a wider window: held is the number of rows of its outer day, shown how many of them it has.
func (e *End) addWindow(held, shown int64) {
	if held == 0 {
		return
	}
	if e.Decisive++; shown > 0 {
		e.Shown++
	}
}

// MergeListEnds adds the counts of more accounts to those of others.
func MergeListEnds(all, more []ListEnds) []ListEnds {
	for _, m := range more {
		found := false
		for i := range all {
			if a := &all[i]; a.Source == m.Source {
				a.First.Decisive, a.First.Shown = a.First.Decisive+m.First.Decisive, a.First.Shown+m.First.Shown
				a.Last.Decisive, a.Last.Shown = a.Last.Decisive+m.Last.Decisive, a.Last.Shown+m.Last.Shown
				found = true
			}
		}
		if !found {
			all = append(all, m)
		}
	}
	return all
}
