package jobs

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger"
)

// reportJournal renders and publishes the journal of a period, for each account as of its last set of the movement.
func (t *task) reportJournal(ctx context.Context, req *ReportRequest) (*Summary, error) {
	w := t.worker
	formats, err := t.newRequestParser().ParseJournal(req)
	if err != nil {
		return nil, err
	}
	last, err := findLastCuts(ctx, w.Ledger, t.accounts, req.AsOfRun)
	if err != nil {
		return nil, err
	}
	asOf := slices.MaxFunc(last, func(a, b books.Cut) int { return int(a.AsOf - b.AsOf) }).AsOf
	run, err := t.beginRun(ctx, ledger.ReportRun, asOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	s, publisher := run.newSummary(), run.newSetPublisher()
	out := s.newPublications()
	for i, a := range t.accounts {
		if err := publisher.BookCuts(ctx, a.Number); err != nil {
			return nil, err
		}
		base, err := w.Ledger.RunByID(ctx, last[i].ToRun)
		if err != nil {
			return nil, err
		}
		set := reportset.Request{
			Name: a.Number.String(), Accounts: []Account{a}, Basis: report.ByPosting, Period: req.Period,
			Kinds: []report.Kind{report.JournalKind, report.ControlKind}, Formats: formats, Requested: true,
		}
		write := publisher.PublishJournal
		if req.Out != "" {
			write = publisher.WriteJournalExtract
		}
		if err := write(ctx, base, out, set, last[i].Set); err != nil {
			return nil, err
		}
	}
	s.addPublications(out)
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}

// findLastCuts finds the last cut of each account, or the last that there was when a run had ended.
func findLastCuts(ctx context.Context, l *store.Ledger, accounts []Account, run string) (last []books.Cut, err error) {
	for _, a := range accounts {
		cuts, err := l.Cuts(ctx, a.Number)
		if err != nil {
			return nil, err
		}
		cuts = slices.DeleteFunc(cuts, func(c books.Cut) bool { return run != "" && c.ToRun > run })
		if len(cuts) == 0 {
			return nil, casework.NewRequestError("error.no_movement", "hint.run_first", "account", a.Number)
		}
		last = append(last, cuts[len(cuts)-1])
	}
	return last, nil
}
