package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/export/manifest"
	"concilia/export/retire"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// fileRemover deletes what the target and the archive keep no longer.
type fileRemover struct {
	ledger          *store.Ledger
	publisher       *publish.Publisher
	retention       *publish.Retention
	archiveKeepDays int    // 0: for ever
	allAccounts     bool   // its accounts are all that publish into the archive
	out             string // the target as people see it
	today           func() ledger.Date
	wall            func() time.Time
	progress        pull.Progress
}

// newFileRemover returns a remover of the files of the accounts, and of the sets over all.
func (t *task) newFileRemover() *fileRemover {
	w := t.worker
	r := &fileRemover{
		ledger: w.Ledger, publisher: t.newPublisher(), archiveKeepDays: w.ArchiveKeepDays, allAccounts: w.AllAccounts, out: w.Reports.Out,
		today: w.Today, wall: w.Wall, progress: t.progress,
		retention: &publish.Retention{Ledger: w.Ledger, Accounts: []string{manifest.AllAccounts}, Days: w.Retention},
	}
	for _, a := range t.accounts {
		r.retention.Accounts = append(r.retention.Accounts, a.Number.String())
	}
	return r
}

// retireFiles deletes published files whose days of retention are over (operations 11). Of a period only files that a
// later revision replaced are deleted, of states those of days before the last; the revision of a close never is. The
// ledger keeps every revision and records what was deleted. If it is killed, the next run continues.
func (r *fileRemover) retireFiles(ctx context.Context, run *ledger.Run, s *Summary) error {
	if len(r.retention.Days) == 0 || s.Gone {
		return nil
	}
	// A nightly run may be as of any day; the age of files is counted up to today.
	today := min(run.AsOf, r.today())
	due, files, err := r.retention.FindExpired(ctx, today)
	if err != nil || len(due) == 0 {
		return err
	}
	r.progress.Step("retention", len(due))
	staging, release, err := r.publisher.Target.Stage(ctx)
	if err == nil {
		defer release()
	}
	to := r.publisher.NewWriter()
	absent := 0
	for i := 0; err == nil && i < len(due); i++ {
		var deleted []published.File
		deleted, err = r.retention.DeleteFiles(ctx, to, staging, &due[i])
		for _, f := range deleted {
			s.Retired = append(s.Retired, newFileSummary(r.out, f, false))
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, retire.ErrRevisionMissing): // it was published to another reports.out
			absent, err = absent+1, nil
		case err != nil && (r.publisher.Unreachable == nil || !r.publisher.Unreachable(err)):
			k := due[i].Set
			s.Unpublished = append(s.Unpublished, fmt.Errorf("retention of set %s %s %s r%d: %w", k.Account, k.Basis, k.Period, k.Revision, err))
			err = nil
		}
		r.progress.Advance(1)
	}
	if err != nil && !s.noteUnreachable(r.publisher, err) {
		return err
	}
	text := fmt.Sprintf("%d of %s taken away", len(s.Retired), ledger.CountText(files, "file past its days is", "files past their days are"))
	if absent > 0 {
		text += fmt.Sprintf("; %s published elsewhere", ledger.CountText(absent, "revision was", "revisions were"))
	}
	r.progress.Done(text)
	return nil
}

// trimArchive removes from the archive what is older than reports.archive_keep_days and is nowhere else any more, and
// files that no revision names. A run of only some accounts does neither, because another run may be about to record
// what it archived.
func (r *fileRemover) trimArchive(ctx context.Context, run *ledger.Run, s *Summary) error {
	if s.Gone || !r.allAccounts {
		return nil
	}
	session, err := r.publisher.Open(ctx, true)
	if s.noteArchiveError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	if r.archiveKeepDays > 0 {
		closes, err := r.ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
		if err != nil {
			return err
		}
		before := r.wall().AddDate(0, 0, -r.archiveKeepDays)
		run.ArchiveRemoved, err = session.RemoveOld(ctx, before, min(run.AsOf, r.today()), func(kept *published.Set) bool {
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
		r.progress.Step("archive", removed)
		r.progress.Done(fmt.Sprintf("%s removed, past reports.archive_keep_days; %d that no report set names", ledger.CountText(int(run.ArchiveRemoved), "file is", "files are"), orphans))
	}
	return err
}
