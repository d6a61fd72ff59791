package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/jobs/publish"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/jobs/source"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	storeruns "concilia/store/runs"
	"concilia/store/sqldb"
)

// newPublisher returns the publisher for the worker's archive and target.
func (w *Worker) newPublisher() *publish.Publisher {
	return &publish.Publisher{
		Ledger: w.Ledger, Archive: w.Archive, Target: w.Target, Place: publish.PlaceName(w.Reports.Out), Unreachable: w.IsTargetGone, Retry: w.Retry,
		Wall: w.Wall, Agreements: w.agreementsByAccount(), SigningKey: w.SigningKey,
	}
}

// agreementsByAccount returns the agreements with banks under which the accounts' EDI files are numbered.
func (w *Worker) agreementsByAccount() map[ledger.Account]string {
	out := make(map[ledger.Account]string, len(w.Accounts))
	for _, a := range w.Accounts {
		out[a.Number] = a.Block.Bank.Agreement
	}
	return out
}

// publishSets renders, proves, archives and publishes each set, after the deliveries that wait for the target.
func (w *Worker) publishSets(ctx context.Context, run *ledger.Run, s *Summary, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	return w.runPublication(ctx, run, s, func(p *publication) error {
		if len(sets) == 0 {
			return nil
		}
		w.Progress.Step("publish", len(sets))
		if err := p.publishEach(ctx, verdicts, sets); err != nil {
			return err
		}
		p.endStep(len(sets))
		return nil
	})
}

// deliverWaiting copies what waits to the target if there is nothing else to publish.
func (w *Worker) deliverWaiting(ctx context.Context, run *ledger.Run, s *Summary) error {
	waiting, err := w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return w.publishSets(ctx, run, s, nil, nil)
}

// DeliverWaiting copies the published sets that wait to the target, without a run and without the service, and returns how many it
// copied. While a run holds one of the accounts it copies nothing: that run delivers them. The error says why sets still wait.
func (w *Worker) DeliverWaiting(ctx context.Context) (delivered int, err error) {
	waiting, err := w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	run := w.newRun(ledger.ReportRun, w.Today()) // which is not recorded: its id names the lease
	lease, err := w.Ledger.LeaseAccounts(ctx, run.ID, run.Accounts, leaseLifetime)
	if locked := (*storeruns.LockedError)(nil); errors.As(err, &locked) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }() // one that is not given back expires
	s := &Summary{}
	if err := w.publishSets(ctx, run, s, nil, nil); err != nil {
		return 0, err
	}
	left, err := w.Ledger.WaitingSets(ctx)
	return len(waiting) - len(left), errors.Join(append(s.Unpublished, err)...)
}

