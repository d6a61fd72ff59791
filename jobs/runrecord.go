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
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// leaseLifetime is how long a lease lasts unless it is renewed.
const leaseLifetime = 15 * time.Second

// runRecorder begins, continues and ends the records of a worker's runs.
type runRecorder struct {
	ledger    *store.Ledger
	wall      func() time.Time
	tail      func() string // random tail of a run id
	template  ledger.Run    // what every run of the worker has in common
	documents []document    // stored with a run, which names their hashes
}

func (t *task) newRunRecorder() *runRecorder {
	w := t.worker
	r := &runRecorder{ledger: w.Ledger, wall: w.Wall, tail: w.Tail, documents: listDocuments(w, t.accounts)}
	r.template = ledger.Run{
		Trigger: cmp.Or(w.Trigger, "person"), Parameters: w.Parameters, Clock: w.Clock, ProgramVersion: w.ProgramVersion,
		Accounts: listNumbers(t.accounts), Documents: map[string]string{"config": w.Config},
	}
	if w.Commit != "" {
		r.template.Documents["engine"] = w.Commit
	}
	for _, doc := range r.documents {
		r.template.Documents[doc.name] = doc.contentHash()
	}
	return r
}

// releaseLease gives a lease back. One that cannot be given back expires.
func releaseLease(ctx context.Context, lease *runs.Lease) {
	_ = lease.Release(context.WithoutCancel(ctx))
}

// begin takes the lease of every account and opens the record of a run, or takes up the killed one that like accepts.
func (r *runRecorder) begin(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, like func(*ledger.Run) (bool, error),
) (*ledger.Run, *runs.Lease, error) {
	run := r.newRun(kind, asOf)
	killed, err := r.findKilledRun(ctx, run, like)
	if err != nil {
		return nil, nil, err
	}
	if killed != nil {
		run = killed
		run.Resumed = true
	}
	lease, err := r.ledger.LeaseAccounts(ctx, run.ID, run.Accounts, leaseLifetime)
	if err != nil {
		return nil, nil, err
	}
	if err := r.openOrTakeOver(ctx, run, killed != nil); err != nil {
		releaseLease(ctx, lease)
		return nil, nil, err
	}
	return run, lease, nil
}

// openOrTakeOver opens the record of a new run. A run that is continued has its record, and perhaps workers that still
// evaluate or render for the process that led it; their work is called off because its inputs are about to change.
func (r *runRecorder) openOrTakeOver(ctx context.Context, run *ledger.Run, takenUp bool) error {
	if !takenUp {
		return r.openRecord(ctx, run)
	}
	return r.ledger.CancelUnits(ctx, run.ID, run.Accounts, "the run was taken up again", ledger.ReconcileUnit, ledger.RenderUnit)
}

// newRun returns the record of a run that begins now.
func (r *runRecorder) newRun(kind ledger.RunKind, asOf ledger.Date) *ledger.Run {
	run := r.template
	run.Kind, run.AsOf, run.Began = kind, asOf, r.wall().UTC()
	run.ID = ledger.RunID(run.Began, r.tail())
	run.Documents = maps.Clone(run.Documents)
	return &run
}

// findKilledRun returns the last unfinished run of the kind if it is the same as run, or nil.
func (r *runRecorder) findKilledRun(ctx context.Context, run *ledger.Run, like func(*ledger.Run) (bool, error)) (*ledger.Run, error) {
	if like == nil {
		return nil, nil
	}
	last, err := r.ledger.UnfinishedRun(ctx, run.Kind, run.AsOf)
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
		if overtaken, err := r.ledger.HasLaterReconcile(ctx, a, last.ID); err != nil || overtaken {
			return nil, err
		}
	}
	return last, nil
}

func (r *runRecorder) openRecord(ctx context.Context, run *ledger.Run) error {
	for _, doc := range r.documents {
		if err := r.ledger.StoreDocument(ctx, doc.kind, doc.contentHash(), doc.text); err != nil {
			return err
		}
	}
	if last, err := r.ledger.LastRun(ctx, run.Kind); err == nil {
		run.Previous = last.ID
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return err
	}
	return r.ledger.BeginRun(ctx, run)
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

// listDocuments returns the documents that a worker's runs on accounts depend on.
func listDocuments(w *Worker, accounts []Account) []document {
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
	for _, a := range accounts {
		docs = append(docs, document{"calendar " + a.Number.String(), "calendar", w.Inputs.Calendar(a.Number).Text()})
	}
	return docs
}

// end writes the run record for the last time.
func (r *runRecorder) end(ctx context.Context, run *ledger.Run, s *Summary, v *reportset.Verdicts) error {
	if v != nil { // a report evaluates nothing, so its record has no figures of cases
		if err := r.countOpenCases(ctx, run); err != nil {
			return fmt.Errorf("end run %s: %w", run.ID, err)
		}
		figures := asof.FiguresJSON(run.Figures)
		s.Figures = &figures
	}
	run.Sums, run.Sets = source.NameTotals(s.Totals), s.sets
	run.Ended, run.Verdict, run.ExitCode = r.wall().UTC(), s.Verdict, s.ExitCode()
	if len(s.Accounts) > 0 {
		run.Verdicts = map[ledger.Account]ledger.Verdict{}
		for _, a := range s.Accounts {
			run.Verdicts[a.Account] = a.Verdict
		}
	}
	s.Record = run
	return r.ledger.EndRun(ctx, run)
}

// countOpenCases counts and adds up the unresolved cases of the run's accounts at its end.
func (r *runRecorder) countOpenCases(ctx context.Context, run *ledger.Run) error {
	var err error
	if run.Figures, err = r.ledger.Figures(ctx, run.Accounts, run.ID); err != nil {
		return err
	}
	sums, err := r.ledger.CaseCounts(ctx, run.Accounts, run.ID)
	if err != nil {
		return err
	}
	run.Cases = ledger.CaseCounts{}
	for _, c := range sums {
		run.Cases.New += c.New
		run.Cases.Persisting += c.Cases - c.New
	}
	run.Cases.Resolved, err = r.ledger.CountResolved(ctx, run.Accounts, run.ID)
	return err
}
