package jobs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
)

// answer is what the service said of a window of either side.
type answer struct {
	cards []ledger.Installment
	slips []ledger.SlipView
	twice []string // ids of slips shown more than once and not alike
	api.Receipt
}

// rows is how many the answer shows, readable or not: what a cap would count.
func (a *answer) rows() int64 { return int64(len(a.cards) + len(a.slips) + len(a.Bad)) }

// byDay is how many of them lie on each day; what shows no day lies on none.
func (a *answer) byDay() map[ledger.Date]int64 {
	n := map[ledger.Date]int64{}
	for i := range a.cards {
		n[a.cards[i].SoldAt.Date()]++
	}
	for i := range a.slips {
		n[a.slips[i].ListDay()]++
	}
	return n
}

// note tells of an answer what its rows do not.
func (a *answer) note(win ledger.Window) ledger.PullNote {
	n := ledger.PullNote{Skew: skew(&a.Receipt), Unknown: a.Unknown, Twice: a.twice}
	for i := range a.cards {
		if d := a.cards[i].SoldAt.Date(); !win.Period.Contains(d) {
			n.Outside++
			n.Day = cmp.Or(n.Day, d)
		}
	}
	for i := range a.slips {
		// A slip without the date its list goes by is another rule's business.
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

// skew is how far the service's clock was ahead of ours. The header has whole seconds and was written at some time
// between request and end: only what lies outside that is a difference.
func skew(r *api.Receipt) ledger.Opt[int64] {
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

// shownRow names a row of an answer: its day and what it is called within it. Two answers show the same when they name
// the same, as often.
type shownRow struct {
	day ledger.Date
	key string
}

// shown names the rows of the answer that lie in the period. One that cannot be read is named by the hash of its bytes.
func (a *answer) shown(p ledger.Period) []shownRow {
	out := make([]shownRow, 0, a.rows())
	add := func(d ledger.Date, key string) {
		if p.Contains(d) {
			out = append(out, shownRow{d, key})
		}
	}
	for i := range a.cards {
		// Occurrences are the ledger's: of an answer not merged yet every twin is the first.
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

// unlike are the days of which two answers name different rows, in order.
func unlike(a, b []shownRow) []ledger.Date {
	rest := make(map[shownRow]int, len(a))
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

// Asked tells what the account's answers came to, beside their rows, since a run last reconciled it.
func (f *ledgerFacts) Asked(ctx context.Context, a ledger.Account) (reconcile.Asked, error) {
	out := reconcile.Asked{Cap: int64(f.w.ListCap)}
	var err error
	if out.Pulls, err = plan.UnevaluatedPulls(ctx, f.w.Ledger, a); err != nil || len(out.Pulls) == 0 {
		return out, err
	}
	on := out.Pulls[len(out.Pulls)-1].On
	if out.Counts, err = f.DayCounts(ctx, a, ledger.Period{From: on - countedDays + 1, To: on}); err != nil {
		return out, err
	}
	out.Largest, err = f.LargestCounts(ctx, a)
	return out, err
}
