package publish

import (
	"context"
	"path"
	"slices"

	"concilia/export/report"
	"concilia/export/retire"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// ExpiredRevision is a published revision with files that are kept no longer.
type ExpiredRevision struct {
	Set   *published.Set
	files []int // of Set.Files
	later []int // the revisions that replaced them
	// on is the day of the tombstone: not before the last state set, because only later ones can report it.
	on ledger.Date
}

// Retention knows for how many days published files are kept.
type Retention struct {
	Ledger   *store.Ledger
	Accounts []string       // whose sets are looked at
	Days     map[string]int // by report kind or format; the longer applies if both are set. Empty: for ever
}

// FindExpired returns the revisions with expired files, and how many files these are.
func (r *Retention) FindExpired(ctx context.Context, today ledger.Date) (due []ExpiredRevision, files int, err error) {
	closes, err := r.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	if err != nil {
		return nil, 0, err
	}
	for _, account := range r.Accounts {
		all, err := r.Ledger.PublishedSets(ctx, account)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range r.SelectExpired(all, closes, today) {
			due = append(due, d)
			files += len(d.files)
		}
	}
	return due, files, nil
}

// Paths are those of the expired files.
func (d *ExpiredRevision) Paths() (out []string) {
	for _, i := range d.files {
		out = append(out, d.Set.Files[i].Path)
	}
	return out
}

// ClosedAt says whether a close names the revision.
func ClosedAt(closes []ledger.PeriodClose, kept *published.Set) bool {
	return slices.ContainsFunc(closes, func(c ledger.PeriodClose) bool {
		return c.Account.String() == kept.Account && c.Basis == kept.Basis && c.Period == kept.Period && kept.Filter == "" &&
			c.Revision == kept.Revision
	})
}

// SelectExpired selects the expired files among the published revisions of an account, which are ordered by set, the last one first.
// Those of a revision that a close names never are, and of the sets of the movement the last one is not.
func (r *Retention) SelectExpired(all []*published.Set, closes []ledger.PeriodClose, today ledger.Date) (due []ExpiredRevision) {
	var lastState ledger.Date
	var lastMoved *published.Set
	for _, kept := range all {
		switch {
		case kept.Basis == string(report.ByAsOf):
			lastState = max(lastState, kept.Period.To)
		case kept.Basis == string(report.ByMovement) && (lastMoved == nil || kept.Number > lastMoved.Number):
			lastMoved = kept
		}
	}
	var by map[string]int // the revision that replaced a file, by its name without revision
	for i, kept := range all {
		if kept.Basis == string(report.ByMovement) {
			if days := r.daysOfMovement(kept); kept != lastMoved && days > 0 && int(today-kept.AsOf) > days {
				due = append(due, expireWhole(kept, max(today, lastState)))
			}
			continue
		}
		if i == 0 || !sameSet(all[i-1], kept) {
			by = map[string]int{}
		}
		past := kept.Basis == string(report.ByAsOf) && kept.Period.To < lastState
		d := ExpiredRevision{Set: kept, on: max(today, lastState)}
		for n, f := range kept.Files {
			if f.RetiredOn != 0 {
				continue
			}
			later, replaced := by[nameWithoutRevision(f)]
			if !replaced {
				by[nameWithoutRevision(f)] = kept.Revision
			}
			replaced = replaced && later != kept.Revision // another part of the same file
			if days := r.daysOf(f); days == 0 || int(today-kept.AsOf) <= days || !replaced && !past {
				continue
			}
			if d.files = append(d.files, n); replaced && !slices.Contains(d.later, later) {
				d.later = append(d.later, later)
			}
		}
		if len(d.files) > 0 && !ClosedAt(closes, kept) {
			due = append(due, d)
		}
	}
	return due
}

func sameSet(a, b *published.Set) bool {
	return a.Basis == b.Basis && a.Period == b.Period && a.Filter == b.Filter
}

// daysOf returns how many days after its as-of date a file is kept, by its kind or its format, whichever is longer; 0: for ever.
func (r *Retention) daysOf(f published.File) int {
	return max(r.Days[f.Kind], r.Days[f.Format])
}

// daysOfMovement returns how many days after its as-of date a set of the movement is kept; 0: for ever. No set of the movement replaces another, so
// it goes by days of its own alone: each of its tables of events has to have some, and of all that apply to one of its files the longest count.
func (r *Retention) daysOfMovement(kept *published.Set) (days int) {
	for _, f := range kept.Files {
		if of := report.Kind(f.Kind); (of == report.CardEventsKind || of == report.SlipEventsKind) && r.Days[f.Kind] == 0 {
			return 0
		}
		days = max(days, r.daysOf(f))
	}
	return days
}

// expireWhole has all files of a revision go that are still there.
func expireWhole(kept *published.Set, on ledger.Date) ExpiredRevision {
	d := ExpiredRevision{Set: kept, on: on}
	for n, f := range kept.Files {
		if f.RetiredOn == 0 {
			d.files = append(d.files, n)
		}
	}
	return d
}

// DeleteFiles deletes the expired files of one revision and records it.
func (r *Retention) DeleteFiles(ctx context.Context, to retire.Target, staging string, d *ExpiredRevision) (deleted []published.File, err error) {
	retired := retirementOf(d.Set)
	retired.ReplacedBy, retired.On = d.later, d.on
	for _, i := range d.files {
		retired.Files[path.Base(d.Set.Files[i].Path)] = d.Set.Files[i].SHA256
	}
	gone, err := retire.Retire(ctx, to, staging, retired)
	if err != nil {
		return nil, err
	}
	kept := *d.Set
	kept.Files = slices.Clone(d.Set.Files)
	left := false
	for i := range kept.Files {
		f := &kept.Files[i]
		if slices.Contains(gone, path.Base(f.Path)) {
			f.RetiredOn = d.on
			deleted = append(deleted, *f)
		}
		left = left || f.RetiredOn == 0
	}
	on := d.on
	if left {
		on = 0
	}
	return deleted, r.Ledger.Retire(ctx, &kept, on)
}

func retirementOf(kept *published.Set) retire.Retirement {
	return retire.Retirement{
		Account: kept.Account, Basis: report.Basis(kept.Basis), Period: kept.Period, Filter: kept.Filter,
		Revision: kept.Revision, Files: map[string]string{},
	}
}

// UndoRetirement records that the deleted files of a revision are on the target again.
func UndoRetirement(ctx context.Context, l *store.Ledger, target retire.Target, kept *published.Set) error {
	again := *kept
	again.Files = slices.Clone(kept.Files)
	var days []ledger.Date
	for i := range again.Files {
		f := &again.Files[i]
		if f.RetiredOn != 0 && !slices.Contains(days, f.RetiredOn) {
			days = append(days, f.RetiredOn)
		}
		f.RetiredOn = 0
	}
	if len(days) == 0 {
		return nil
	}
	return retire.Restore(ctx, target, retirementOf(kept), days, func() error { return l.Retire(ctx, &again, 0) })
}
