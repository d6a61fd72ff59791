package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"concilia/export/report/asof"
	"concilia/jobs/bank"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// leaseLifetime is how long a lease lasts unless it is renewed.
const leaseLifetime = 15 * time.Second

// beginRun takes the lease of every account, stores the documents and opens the run record. release gives the leases back.
// A nightly run that was killed is continued under its own id, so that what it pulled counts as pulled by this run.
// Until release the steps of the run are timed.
func (w *Worker) beginRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, func(), error) {
	if kind == ledger.Nightly {
		return w.beginOrContinue(ctx, kind, asOf, func(*ledger.Run) (bool, error) { return true, nil })
	}
	return w.beginOrContinue(ctx, kind, asOf, nil)
}

// beginOrContinue is begin for a run that continues a killed run of its kind, as-of date and documents if like reports
// that both do the same; nil: it continues none.
func (w *Worker) beginOrContinue(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, like func(*ledger.Run) (bool, error),
) (*ledger.Run, func(), error) {
	run := w.newRun(kind, asOf)
	killed, err := w.findKilledRun(ctx, run, like)
	if err != nil {
		return nil, nil, err
	}
	if killed != nil {
		run = killed
		run.Resumed = true
	}
	lease, err := w.Ledger.LeaseAccounts(ctx, run.ID, run.Accounts, leaseLifetime)
	if err != nil {
		return nil, nil, err
	}
	progress := w.Progress
	steps := &stepTimer{Progress: progress, wall: w.Wall, run: run, keep: w.Ledger.RecordSteps}
	w.Progress = steps
	noted := steps.storeStepsRegularly(ctx)
	release := func() {
		w.Progress = progress
		noted()
		// A lease that cannot be released expires.
		_ = lease.Release(context.WithoutCancel(ctx))
	}
	if err := w.openOrTakeOver(ctx, run, killed != nil); err != nil {
		release()
		return nil, nil, err
	}
	if w.Began != nil {
		w.Began(run)
	}
	return run, release, nil
}

// openOrTakeOver opens the record of a new run. A run that is continued has its record, and perhaps workers that still
// evaluate or render for the process that led it; their work is called off because its inputs are about to change.
func (w *Worker) openOrTakeOver(ctx context.Context, run *ledger.Run, takenUp bool) error {
	if !takenUp {
		return w.openRecord(ctx, run)
	}
	return w.Ledger.CancelUnits(ctx, run.ID, run.Accounts, "the run was taken up again", ledger.ReconcileUnit, ledger.RenderUnit)
}

// newRun returns the record of a run that begins now.
func (w *Worker) newRun(kind ledger.RunKind, asOf ledger.Date) *ledger.Run {
	began := w.Wall().UTC()
	run := &ledger.Run{
		ID: ledger.RunID(began, w.Tail()), Kind: kind, Trigger: cmp.Or(w.Trigger, "person"), Parameters: w.Parameters, AsOf: asOf,
		Clock: w.Clock, Began: began, ProgramVersion: w.ProgramVersion, Accounts: w.accountNumbers(), Documents: map[string]string{"config": w.Config},
	}
	if w.Commit != "" {
		run.Documents["engine"] = w.Commit
	}
	for _, doc := range w.listDocuments() {
		run.Documents[doc.name] = doc.contentHash()
	}
	return run
}

// findKilledRun returns the last unfinished run of the kind if it is the same as run, or nil.
func (w *Worker) findKilledRun(ctx context.Context, run *ledger.Run, like func(*ledger.Run) (bool, error)) (*ledger.Run, error) {
	if like == nil {
		return nil, nil
	}
	last, err := w.Ledger.UnfinishedRun(ctx, run.Kind, run.AsOf)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	same := last.ProgramVersion == run.ProgramVersion && last.Clock == run.Clock && slices.Equal(last.Accounts, run.Accounts) &&
		maps.Equal(last.Documents, run.Documents)
	if !same {
		return nil, nil
	}
	if same, err := like(last); err != nil || !same {
		return nil, err
	}
	for _, a := range run.Accounts {
		if overtaken, err := w.Ledger.HasLaterReconcile(ctx, a, last.ID); err != nil || overtaken {
			return nil, err
		}
	}
	return last, nil
}

func (w *Worker) openRecord(ctx context.Context, run *ledger.Run) error {
	for _, doc := range w.listDocuments() {
		if err := w.Ledger.StoreDocument(ctx, doc.kind, doc.contentHash(), doc.text); err != nil {
			return err
		}
	}
	if last, err := w.Ledger.LastRun(ctx, run.Kind); err == nil {
		run.Previous = last.ID
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return err
	}
	return w.Ledger.BeginRun(ctx, run)
}

// document is an input in the version that was used. Each account has a calendar of its own.
type document struct {
	name, kind string
	text       []byte
}

func (d document) contentHash() string {
	sum := sha256.Sum256(d.text)
	return hex.EncodeToString(sum[:])
}

