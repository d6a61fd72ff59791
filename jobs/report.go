package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
)

// ReportSettings is what the configuration says of reports.
type ReportSettings struct {
	Kinds      []export.Kind
	Formats    []export.Format
	Bases      []export.Basis
	Language   export.Language
	Identified []export.Kind
	EDIProfile export.EDIProfile
	Out        string // of the target, for the paths that people are shown
}

// Target is where reports go: a publisher, and a place beside it to write what is not proven yet.
type Target interface {
	export.Publisher
	// Stage makes a directory for one run's unproven files; release removes it.
	Stage(ctx context.Context) (dir string, release func(), err error)
}

// setRequest is one set to publish.
type setRequest struct {
	name     string // the account's digits, or export.AllAccounts
	accounts []Account
	basis    export.Basis
	period   ledger.Period
	kinds    []export.Kind
	formats  []export.Format
	filter   export.Filter
}

// publishSets renders, proves and publishes each set. A set that cannot be is told and does not stop the others; a
// target that is gone, or an end of ctx, stops all.
func (w *Worker) publishSets(ctx context.Context, run *ledger.Run, s *Summary, judged *judged, sets []setRequest) error {
	w.Progress.Step("publish", len(sets))
	if s.Files == nil {
		s.Files = []FileSummary{}
	}
	staging, release, err := w.Target.Stage(ctx)
	if w.targetGone(s, err) {
		w.Progress.Done("the target is gone")
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	fresh := 0
	for _, set := range sets {
		changed, err := w.publishSet(ctx, run, s, judged, set, staging)
		var tie *export.TieError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case w.targetGone(s, err):
			w.Progress.Done("the target is gone")
			return nil
		case errors.As(err, &tie):
			s.Unpublished = append(s.Unpublished, fmt.Errorf("REPORT_TIE_FAILED %w", err))
		default:
			s.Unpublished = append(s.Unpublished, err)
		}
		if changed {
			fresh++
		}
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%d sets: %d new, %d stand as they were%s",
		len(sets), fresh, len(sets)-fresh-len(s.Unpublished), unpublishedText(len(s.Unpublished))))
	return nil
}

// targetGone notes that the target itself failed: the run is kept, and the next one publishes what does not stand.
func (w *Worker) targetGone(s *Summary, err error) bool {
	if err == nil || w.TargetGone == nil || !w.TargetGone(err) {
		return false
	}
	s.Unpublished, s.Gone = append(s.Unpublished, err), true
	return true
}

func unpublishedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d could not be published", n)
}

// publishSet brings one set up to date and says whether it wrote a revision.
func (w *Worker) publishSet(
	ctx context.Context, run *ledger.Run, s *Summary, judged *judged, set setRequest, staging string,
) (changed bool, err error) {
	job, err := w.job(ctx, run, judged, set)
	if err != nil {
		return false, err
	}
	kept, err := w.Ledger.StandingSet(ctx, set.name, string(set.basis), set.period, set.filter.Canonical())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if kept != nil {
		job.Standing = &export.Standing{Revision: kept.Revision, Marks: kept.Tables}
	}
	target := export.Target{Staging: staging, Publisher: w.Target}
	if len(set.accounts) == 1 {
		a := set.accounts[0]
		target.Numbers = &numbers{ledger: w.Ledger, account: a.Number, agreement: a.Block.Bank.Agreement}
	}
	result, err := export.Render(ctx, job, w.feed(set), target)
	if err != nil {
		return false, fmt.Errorf("set %s %s %s: %w", set.name, set.basis, set.period, err)
	}
	if result.Unchanged {
		w.standing(s, kept)
		return false, nil
	}
	fresh := setOf(run, set, result)
	if err := w.Ledger.KeepSet(ctx, fresh); err != nil {
		return false, err
	}
	for _, f := range fresh.Files {
		s.Files = append(s.Files, w.fileSummary(f, true))
	}
	return true, nil
}

func (w *Worker) feed(set setRequest) *feed {
	f := &feed{
		ledger: w.Ledger, unit: w.Terms.Profile.Unit,
		query: store.Query{
			Basis: string(set.basis), Period: set.period, Brands: set.filter.Brands, Classes: set.filter.Classes,
		},
	}
	for _, a := range set.accounts {
		f.accounts = append(f.accounts, a.Number)
	}
	return f
}

// standing lists the files of a revision that stands as it was.
func (w *Worker) standing(s *Summary, kept *store.Set) {
	if kept == nil {
		return
	}
	for _, f := range kept.Files {
		s.Files = append(s.Files, w.fileSummary(f, false))
	}
}

func (w *Worker) fileSummary(f store.File, fresh bool) FileSummary {
	return FileSummary{
		Path: path.Join(w.Reports.Out, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: f.Revision,
		New: fresh,
	}
}

// setOf is the row that remembers a published revision.
func setOf(run *ledger.Run, set setRequest, r export.Result) *store.Set {
	kept := &store.Set{
		Account: set.name, Basis: string(set.basis), Period: set.period, Filter: set.filter.Canonical(),
		Revision: r.Revision, Run: run.ID, AsOf: run.AsOf, Digest: r.Digest, Tables: r.Marks,
	}
	for _, f := range r.Files {
		file := store.File{
			Path: path.Join(r.Dir, f.Path), Kind: string(f.Kind), Format: string(f.Format), SHA256: f.SHA256,
			Bytes: f.Bytes, Rows: f.Rows, Revision: r.Revision, LayoutVersion: f.LayoutVersion,
		}
		if f.NSA != nil {
			file.NSA = *f.NSA
		}
		kept.Files = append(kept.Files, file)
	}
	return kept
}
