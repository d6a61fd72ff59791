package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// leaseLifetime is how long a lease lives without being renewed.
const leaseLifetime = 15 * time.Second

// begin takes the lease of every account, keeps the documents and opens the run record. release gives the lease back.
// A run that was killed is taken up again under its own name, so that what it had pulled counts as pulled by this one.
// Until release the worker's steps are timed for the record.
func (w *Worker) begin(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, func(), error) {
	if kind == ledger.Nightly {
		return w.beginOrContinue(ctx, kind, asOf, func(*ledger.Run) (bool, error) { return true, nil })
	}
	return w.beginOrContinue(ctx, kind, asOf, nil)
}

// beginOrContinue is begin for a run that takes up a killed one of its kind, as-of and documents if like says that it did the
// same; nil: it takes up none.
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
		// A lease that cannot be given back expires by itself.
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

// openOrTakeOver opens the record of a run that begins now. One that is taken up has its record, and perhaps workers that judge or
// render for the process that led it: what they see is about to change under them, so their work is called off.
func (w *Worker) openOrTakeOver(ctx context.Context, run *ledger.Run, takenUp bool) error {
	if !takenUp {
		return w.openRecord(ctx, run)
	}
	return w.Ledger.CancelUnits(ctx, run.ID, run.Accounts, "the run was taken up again", ledger.ReconcileUnit, ledger.RenderUnit)
}

// newRun is the record of a run that begins now.
func (w *Worker) newRun(kind ledger.RunKind, asOf ledger.Date) *ledger.Run {
	began := w.Wall().UTC()
	run := &ledger.Run{
		ID: ledger.RunID(began, w.Tail()), Kind: kind, Trigger: cmp.Or(w.Trigger, "person"), Parameters: w.Parameters, AsOf: asOf,
		Clock: w.Clock, Began: began, ProgramVersion: w.Engine, Accounts: w.accountNumbers(), Documents: map[string]string{"config": w.Config},
	}
	if w.Commit != "" {
		run.Documents["engine"] = w.Commit
	}
	for _, doc := range w.listDocuments() {
		run.Documents[doc.name] = doc.contentHash()
	}
	return run
}

// findKilledRun is what was begun last of the run's kind and did not end, if it is like the run, or nil.
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

// document is an input as it was used. Each account's calendar is one of its own.
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
		{"contract", "contract", w.Terms.Contracts.Text()},
		{"mapping", "mapping", w.Terms.Mapping.Text()},
		{"profile", "profile", w.Terms.Profile.Text()},
		{"rules", "rules", []byte(catalogue.Versions() + w.Terms.Settings.Text())},
		{"reports", "reports", w.Reports.text()},
	}
	if r := w.Terms.Register; r != nil {
		docs = append(docs, document{"register", "register", r.Text()})
	}
	if o := w.Terms.Orders; o != nil {
		docs = append(docs, document{"orders", "orders", o.Text()})
	}
	for _, a := range w.Accounts {
		docs = append(docs, document{"calendar " + a.Number.String(), "calendar", w.Terms.Calendar(a.Number).Text()})
	}
	return docs
}

// documentsOf are the hashes a set rests on: those of the inputs, and of its own account's calendar.
func documentsOf(run *ledger.Run, accounts []Account) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"contract", "mapping", "profile", "rules", "register", "orders"} {
		if hash := run.Documents[name]; hash != "" {
			out[name] = hash
		}
	}
	for _, a := range accounts {
		name := "calendar"
		if len(accounts) > 1 {
			name += " " + a.Number.String()
		}
		out[name] = run.Documents["calendar "+a.Number.String()]
	}
	return out
}
