package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// reportAgain writes the files of the sets that stood when a run had reconciled, byte for byte (operations 10): what the
// run knew is asked of the ledger as of it, and what was configured then is read from what the revision keeps. Files
// that are there stay untouched; no revision is made, no number reserved. What does not come out as it was is not
// written, and told with the hash of the file that was published.
func (w *Worker) reportAgain(ctx context.Context, req ReportRequest) (*Summary, error) {
	if len(req.Kinds)+len(req.Formats) > 0 {
		return nil, &casework.RequestError{
			Text: "--as-of-run gives the files that stood then, each of them", Hint: "leave --kind and --format out",
		}
	}
	sets, err := w.requested(req)
	if err != nil {
		return nil, err
	}
	s := &Summary{Verdict: ledger.Incomplete}
	then, err := w.Ledger.RunByID(ctx, req.AsOfRun)
	if errors.Is(err, sqldb.ErrNotFound) {
		s.Unpublished = append(s.Unpublished, fmt.Errorf("there is no run %s in this ledger: manifest and control name the run of a file", req.AsOfRun))
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.AsOf = then.AsOf
	run, release, err := w.begin(ctx, ledger.ReportRun, then.AsOf)
	if err != nil {
		return nil, err
	}
	defer release()
	s.Run = run.ID
	if !req.AccountsNamed {
		all := sets[0]
		all.name, all.accounts = export.AllAccounts, w.Accounts
		sets = append(sets, all)
	}
	if err := w.setsAgain(ctx, s, then, sets, req.Out != ""); err != nil {
		return nil, err
	}
	s.showWritten()
	if err := w.gravest(ctx, s, then.ID); err != nil {
		return nil, err
	}
	if s.Verdict = then.Verdict; len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, w.end(ctx, run, s, nil)
}

// setsAgain writes what stood of the sets when the run had reconciled; copies are for another place than reports.out.
func (w *Worker) setsAgain(ctx context.Context, s *Summary, then *ledger.Run, sets []setRequest, copies bool) error {
	w.Progress.Step("publish", len(sets))
	staging, release, err := w.Target.Stage(ctx)
	if w.targetGone(s, err) {
		w.Progress.Done("the target is gone")
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	for _, set := range sets {
		switch err := w.setAgain(ctx, s, then, set, staging, copies); {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case w.targetGone(s, err):
			w.Progress.Done("the target is gone")
			return nil
		default:
			s.Unpublished = append(s.Unpublished, fmt.Errorf("as of run %s: set %s %s %s: %w", then.ID, set.name, set.basis, set.period, err))
		}
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%s as of run %s%s", things(len(sets), "set", "sets"), then.ID, unpublishedText(len(s.Unpublished))))
	return nil
}

// setAgain writes the revisions of a set that had a standing file, the oldest first.
func (w *Worker) setAgain(
	ctx context.Context, s *Summary, then *ledger.Run, set setRequest, staging string, copies bool,
) error {
	if !set.together() {
		if _, judged := then.Verdicts[set.accounts[0].Number]; !judged {
			return errors.New("that run reconciled nothing of the account: name a run that did, as manifest and control of a file say it")
		}
	}
	if set.basis == report.ByAsOf {
		set.period = ledger.Period{From: then.AsOf, To: then.AsOf}
	}
	all, err := w.Ledger.Revisions(ctx, set.name, string(set.basis), set.period, set.filter.Canonical(), then.ID)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		if set.name == export.AllAccounts {
			return nil // a report that was asked for has none
		}
		return errors.New("it was not published yet: without --as-of-run it is, as of the last reconcile")
	}
	var sums report.Totals // by the newest file
	for _, kept := range slices.Backward(standingOf(all)) {
		fresh, of, err := w.renderAgain(ctx, kept, staging, w.Target)
		if err != nil {
			return err
		}
		of.FillFrom(sums)
		sums = of
		if !copies {
			if err := w.back(ctx, kept); err != nil {
				return err
			}
		}
		s.noteSet(kept, false)
		for _, f := range kept.Files {
			s.Files = append(s.Files, w.fileSummary(f, fresh))
		}
	}
	if !set.together() {
		s.written.Add(sums)
	}
	return nil
}

// standingOf are those of a set's revisions, the last first, with a file that no later one replaced.
func standingOf(all []*reports.Set) []*reports.Set {
	var out []*reports.Set
	current := currentFiles(all)
	for _, kept := range all {
		if slices.ContainsFunc(current, func(f reports.File) bool { return f.Revision == kept.Revision }) {
			out = append(out, kept)
		}
	}
	return out
}

// currentFiles are the files of a set's revisions, the last first, that no later one replaced.
func currentFiles(all []*reports.Set) (out []reports.File) {
	replaced := map[string]int{} // by which revision
	for _, kept := range all {
		for _, f := range kept.Files {
			name := unnumbered(f)
			if _, ok := replaced[name]; !ok {
				replaced[name] = kept.Revision
			}
			if replaced[name] == kept.Revision { // another part of a file is of the same revision
				out = append(out, f)
			}
		}
	}
	return out
}

// unnumbered is a file's name without its revision and, of an EDI file, its part: what the next revision's file replaces.
func unnumbered(f reports.File) string {
	return strings.Replace(export.WithoutPart(path.Base(f.Path)), "_r"+strconv.Itoa(f.Revision)+".", ".", 1)
}

// renderAgain renders a kept revision once more and puts its files to a publisher. fresh says that its mark was not there;
// the totals are those of the rows of its files.
func (w *Worker) renderAgain(
	ctx context.Context, kept *reports.Set, staging string, to export.Publisher,
) (fresh bool, sums report.Totals, err error) {
	refuse := func(why string) error {
		e := &export.AgainError{File: fmt.Sprintf("revision %d", kept.Revision), Kept: "nowhere", Why: why}
		if len(kept.Files) > 0 {
			e.File, e.Kept = path.Base(kept.Files[0].Path), kept.Files[0].SHA256
		}
		return e
	}
	_, text, err := w.Ledger.Document(ctx, kept.Recipe)
	if err != nil {
		return false, sums, err
	}
	recipe, err := export.ReadRecipe(text)
	if err != nil {
		return false, sums, refuse(err.Error())
	}
	run, err := w.Ledger.RunByID(ctx, kept.Run)
	if err != nil {
		return false, sums, err
	}
	job := recipe.Job
	job.Again = &export.Again{
		Revision: kept.Revision, Supersedes: recipe.Supersedes, Why: recipe.Why, Digest: kept.Digest,
		Files: map[string]string{},
	}
	for _, f := range kept.Files {
		job.Again.Files[path.Base(f.Path)] = f.SHA256
	}
	set := setRequest{name: kept.Account, basis: job.Basis, period: kept.Period, filter: job.Filter}
	for _, a := range accountsThen(&job) {
		set.accounts = append(set.accounts, Account{Number: a})
	}
	if job.Agreed, err = w.agreed(ctx, run, job.Kinds); err != nil {
		return false, sums, err
	}
	target := export.Target{Staging: staging, Publisher: to}
	if !set.together() {
		a := set.accounts[0].Number
		if err := w.linesThen(ctx, a, set, run.ID, &job.Facts); err != nil {
			return false, sums, err
		}
		target.Numbers = &numbersThen{ledger: w.Ledger, account: a, titles: recipe.Titles, files: kept.Files}
	}
	past := *w
	past.Reports.Language = job.Language
	if past.Terms, err = w.termsThen(ctx, run); err != nil {
		return false, sums, err
	}
	answers, err := past.feed(ctx, run, set)
	if err != nil {
		return false, sums, err
	}
	answers.Unit = job.Unit
	fresh = !w.marked(ctx, to, kept)
	result, err := export.Render(ctx, job, answers, target)
	return fresh, result.Totals.Of(job.Kinds), err
}

// accountsThen are the accounts of a set, in the order of its rows.
func accountsThen(job *export.Job) []ledger.Account {
	if n, err := strconv.ParseInt(job.Account, 10, 64); err == nil {
		return []ledger.Account{ledger.Account(n)}
	}
	var out []ledger.Account
	for _, a := range job.Facts.Accounts {
		if len(a.Withheld) == 0 { // one that is withheld is named, and has no rows
			out = append(out, a.Account)
		}
	}
	return out
}

// linesThen puts the bridge and the tallies of the run back into the facts: the ledger keeps them by run.
func (w *Worker) linesThen(ctx context.Context, a ledger.Account, set setRequest, run string, f *export.Facts) error {
	lines, err := w.Ledger.BridgeLines(ctx, a, run)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if set.holds(l.Day) {
			f.Bridge = append(f.Bridge, l)
		}
	}
	f.Tallies, err = w.Ledger.RuleCountsOfRun(ctx, a, run)
	return err
}

// marked says whether the mark of a revision is there.
func (w *Worker) marked(ctx context.Context, to export.Publisher, kept *reports.Set) bool {
	if len(kept.Files) == 0 {
		return false
	}
	_, err := to.Read(ctx, markOf(kept))
	return err == nil
}

// markOf is the path of the mark that ends a revision's files.
func markOf(kept *reports.Set) string { return ownFile(kept, "done") }

// ownFile is the path of a file that the set itself has: its manifest, its mark.
func ownFile(kept *reports.Set, ext string) string {
	return path.Join(export.Dir(kept.Account, kept.Period),
		export.Name("set", kept.Account, report.Basis(kept.Basis), kept.Period, kept.Filter, kept.Revision, ext))
}