// runPublication calls fn to publish sets, after what waited was copied to the target. A set that cannot be published
// is noted and does not stop the others; the end of ctx stops all. If the target becomes unreachable, what is archived
// waits for it; if the archive does, everything stops.
func (w *Worker) runPublication(ctx context.Context, run *ledger.Run, s *Summary, fn func(*publication) error) error {
	if s.Files == nil {
		s.Files = []FileSummary{}
	}
	session, err := w.newPublisher().Open(ctx, true)
	if w.noteArchiveError(s, err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	if session.Warning != "" {
		w.Progress.Step("archive", 0)
		w.Progress.Done(session.Warning)
	}
	session.GiveUp(s.targetError)
	p := &publication{Session: session, w: w, run: run, summary: s, sums: s.runSums(), rows: &reportset.CardRows{}, triedDeliveries: map[int64]bool{}}
	if err = session.Sweep(ctx); err == nil {
		err = p.deliverWaiting(ctx)
	}
	if err == nil {
		err = fn(p)
	}
	if err == nil && session.Gone() == nil {
		err = w.updateIndexes(ctx, session.Publisher, s.Away > 0)
	}
	s.noteTargetGone(session.Gone())
	if w.noteArchiveError(s, err) {
		return nil
	}
	return err
}

// noteArchiveError notes that the archive cannot be used. What was reconciled is kept, and the next run publishes what
// is missing.
func (w *Worker) noteArchiveError(s *Summary, err error) bool {
	if !publish.IsArchiveError(err) {
		return false
	}
	if !slices.ContainsFunc(s.Unpublished, publish.IsArchiveError) {
		s.Unpublished = append(s.Unpublished, err)
	}
	s.Gone = true
	return true
}

// noteTargetGone notes, once, that the target is unreachable or full.
func (s *Summary) noteTargetGone(err error) {
	if s.targetError = err; err != nil && !s.Gone {
		s.Gone, s.Unpublished = true, append(s.Unpublished, fmt.Errorf("%w; what is published waits in the archive for the next run", err))
	}
}

// publication publishes the sets of one run.
type publication struct {
	*publish.Session
	w       *Worker
	run     *ledger.Run
	summary *Summary // nil: another process leads the run and records what is rendered

	sums            *source.RunSums     // of the run; nil: not remembered
	rows            *reportset.CardRows // of the run's sets; nil: not remembered
	states          reportset.States    // of the run's accounts
	renderedTotals  report.Totals       // of the set that was rendered last, by the rows of its files
	triedDeliveries map[int64]bool      // publications whose delivery was tried
	madeRevisions   []*reports.Set      // by this worker of the unit, for another process to record
	newSets         int                 // sets
	failedSets      int                 // sets
	copiedRevisions int                 // revisions that the target lacked and that were copied to it again
}

// deliverWaiting copies what waits to the target, in the order of publication.
func (p *publication) deliverWaiting(ctx context.Context) error {
	waiting, err := p.w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	p.w.Progress.Step("deliver", len(waiting))
	delivered := 0
	for _, kept := range waiting {
		p.triedDeliveries[kept.Number] = true
		err := p.Deliver(ctx, kept, nil)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case publish.IsArchiveError(err):
			return err
		case err != nil:
			p.summary.Unpublished = append(p.summary.Unpublished, fmt.Errorf("set %s, which waits: %w", reportset.RevisionName(kept), err))
			continue
		case p.Gone() != nil:
		default:
			p.summary.noteSet(kept, false)
			for _, f := range kept.Files {
				p.summary.Files = append(p.summary.Files, p.w.fileSummary(f, true))
			}
			delivered++
			p.w.Progress.Advance(1)
			continue
		}
		break
	}
	p.w.Progress.Done(fmt.Sprintf("%s published, %s", ledger.CountText(delivered, "set that waited is", "sets that waited are"), ledger.CountText(len(waiting)-delivered, "still waits", "still wait")))
	return nil
}

// publishEach publishes one set after another and notes the results.
func (p *publication) publishEach(ctx context.Context, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	for _, set := range sets {
		copied := p.copiedRevisions
		kept, fresh, err := p.updateSet(ctx, verdicts, set)
		switch {
		case err == nil:
			if err := p.noteSetFiles(ctx, &set, kept, fresh, p.copiedRevisions > copied); err != nil {
				return err
			}
			p.w.noteLacking(ctx, p.summary, kept, fresh)
			if !set.IsOfAllAccounts() {
				p.summary.writtenTotals.Add(p.renderedTotals)
			}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*outageError)), publish.IsArchiveError(err):
			return err // every other set would fail too
		default:
			p.summary.Unpublished = append(p.summary.Unpublished, withTieCode(err))
			p.failedSets++
		}
		if fresh {
			p.newSets++
		}
		p.w.Progress.Advance(1)
	}
	return nil
}

// noteSetFiles lists the files of a set in the summary. The files of a requested set that did not change may be from
// several revisions: those that answer the request are listed. copied reports that they were written to the target
// again.
func (p *publication) noteSetFiles(ctx context.Context, set *reportset.Request, kept *reports.Set, fresh, copied bool) error {
	if !set.Requested || fresh {
		p.w.noteFiles(p.summary, kept, fresh)
		return nil
	}
	all, err := p.w.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	p.summary.noteSet(kept, false)
	for _, f := range publish.CurrentFiles(all) {
		if set.IncludesFile(f) {
			p.summary.Files = append(p.summary.Files, p.w.fileSummary(f, copied))
		}
	}
	return nil
}