func (w *Worker) listDocuments() []document {
	docs := []document{
		{"contract", "contract", w.Inputs.Contracts.Text()},
		{"mapping", "mapping", w.Inputs.Mapping.Text()},
		{"profile", "profile", w.Inputs.Profile.Text()},
		{"rules", "rules", []byte(catalogue.Versions() + w.Inputs.Settings.Text())},
		{"reports", "reports", w.Reports.DigestText()},
	}
	if r := w.Inputs.Register; r != nil {
		docs = append(docs, document{"register", "register", r.Text()})
	}
	if o := w.Inputs.Orders; o != nil {
		docs = append(docs, document{"orders", "orders", o.Text()})
	}
	if len(w.Banks) > 0 {
		docs = append(docs, document{"banks", "banks", bank.DescribeAccounts(w.Banks, w.BankSettings)})
	}
	for _, a := range w.Accounts {
		docs = append(docs, document{"calendar " + a.Number.String(), "calendar", w.Inputs.Calendar(a.Number).Text()})
	}
	return docs
}

// endRun writes the run record for the last time.
func (w *Worker) endRun(ctx context.Context, run *ledger.Run, s *Summary, v *reportset.Verdicts) error {
	if v != nil { // a report evaluates nothing, so its record has no figures of cases
		if err := w.countOpenCases(ctx, run); err != nil {
			return fmt.Errorf("end run %s: %w", run.ID, err)
		}
		figures := asof.FiguresJSON(run.Figures)
		s.Figures = &figures
	}
	run.Sums, run.Sets = source.NameTotals(s.Totals), s.sets
	run.Ended, run.Verdict, run.ExitCode = w.Wall().UTC(), s.Verdict, s.ExitCode()
	if len(s.Accounts) > 0 {
		run.Verdicts = map[ledger.Account]ledger.Verdict{}
		for _, a := range s.Accounts {
			run.Verdicts[a.Account] = a.Verdict
		}
	}
	s.Record = run
	return w.Ledger.EndRun(ctx, run)
}

// countOpenCases counts and adds up the unresolved cases of the run's accounts at its end.
func (w *Worker) countOpenCases(ctx context.Context, run *ledger.Run) error {
	var err error
	if run.Figures, err = w.Ledger.Figures(ctx, run.Accounts, run.ID); err != nil {
		return err
	}
	sums, err := w.Ledger.CaseCounts(ctx, run.Accounts, run.ID)
	if err != nil {
		return err
	}
	run.Cases = ledger.CaseCounts{}
	for _, c := range sums {
		run.Cases.New += c.New
		run.Cases.Persisting += c.Cases - c.New
	}
	run.Cases.Resolved, err = w.Ledger.CountResolved(ctx, run.Accounts, run.ID)
	return err
}

// noteSetFiles notes in the record that the run made a revision, or found it current. A revision that the same run made
// before it was killed counts as made by it.
func (s *Summary) noteSet(kept *reports.Set, fresh bool) {
	set := ledger.RunReportSet{
		Account: kept.Account, Basis: kept.Basis, Period: kept.Period, Filter: kept.Filter, Revision: kept.Revision,
		New: fresh || kept.Run == s.Run,
	}
	for i := range s.sets {
		had := &s.sets[i]
		if had.Account == set.Account && had.Basis == set.Basis && had.Period == set.Period && had.Filter == set.Filter &&
			had.Revision == set.Revision {
			had.New = had.New || set.New
			return
		}
	}
	s.sets = append(s.sets, set)
}

const (
	// maxOutageTries is how often interrupted work is tried, including the first time.
	maxOutageTries = 5
	// maxOutage is how long the ledger may be unavailable without a break, in addition to the twenty seconds that each query
	// waits: a restart, or a hand-over to a standby, takes less.
	maxOutage = time.Minute
	// firstOutagePause is the wait before the second try; each later wait is twice as long.
	firstOutagePause = 500 * time.Millisecond
)

// outageError is the error of a ledger that stayed unavailable for too long: the caller must not retry again.
type outageError struct{ error }

func (e *outageError) Unwrap() error { return e.error }

// retryOnOutage calls do, which must be repeatable, and calls it again if the ledger interrupted it and may be available
// again: for whole runs, the reconciliation of an account, a report set. onWait is called before every wait; it may be
// nil.
func retryOnOutage(ctx context.Context, l *store.Ledger, wall func() time.Time, onWait func(error), do func() error) error {
	var away time.Time // since when the ledger has been unavailable
	pause := firstOutagePause
	for try := 1; ; try++ {
		began := wall()
		err := do()
		if err == nil || ctx.Err() != nil || !l.IsTransient(err) || errors.As(err, new(*outageError)) {
			return err
		}
		now := wall()
		if away.IsZero() || now.Sub(began) > maxOutage { // work that lasted this long had the ledger in between
			away = now
		}
		if try == maxOutageTries || now.Sub(away) > maxOutage {
			return &outageError{err}
		}
		if onWait != nil {
			onWait(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// retryRunOnOutage does the steps of a run that has begun. If the ledger interrupts it, it is begun again from its first step,
// like a run that was killed and continued: what is done is not repeated.
func (w *Worker) retryRunOnOutage(ctx context.Context, run *ledger.Run, do func(*Summary) error) (*Summary, error) {
	var s *Summary
	err := retryOnOutage(ctx, w.Ledger, w.Wall, func(err error) {
		w.Progress.Step("ledger", 0)
		w.Progress.Done(fmt.Sprintf("it was unavailable, the run continues where it was: %v", err))
	}, func() error {
		s = &Summary{Run: run.ID, AsOf: run.AsOf}
		return do(s)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
