package jobs

import (
	"context"
	"errors"

	"concilia/export/words"
	"concilia/jobs/setplan"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// reportAsOf answers a request for what was published as of a past run. What was published is copied from the archive,
// to the place that was given or back to reports.out. What was not published, or is no longer in the archive as it was, is
// rendered as of the run with today's layout as a private extract, for which a place is required. It makes no revision
// and reserves no number.
func (t *task) reportAsOf(ctx context.Context, req ReportRequest) (*Summary, error) {
	w := t.worker
	then, err := w.Ledger.RunByID(ctx, req.AsOfRun)
	if errors.Is(err, sqldb.ErrNotFound) {
		return &Summary{Verdict: ledger.Incomplete, Unpublished: []error{
			words.NewFault("publish_fault.no_run", "", "run", req.AsOfRun),
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	verdicts, err := setplan.ReadVerdictsOfRun(ctx, w.Ledger, t.accounts, then)
	if err != nil {
		return nil, err
	}
	search := &setplan.AsOfSearch{
		Request: &req, Then: then, Verdicts: verdicts, Ledger: w.Ledger, Inputs: &w.Inputs, Parser: t.newRequestParser(), Planner: t.newSetPlanner(),
	}
	sets, err := search.Collect(ctx)
	if err != nil {
		return nil, err
	}
	run, err := t.beginRun(ctx, ledger.ReportRun, then.AsOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	s, publisher := run.newSummary(), run.newSetPublisher()
	out := s.newPublications()
	out.Files = []setpublish.FileSummary{}
	if err := publisher.CopyAsOf(ctx, out, then, sets, req.Out != ""); err != nil {
		return nil, err
	}
	if err := publisher.RenderAsOf(ctx, out, then, verdicts, sets); err != nil {
		return nil, err
	}
	s.addPublications(out)
	s.showWritten(out)
	if err := findWorstSeverity(ctx, w.Ledger, s, run.record.Accounts, then.ID); err != nil {
		return nil, err
	}
	if s.Verdict = then.Verdict; len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}