// withTieCode adds the code to the error of a set that was refused because its files and the ledger differ.
func withTieCode(err error) error {
	var tie *control.MismatchError
	if errors.As(err, &tie) {
		return fmt.Errorf("REPORT_TIE_FAILED %w", err)
	}
	return err
}

// endStep ends the step of publishing.
func (p *publication) endStep(sets int, also ...string) {
	text := fmt.Sprintf("%s: %d new, %s%s", ledger.CountText(sets, "set", "sets"), p.newSets, ledger.CountText(sets-p.newSets-p.failedSets, "stands as it was", "stand as they were"), unpublishedText(p.failedSets))
	if p.copiedRevisions > 0 {
		text += "; " + ledger.CountText(p.copiedRevisions, "that lacked files at reports.out is copied there again", "that lacked files at reports.out are copied there again")
	}
	if p.summary.Away > 0 {
		text += fmt.Sprintf("; %s at reports.out: report of the period, or --as-of-run %s, copies them there", ledger.CountText(p.summary.Away, "set lacks files", "sets lack files"), p.run.ID)
	}
	if p.Gone() != nil {
		text += "; the target is gone, and what is new waits in the archive"
	}
	p.w.Progress.Done(strings.Join(append([]string{text}, also...), "; "))
}

// updateSet publishes one set if it changed and returns its current revision, nil for a set without content. fresh
// reports that the revision was made now. If the ledger interrupts it, it is repeated.
func (p *publication) updateSet(ctx context.Context, verdicts *reportset.Verdicts, set reportset.Request) (kept *reports.Set, fresh bool, err error) {
	err = p.w.retryOnOutage(ctx, nil, func() (err error) {
		kept, fresh, err = p.publishSet(ctx, verdicts, set)
		if errors.Is(err, reports.ErrKept) {
			// A process whose lease was taken over, and which is still running, published the same set first.
			kept, fresh, err = p.publishSet(ctx, verdicts, set)
		}
		return err
	})
	if errors.As(err, new(*control.MismatchError)) {
		if lost := p.Allowed(ctx); lost != nil {
			return nil, false, lost // another process changed what was read
		}
	}
	return kept, fresh, p.w.recordProof(ctx, p.run, set, err)
}

// noteLacking counts a current revision that the target lacks. A run does not write it again, because people who move
// files away as they come would get them twice.
func (w *Worker) noteLacking(ctx context.Context, s *Summary, kept *reports.Set, fresh bool) {
	if !fresh && s.targetError == nil && w.newPublisher().Lacks(ctx, kept) {
		s.Away++
	}
}

// copyLacking copies the revisions with the current files of a requested set to the target again, where it lacks them.
func (p *publication) copyLacking(ctx context.Context, kept *reports.Set) error {
	all, err := p.w.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	for _, one := range slices.Backward(publish.CurrentRevisions(all)) {
		if !p.Lacks(ctx, one) {
			continue
		}
		if err := p.Deliver(ctx, one, nil); err != nil {
			return err
		}
		p.copiedRevisions++
	}
	return nil
}

func unpublishedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d could not be published", n)
}

