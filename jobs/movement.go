package jobs

import (
	"cmp"
	"context"
	"slices"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/setpublish"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/published"
)

// FixedMovement is what is wrong with the settings, by what the accounts' first sets fixed; empty: nothing is.
type FixedMovement struct {
	From, Settle words.Message // with the first day, and with which event is the liquidação of a slip
	Sources      words.Message // with a source that no set has yet
}

// CheckMovement compares the settings with what the accounts' first sets fixed.
func (w *Worker) CheckMovement(ctx context.Context) (wrong FixedMovement, err error) {
	if !w.Movement.Enabled {
		return wrong, nil
	}
	for _, a := range w.Accounts {
		cuts, err := w.Ledger.Cuts(ctx, a.Number)
		if err != nil {
			return wrong, err
		}
		first := w.Movement.From
		for i := range cuts {
			c := &cuts[i]
			if wrong.From.ID == "" && first != 0 && first != c.From {
				wrong.From = words.NewMessage("want.fixed_from", "day", c.From, "account", a.Number)
			}
			if wrong.Settle.ID == "" && c.SettleOnPayment != w.Movement.SettleOnPayment {
				wrong.Settle = words.NewMessage("want.fixed_settle", "account", a.Number)
			}
		}
		for _, source := range w.Movement.Sources {
			known := slices.ContainsFunc(cuts, func(c books.Cut) bool { return c.Source == source })
			if wrong.Sources.ID == "" && len(cuts) > 0 && !known && w.Today() < first {
				wrong.Sources = words.NewMessage("want.without_source", "source", source, "day", first, "account", a.Number)
			}
		}
	}
	return wrong, nil
}

// copyMovement copies the sets of the movement of days from the archive to the place of the request, in their order.
func (t *task) copyMovement(ctx context.Context, req *ReportRequest) (*Summary, error) {
	w := t.worker
	switch {
	case req.Out == "" || req.AsOfRun != "":
		return nil, casework.NewRequestError("error.movement_told", "hint.movement_copy")
	case len(req.Kinds)+len(req.Formats)+len(req.Brands)+len(req.Statuses) > 0:
		return nil, casework.NewRequestError("error.movement_whole", "hint.movement_whole")
	}
	run, err := t.beginRun(ctx, ledger.ReportRun, w.Today())
	if err != nil {
		return nil, err
	}
	defer run.release()
	s := run.newSummary()
	out := s.newPublications()
	out.Files = []setpublish.FileSummary{}
	sets, err := listMovement(ctx, w.Ledger, t.accounts, req.Period)
	if err != nil {
		return nil, err
	}
	if err := run.newSetPublisher().CopyMovement(ctx, out, sets); err != nil {
		return nil, err
	}
	s.addPublications(out)
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}

// listMovement returns the published sets of the movement of accounts whose as-of lies in a period, in order of
// publication.
func listMovement(ctx context.Context, l *store.Ledger, accounts []Account, p ledger.Period) (out []*published.Set, err error) {
	for _, a := range accounts {
		all, err := l.SetsOf(ctx, a.Number.String())
		if err != nil {
			return nil, err
		}
		for _, set := range all {
			if set.Basis == string(report.ByMovement) && p.Contains(set.Period.To) {
				out = append(out, set)
			}
		}
	}
	slices.SortFunc(out, func(a, b *published.Set) int { return cmp.Compare(a.Number, b.Number) })
	return out, nil
}
