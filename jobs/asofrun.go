package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/jobs/publish"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
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
			fmt.Errorf("there is no run %s in this ledger: manifest and control name the run of a file", req.AsOfRun),
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
	s.Files = []FileSummary{}
	if err := publisher.copyAsOf(ctx, s, then, sets, req.Out != ""); err != nil {
		return nil, err
	}
	if err := publisher.renderAsOf(ctx, s, then, verdicts, sets); err != nil {
		return nil, err
	}
	s.showWritten()
	if err := findWorstSeverity(ctx, w.Ledger, s, run.record.Accounts, then.ID); err != nil {
		return nil, err
	}
	if s.Verdict = then.Verdict; len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}

// copyAsOf copies what was published. private copies go to another place than reports.out.
func (p *setPublisher) copyAsOf(ctx context.Context, s *Summary, then *ledger.Run, sets []setplan.AsOfSet, private bool) error {
	if !slices.ContainsFunc(sets, func(set setplan.AsOfSet) bool { return len(set.Revisions) > 0 || set.Fault != nil }) {
		return nil
	}
	p.progress.Step("copy", len(sets))
	session, err := p.publisher.Open(ctx, true)
	if s.noteArchiveError(err) {
		p.progress.Done("the archive can't be used")
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	copied := 0
	for i := range sets {
		set := &sets[i]
		if set.Request.Extract {
			continue
		}
		err := set.Fault
		if err == nil {
			err = p.copySet(ctx, s, session, set, private)
		}
		switch {
		case err == nil:
			copied++
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case private && publish.IsLostInArchive(err) && len(reportset.WithoutEDI(set.Request.Formats)) > 0:
			// Copies of its other files stay with what is rendered of it.
			set.Request.Extract, set.Request.Formats = true, reportset.WithoutEDI(set.Request.Formats)
		case s.noteArchiveError(err):
			p.progress.Done("the archive can't be used")
			return nil
		case s.noteUnreachable(p.publisher, err):
			p.progress.Done("the target is gone")
			return nil
		default:
			s.Unpublished = append(s.Unpublished, fmt.Errorf("as of run %s: set %s %s %s: %w", then.ID, set.Request.Name, set.Request.Basis, set.Request.Period, err))
		}
		p.progress.Advance(1)
	}
	p.progress.Done(fmt.Sprintf("%s as of run %s%s", ledger.CountText(copied, "set", "sets"), then.ID, unpublishedText(len(s.Unpublished))))
	if private {
		return nil
	}
	return p.updateIndexes(ctx, false) // what was brought back is there again
}

// copySet copies the revisions of a set, the oldest first.
func (p *setPublisher) copySet(ctx context.Context, s *Summary, session *publish.Session, set *setplan.AsOfSet, private bool) error {
	for _, kept := range set.Revisions {
		fresh := !session.Has(ctx, kept)
		if err := session.Copy(ctx, kept); err != nil {
			return err
		}
		if !private {
			if err := publish.UndoRetirement(ctx, p.ledger, p.publisher.Target, kept); err != nil {
				return err
			}
			if err := session.NoteDelivered(ctx, kept); err != nil {
				return err
			}
		}
		s.noteSet(kept, false)
		for _, f := range kept.Files {
			s.Files = append(s.Files, newFileSummary(p.reports.Out, f, fresh))
		}
	}
	if set.Request.IsOfAllAccounts() || set.Request.Basis == report.ByAsOf {
		return nil // all accounts have the same rows again; a state has no totals
	}
	newest := slices.Clone(set.Revisions)
	slices.Reverse(newest)
	return p.addClosedTotals(ctx, s, &set.Request, newest)
}

// renderAsOf renders extracts of what was not published as of the run.
func (p *setPublisher) renderAsOf(ctx context.Context, s *Summary, then *ledger.Run, verdicts *reportset.Verdicts, sets []setplan.AsOfSet) error {
	var requests []reportset.Request
	for i := range sets {
		if sets[i].Request.Extract {
			requests = append(requests, sets[i].Request)
		}
	}
	if len(requests) == 0 || s.Gone {
		return nil
	}
	return p.writeExtracts(ctx, then, s, verdicts, requests)
}
