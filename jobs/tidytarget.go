package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/manifest"
	"concilia/export/retire"
	"concilia/jobs/publish"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// retireFiles deletes published files whose days of retention are over (operations 11). Of a period only files that a
// later revision replaced are deleted, of states those of days before the last; the revision of a close never is. The
// ledger keeps every revision and records what was deleted. If it is killed, the next run continues.
func (w *Worker) retireFiles(ctx context.Context, run *ledger.Run, s *Summary) error {
	if len(w.Retention) == 0 || s.Gone {
		return nil
	}
	// A nightly run may be as of any day; the age of files is counted up to today.
	today := min(run.AsOf, w.Today())
	expired := w.newRetention()
	due, files, err := expired.FindExpired(ctx, today)
	if err != nil || len(due) == 0 {
		return err
	}
	w.Progress.Step("retention", len(due))
	staging, release, err := w.Target.Stage(ctx)
	if err == nil {
		defer release()
	}
	to := w.newPublisher().NewWriter()
	absent := 0
	for i := 0; err == nil && i < len(due); i++ {
		var deleted []reports.File
		deleted, err = expired.DeleteFiles(ctx, to, staging, &due[i])
		for _, f := range deleted {
			s.Retired = append(s.Retired, newFileSummary(w.Reports.Out, f, false))
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, retire.ErrRevisionMissing): // it was published to another reports.out
			absent, err = absent+1, nil
		case err != nil && (w.IsTargetGone == nil || !w.IsTargetGone(err)):
			k := due[i].Set
			s.Unpublished = append(s.Unpublished, fmt.Errorf("retention of set %s %s %s r%d: %w", k.Account, k.Basis, k.Period, k.Revision, err))
			err = nil
		}
		w.Progress.Advance(1)
	}
	if err != nil && !s.noteUnreachable(w.newPublisher(), err) {
		return err
	}
	text := fmt.Sprintf("%d of %s taken away", len(s.Retired), ledger.CountText(files, "file past its days is", "files past their days are"))
	if absent > 0 {
		text += fmt.Sprintf("; %s published elsewhere", ledger.CountText(absent, "revision was", "revisions were"))
	}
	w.Progress.Done(text)
	return nil
}

// trimArchive removes from the archive what is older than reports.archive_keep_days and is nowhere else any more, and
// files that no revision names. A run of only some accounts does neither, because another run may be about to record
// what it archived.
func (w *Worker) trimArchive(ctx context.Context, run *ledger.Run, s *Summary) error {
	if s.Gone || !w.AllAccounts {
		return nil
	}
	session, err := w.newPublisher().Open(ctx, true)
	if s.noteArchiveError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	if w.ArchiveKeepDays > 0 {
		closes, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
		if err != nil {
			return err
		}
		before := w.Wall().AddDate(0, 0, -w.ArchiveKeepDays)
		run.ArchiveRemoved, err = session.RemoveOld(ctx, before, min(run.AsOf, w.Today()), func(kept *reports.Set) bool {
			return publish.ClosedAt(closes, kept)
		})
		if s.noteArchiveError(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	orphans, err := session.SweepOrphans(ctx)
	if s.noteArchiveError(err) {
		return nil
	}
	if removed := int(run.ArchiveRemoved) + orphans; err == nil && removed > 0 {
		w.Progress.Step("archive", removed)
		w.Progress.Done(fmt.Sprintf("%s removed, past reports.archive_keep_days; %d that no report set names", ledger.CountText(int(run.ArchiveRemoved), "file is", "files are"), orphans))
	}
	return err
}

// newRetention returns what is kept for how long of the worker's accounts, and of the sets over all.
func (w *Worker) newRetention() *publish.Retention {
	r := &publish.Retention{Ledger: w.Ledger, Accounts: []string{manifest.AllAccounts}, Days: w.Retention}
	for _, a := range w.Accounts {
		r.Accounts = append(r.Accounts, a.Number.String())
	}
	return r
}

// updateIndexes replaces the pages that lead to the files of the target, of all accounts and of each, where they have changed. They
// are made from what the ledger knows was delivered there; if the target lacked something, each set is looked for. Reports are whole
// without them, so a failure is only told.
func (p *setPublisher) updateIndexes(ctx context.Context, lacked bool) error {
	if p.publisher.Target == nil {
		return nil
	}
	err := (&publish.Indexer{Publisher: p.publisher, Language: p.reports.Language, Names: p.reports.Names, Lacked: lacked}).WriteIndexes(ctx)
	if err == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.progress.Step("index", 0)
	p.progress.Done(fmt.Sprintf("the pages that lead to the files were not renewed, the next publication tries again: %v", err))
	return nil
}
