package reportset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// BookReader reads what sets of the movement and the journal show of the books.
type BookReader struct {
	Ledger         *store.Ledger
	Unit           ledger.Unit
	Calendar       func(ledger.Account) *calendar.Calendar
	JournalFormats []report.Format // of the journal in each set of the movement
}

// NewMovement reads what a set of the movement shows besides its events. before is the set before it; nil: it is the first.
func (b *BookReader) NewMovement(ctx context.Context, cuts []books.Cut, before *published.Set) (*export.Movement, error) {
	first := &cuts[0]
	out := &export.Movement{Set: first.Set, Revision: first.Revision, From: first.From}
	if before != nil {
		out.Previous = &manifest.PreviousSet{Set: first.Set - 1, ManifestSHA256: before.Manifest.SHA256}
	}
	for i := range cuts {
		cut, err := b.newMovementCut(ctx, &cuts[i])
		if err != nil {
			return nil, err
		}
		out.Cuts = append(out.Cuts, cut)
	}
	return out, nil
}

func (b *BookReader) newMovementCut(ctx context.Context, c *books.Cut) (out export.MovementCut, err error) {
	out = export.MovementCut{Source: c.Source, Events: map[bookkeeping.EventType]int{}, BeforeFrom: c.BeforeFrom}
	for n := c.NSA; n != 0 && n <= c.LastNSA; n++ {
		out.NSA = append(out.NSA, n)
	}
	tallies, err := b.Ledger.Tallies(ctx, c)
	if err != nil {
		return out, err
	}
	var restated int64
	byReason := map[string]*export.LeftOut{}
	for i := range tallies {
		t := &tallies[i]
		restated += t.Restated
		out.Events[t.Type] += int(t.Count)
		out.Sums.Add(t.Sums)
		if t.Reason == "" {
			continue
		}
		l := byReason[t.Reason]
		if l == nil {
			l = &export.LeftOut{Reason: t.Reason}
			byReason[t.Reason] = l
		}
		l.Count += t.Count
		l.Sums.Add(t.Sums)
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		out.LeftOut = append(out.LeftOut, *byReason[reason])
	}
	if out.Restated, err = b.countRestated(ctx, c, restated); err != nil {
		return out, err
	}
	if out.Told, err = b.Ledger.SentSums(ctx, c.Account, c.Source, c.Set); err != nil {
		return out, err
	}
	out.States, err = b.Ledger.KeptMovementSums(ctx, c.Account, c.Source, c.ToRun)
	return out, err
}

// countRestated has so many restated events of a cut count for each document that changed since the cut before; nil: there are none, or
// the ledger was put back to a backup that does not know one of the runs, so that nothing is known of its documents.
func (b *BookReader) countRestated(ctx context.Context, c *books.Cut, events int64) (map[string]int64, error) {
	if events == 0 {
		return nil, nil
	}
	was, err := b.Ledger.RunByID(ctx, c.FromRun)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	is, err := b.Ledger.RunByID(ctx, c.ToRun)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	out := map[string]int64{}
	for _, name := range []string{"contract", "mapping", "profile"} {
		if was.Documents[name] != is.Documents[name] {
			out[name] = events
		}
	}
	return out, nil
}

// ignoreNotFound returns nil if what was looked for is not in the ledger, else the error.
func ignoreNotFound(err error) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil
	}
	return err
}

// EventsOf answers for the events of cuts.
func (b *BookReader) EventsOf(cuts []books.Cut) *source.ReportSource {
	return source.New(source.Set{
		Ledger: b.Ledger, Accounts: []ledger.Account{cuts[0].Account}, Unit: b.Unit, AsOf: cuts[0].AsOf,
		Calendar: b.Calendar, Cuts: cuts,
	})
}

// CutsOf are the cuts of a published set.
func (b *BookReader) CutsOf(ctx context.Context, kept *published.Set) ([]books.Cut, error) {
	accounts := (&export.Inputs{}).AccountsOf(kept.Account)
	if len(accounts) != 1 {
		return nil, fmt.Errorf("account %s has no movement", kept.Account)
	}
	cuts, err := b.Ledger.Cuts(ctx, accounts[0])
	if err != nil {
		return nil, err
	}
	for _, set := range GroupCuts(cuts) {
		if set[0].AsOf == kept.Period.To && set[0].Revision == kept.Revision {
			return set, nil
		}
	}
	return nil, fmt.Errorf("the ledger has no events of set %s", RevisionName(kept))
}

// GroupCuts puts the cuts of each set together, in order of set.
func GroupCuts(cuts []books.Cut) (sets [][]books.Cut) {
	for i := range cuts {
		if i == 0 || cuts[i].Set != cuts[i-1].Set {
			sets = append(sets, nil)
		}
		sets[len(sets)-1] = append(sets[len(sets)-1], cuts[i])
	}
	return sets
}
