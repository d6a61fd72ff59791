package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SetPreview is what a nightly run would do with one set if the ledger stays as it is.
type SetPreview struct {
	Account string          `json:"account"` // its digits, or all
	Basis   report.Basis    `json:"basis"`
	From    ledger.Date     `json:"from"`
	To      ledger.Date     `json:"to"`
	Kinds   []report.Kind   `json:"kinds"`
	Formats []report.Format `json:"formats"`
	// Revision would be current then. New reports that the run would make it, for the reasons in Why.
	Revision int      `json:"revision"`
	New      bool     `json:"new"`
	Why      []string `json:"why,omitempty"`
	Withheld []string `json:"withheld,omitempty"` // kinds, each with the code that withholds it
}

// PreviewNight returns what a nightly run as of a day would publish if its pulls brought nothing and it concluded the
// same as the last reconcile of each account. It does not call the service and writes neither to the ledger nor to the
// target. Temporary files are removed.
func (w *Worker) PreviewNight(ctx context.Context, asOf ledger.Date) (sets []SetPreview, err error) {
	v := &preview{w: w, asOf: asOf, bases: map[ledger.Account]*ledger.Run{}, verdicts: &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}}
	for _, a := range w.Accounts {
		if err := v.readBase(ctx, a.Number); err != nil {
			return nil, err
		}
	}
	requests, err := w.newTask().newSetPlanner().ListNightSets(ctx, asOf, v.verdicts)
	if err != nil {
		return nil, err
	}
	if v.staging, err = publish.MakeTemporary("preview"); err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(v.staging)) }()
	w.Progress.Step("preview", len(requests))
	for _, request := range requests {
		set, err := v.compareSet(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("preview of set %s %s %s: %w", request.Name, request.Basis, request.Period, err)
		}
		sets = append(sets, set)
		w.Progress.Advance(1)
	}
	w.Progress.Done(words.NewMessage("counts.set", "n", len(sets)))
	return sets, nil
}

// preview compares sets with the ledger.
type preview struct {
	w        *Worker
	asOf     ledger.Date
	bases    map[ledger.Account]*ledger.Run // the last finished reconcile of each account that has one
	verdicts *reportset.Verdicts
	staging  string
}

// readBase reads the results of an account's last reconcile.
func (v *preview) readBase(ctx context.Context, a ledger.Account) error {
	base, err := v.w.Ledger.LastReconcileRun(ctx, a)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.bases[a] = base
	v.verdicts.ByAccount[a], err = setplan.ReadVerdict(ctx, v.w.Ledger, base, a, "")
	return err
}

// compareSet compares one set with its current revision.
func (v *preview) compareSet(ctx context.Context, request reportset.Request) (SetPreview, error) {
	out := SetPreview{
		Account: request.Name, Basis: request.Basis, From: request.Period.From, To: request.Period.To, Formats: request.Formats,
		New: true, Why: []string{"first"},
	}
	kinds, withheld, err := v.verdicts.ChoosePublishable(&request)
	if err != nil {
		return out, err
	}
	out.Kinds = kinds
	for _, of := range withheld {
		out.Withheld = append(out.Withheld, of.String())
	}
	kept, err := v.w.Ledger.StandingSet(ctx, request.Name, string(request.Basis), request.Period, request.Filter.Canonical())
	if errors.Is(err, sqldb.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	base := v.baseOf(&request)
	if request.Basis == report.ByAsOf && base.AsOf != v.asOf {
		out.Revision, out.Why = kept.Revision+1, []string{"reconciled as of " + base.AsOf.String() + " since"}
		return out, nil
	}
	builder := v.w.newTask().newJobBuilder(base, v.verdicts, request)
	job, err := builder.NewJob(ctx)
	if err != nil {
		return out, err
	}
	job.Current = &export.CurrentRevision{Revision: kept.Revision, Fingerprints: kept.Tables, Digest: kept.Digest}
	rows, err := builder.NewReportSource(ctx)
	if err != nil {
		return out, err
	}
	rows.MonthSides = job.Months
	result, err := render.Compare(ctx, job, rows, v.staging)
	out.Revision, out.New, out.Why = result.Revision, !result.Unchanged, result.Why
	return out, err
}

// baseOf is the run as of which a set is compared, with the documents of today; of several accounts the latest run.
func (v *preview) baseOf(request *reportset.Request) *ledger.Run {
	base := v.w.newTask().newRunRecorder().newRun(ledger.Nightly, v.asOf)
	documents := base.Documents
	var last *ledger.Run
	for _, a := range request.Accounts {
		if run := v.bases[a.Number]; run != nil && (last == nil || run.ID > last.ID) {
			last = run
		}
	}
	if last != nil {
		run := *last
		base = &run
	}
	base.Documents = maps.Clone(documents)
	return base
}