// recordProof records the proof of a set's files. If a file was refused because it differs from the ledger, a critical
// case on the file is opened; if the set is published or unchanged, the cases on its files are resolved. It returns the
// error of the publication. No published file shows these cases.
func (w *Worker) recordProof(ctx context.Context, run *ledger.Run, set reportset.Request, failed error) error {
	var tie *control.MismatchError
	refused := errors.As(failed, &tie)
	if failed != nil && !refused {
		return failed
	}
	name := manifest.SetName(set.Name, set.Basis, set.Period, set.Filter.Canonical())
	account := set.Accounts[0].Number
	if refused {
		return errors.Join(failed, w.openProofCase(ctx, run, account, name, tie))
	}
	var over []ledger.Finding
	filter := caselog.FindingFilter{Accounts: []ledger.Account{account}, Codes: []string{runs.ProofFailed}}
	err := w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.State.IsUnresolved() && strings.Contains(f.Subject, "_"+name+".") {
			over = append(over, *f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range over {
		f := &over[i]
		f.State, f.LastRun, f.LastSeen = ledger.Resolved, run.ID, run.AsOf
		f.WaivedUntil, f.WaivedCap = 0, ledger.Opt[ledger.Amount]{}
		if err := w.Ledger.WriteCase(ctx, run, f, true); err != nil {
			return err
		}
	}
	return nil
}

// openProofCase opens the case of a file of the set, or updates it; what a person decided about it stays.
func (w *Worker) openProofCase(ctx context.Context, run *ledger.Run, a ledger.Account, set string, tie *control.MismatchError) error {
	f := newProofCase(run, a, set, tie)
	prior, err := w.Ledger.FindingByCase(ctx, f.Case)
	if errors.Is(err, sqldb.ErrNotFound) {
		return w.Ledger.WriteCase(ctx, run, &f, true)
	}
	if err != nil {
		return err
	}
	f.FirstSeen, f.FirstRun = prior.FirstSeen, prior.FirstRun
	f.Assignee, f.Reference, f.Comment = prior.Assignee, prior.Reference, prior.Comment
	if prior.State.IsUnresolved() {
		f.State, f.OpenedOn, f.WaivedUntil, f.WaivedCap = prior.State, prior.OpenedOn, prior.WaivedUntil, prior.WaivedCap
	} else {
		f.State = ledger.Reopened
	}
	return w.Ledger.WriteCase(ctx, run, &f, f.State != prior.State || !f.SameNumbers(prior))
}

// newProofCase returns the case of a refused file. The file is named without a revision, because it never got one.
func newProofCase(run *ledger.Run, a ledger.Account, set string, tie *control.MismatchError) ledger.Finding {
	what, ext, _ := strings.Cut(tie.File, ".")
	file := what + "_" + set + "." + ext
	f := ledger.Finding{
		Account: a, Code: runs.ProofFailed, RuleVersion: 1, Subject: ledger.Subject("file", a, file), Severity: ledger.Critical,
		State: ledger.Opened, FirstSeen: run.AsOf, OpenedOn: run.AsOf, LastSeen: run.AsOf, FirstRun: run.ID, LastRun: run.ID,
		Numbers: []ledger.Number{{Name: "file", Value: file}},
	}
	if r, ok := catalogue.Find(runs.ProofFailed); ok {
		f.RuleVersion = r.Version
	}
	f.Case = ledger.CaseID(a, f.Subject, f.Code)
	if tie.Problem != nil {
		f.Numbers = append(f.Numbers, ledger.Number{Name: "why", Value: tie.Problem.Error()})
		return f
	}
	figure := func(name string, v ledger.Opt[int64]) {
		if v.OK {
			f.Numbers = append(f.Numbers, ledger.Number{Name: name, Value: ledger.Amount(v.V).String()})
		}
	}
	f.Numbers = append(f.Numbers, ledger.Number{Name: "measure", Value: tie.Measure})
	figure("ledger", tie.Ledger)
	figure("writer", ledger.Some(tie.Writer))
	figure("read", tie.Read)
	if tie.Ledger.OK {
		f.Expected, f.Actual = ledger.Text(fmt.Sprint(ledger.Amount(tie.Ledger.V))), ledger.Text(fmt.Sprint(ledger.Amount(tie.Writer)))
		if tie.Read.OK && tie.Writer == tie.Ledger.V {
			f.Actual = ledger.Text(fmt.Sprint(ledger.Amount(tie.Read.V)))
		}
	}
	return f
}
