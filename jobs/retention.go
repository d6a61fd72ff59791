package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/retire"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// expiredRevision is a published revision with files that are kept no longer.
type expiredRevision struct {
	set   *reports.Set
	files []int // of set.Files
	later []int // the revisions that replaced them
	// on is the day of the tombstone: not before the last state set, because only later ones can report it.
	on ledger.Date
}

// retireFiles deletes published files whose days of retention are over (operations 11). Of a period only files that a
// later revision replaced are deleted, of states those of days before the last; the revision of a close never is. The
// ledger keeps every revision and records what was deleted. If it is killed, the next run continues.
func (w *Worker) retireFiles(ctx context.Context, run *ledger.Run, s *Summary) error {
	if len(w.Retention) == 0 || s.Gone {
		return nil
	}
	// A nightly run may be as of any day; the age of files is counted up to today.
	today := min(run.AsOf, w.Today())
	due, files, err := w.findExpired(ctx, today)
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
		err = w.retireSet(ctx, s, to, staging, due[i])
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, retire.ErrRevisionMissing): // it was published to another reports.out
			absent, err = absent+1, nil
		case err != nil && (w.IsTargetGone == nil || !w.IsTargetGone(err)):
			k := due[i].set
			s.Unpublished = append(s.Unpublished, fmt.Errorf("retention of set %s %s %s r%d: %w", k.Account, k.Basis, k.Period, k.Revision, err))
			err = nil
		}
		w.Progress.Advance(1)
	}
	if err != nil && !w.noteTargetGone(s, err) {
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
	if w.noteArchiveError(s, err) {
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
			return closedAt(closes, kept)
		})
		if w.noteArchiveError(s, err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	orphans, err := session.SweepOrphans(ctx)
	if w.noteArchiveError(s, err) {
		return nil
	}
	if removed := int(run.ArchiveRemoved) + orphans; err == nil && removed > 0 {
		w.Progress.Step("archive", removed)
		w.Progress.Done(fmt.Sprintf("%s removed, past reports.archive_keep_days; %d that no report set names", ledger.CountText(int(run.ArchiveRemoved), "file is", "files are"), orphans))
	}
	return err
}

// findExpired returns the revisions with expired files, and how many files these are.
func (w *Worker) findExpired(ctx context.Context, today ledger.Date) (due []expiredRevision, files int, err error) {
	closes, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	if err != nil {
		return nil, 0, err
	}
	accounts := []string{manifest.AllAccounts}
	for _, a := range w.Accounts {
		accounts = append(accounts, a.Number.String())
	}
	for _, account := range accounts {
		published, err := w.Ledger.PublishedSets(ctx, account)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range w.replacedAndOld(published, today) {
			if !closedAt(closes, d.set) {
				due = append(due, d)
				files += len(d.files)
			}
		}
	}
	return due, files, nil
}

// closedAt says whether a close names the revision.
func closedAt(closes []ledger.PeriodClose, kept *reports.Set) bool {
	return slices.ContainsFunc(closes, func(c ledger.PeriodClose) bool {
		return c.Account.String() == kept.Account && c.Basis == kept.Basis && c.Period == kept.Period && kept.Filter == "" &&
			c.Revision == kept.Revision
	})
}

// replacedAndOld selects the expired files among the published revisions of an account, which are ordered by set, the
// last one first.
func (w *Worker) replacedAndOld(published []*reports.Set, today ledger.Date) (due []expiredRevision) {
	var lastState ledger.Date
	for _, kept := range published {
		if kept.Basis == string(report.ByAsOf) {
			lastState = max(lastState, kept.Period.To)
		}
	}
	var by map[string]int // the revision that replaced a file, by its name without revision
	for i, kept := range published {
		if kept.Basis == string(report.ByMovement) {
			continue // each is current: none replaces another
		}
		if i == 0 || !sameSet(published[i-1], kept) {
			by = map[string]int{}
		}
		past := kept.Basis == string(report.ByAsOf) && kept.Period.To < lastState
		d := expiredRevision{set: kept, on: max(today, lastState)}
		for n, f := range kept.Files {
			if f.RetiredOn != 0 {
				continue
			}
			later, replaced := by[nameWithoutRevision(f)]
			if !replaced {
				by[nameWithoutRevision(f)] = kept.Revision
			}
			replaced = replaced && later != kept.Revision // another part of the same file
			if days := w.retentionDays(f); days == 0 || int(today-kept.AsOf) <= days || !replaced && !past {
				continue
			}
			if d.files = append(d.files, n); replaced && !slices.Contains(d.later, later) {
				d.later = append(d.later, later)
			}
		}
		if len(d.files) > 0 {
			due = append(due, d)
		}
	}
	return due
}

func sameSet(a, b *reports.Set) bool {
	return a.Basis == b.Basis && a.Period == b.Period && a.Filter == b.Filter
}

// retentionDays returns how many days after its as-of date a file is kept, by its kind or its format, whichever is
// longer; 0: for ever.
func (w *Worker) retentionDays(f reports.File) int {
	return max(w.Retention[f.Kind], w.Retention[f.Format])
}

// retireSet deletes files of one revision and records it.
func (w *Worker) retireSet(ctx context.Context, s *Summary, to retire.Target, staging string, d expiredRevision) error {
	r := retirementOf(d.set)
	r.ReplacedBy, r.On = d.later, d.on
	for _, i := range d.files {
		r.Files[path.Base(d.set.Files[i].Path)] = d.set.Files[i].SHA256
	}
	gone, err := retire.Retire(ctx, to, staging, r)
	if err != nil {
		return err
	}
	kept := *d.set
	kept.Files = slices.Clone(d.set.Files)
	left := false
	for i := range kept.Files {
		f := &kept.Files[i]
		if slices.Contains(gone, path.Base(f.Path)) {
			f.RetiredOn = d.on
			s.Retired = append(s.Retired, w.fileSummary(*f, false))
		}
		left = left || f.RetiredOn == 0
	}
	on := d.on
	if left {
		on = 0
	}
	return w.Ledger.Retire(ctx, &kept, on)
}

func retirementOf(kept *reports.Set) retire.Retirement {
	return retire.Retirement{
		Account: kept.Account, Basis: report.Basis(kept.Basis), Period: kept.Period, Filter: kept.Filter,
		Revision: kept.Revision, Files: map[string]string{},
	}
}

// undoRetirement records that the deleted files of a revision are on the target again.
func (w *Worker) undoRetirement(ctx context.Context, kept *reports.Set) error {
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
	return retire.Restore(ctx, w.Target, retirementOf(kept), days, func() error { return w.Ledger.Retire(ctx, &again, 0) })
}
