package setpublish

import (
	"context"
	"errors"
	"time"

	"concilia/export/retire"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// FileRemover deletes what the target and the archive keep no longer. All fields are required.
type FileRemover struct {
	Ledger          *store.Ledger
	Files           *publish.Publisher // the archive and the target
	Retention       *publish.Retention
	ArchiveKeepDays int                // 0: for ever
	AllAccounts     bool               // its accounts are all that publish into the archive
	Place           string             // the target as people see it
	Today           func() ledger.Date // business clock
	Wall            func() time.Time   // wall clock
	Progress        pull.Progress
}

// RetireFiles deletes published files whose days of retention are over (operations 11). Of a period only files that a
// later revision replaced are deleted, of states those of days before the last; the revision of a close never is. The
// ledger keeps every revision and records what was deleted. If it is killed, the next run continues.
func (r *FileRemover) RetireFiles(ctx context.Context, run *ledger.Run, out *Outcome) error {
	if len(r.Retention.Days) == 0 || out.Gone {
		return nil
	}
	// A nightly run may be as of any day; the age of files is counted up to today.
	today := min(run.AsOf, r.Today())
	due, files, err := r.Retention.FindExpired(ctx, today)
	if err != nil || len(due) == 0 {
		return err
	}
	r.Progress.Step("retention", len(due))
	staging, release, err := r.Files.Target.Stage(ctx)
	if err == nil {
		defer release()
	}
	to := r.Files.NewWriter()
	absent := 0
	for i := 0; err == nil && i < len(due); i++ {
		var deleted []published.File
		deleted, err = r.Retention.DeleteFiles(ctx, to, staging, &due[i])
		for _, f := range deleted {
			out.Retired = append(out.Retired, newFileSummary(r.Place, f, false))
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, retire.ErrRevisionMissing): // it was published to another reports.out
			absent, err = absent+1, nil
		case err != nil && (r.Files.Unreachable == nil || !r.Files.Unreachable(err)):
			k := due[i].Set
			out.Unpublished = append(out.Unpublished, words.NewFault("publish_fault.retention", "", "set", k.Account, "basis", k.Basis, "period", k.Period, "revision", k.Revision, "cause", err))
			err = nil
		}
		r.Progress.Advance(1)
	}
	if err != nil && !out.noteUnreachable(r.Files, err) {
		return err
	}
	results := []words.Message{words.NewMessage("steps.retired", "retired", len(out.Retired), "files", words.NewMessage("steps.file_past", "n", files))}
	if absent > 0 {
		results = append(results, words.NewMessage("steps.published_elsewhere", "n", absent))
	}
	r.Progress.Done(results...)
	return nil
}

// TrimArchive removes from the archive what is older than reports.archive_keep_days and is nowhere else any more, and
// files that no revision names. A run of only some accounts does neither, because another run may be about to record
// what it archived.
func (r *FileRemover) TrimArchive(ctx context.Context, run *ledger.Run, out *Outcome) error {
	if out.Gone || !r.AllAccounts {
		return nil
	}
	session, err := r.Files.Open(ctx, true)
	if out.noteArchiveError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	if r.ArchiveKeepDays > 0 {
		closes, err := r.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
		if err != nil {
			return err
		}
		before := r.Wall().AddDate(0, 0, -r.ArchiveKeepDays)
		run.ArchiveRemoved, err = session.RemoveOld(ctx, before, min(run.AsOf, r.Today()), func(kept *published.Set) bool {
			return publish.ClosedAt(closes, kept)
		})
		if out.noteArchiveError(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	orphans, err := session.SweepOrphans(ctx)
	if out.noteArchiveError(err) {
		return nil
	}
	if removed := int(run.ArchiveRemoved) + orphans; err == nil && removed > 0 {
		r.Progress.Step("archive", removed)
		r.Progress.Done(words.NewMessage("steps.trimmed", "files", words.NewMessage("steps.file_removed", "n", run.ArchiveRemoved), "orphans", orphans))
	}
	return err
}
