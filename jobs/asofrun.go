package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// asOfSet is a set that is requested as of a past run: the revisions that were current then or, if it was not
// published, an extract.
type asOfSet struct {
	request   reportset.Request
	revisions []*published.Set // oldest first
	fault     error            // why the set cannot be answered
}

// asOfSearch finds what a request asks for of what was published as of a past run.
type asOfSearch struct {
	request  *ReportRequest
	then     *ledger.Run         // the past run
	verdicts *reportset.Verdicts // of the past run
	ledger   *store.Ledger
	inputs   *reconcile.Inputs
	parser   *requestParser
	planner  *setPlanner
}

// reportAsOf answers a request for what was published as of a past run. What was published is copied from the archive,
// to the place that was given or back to reports.out. What was not published, or is no longer in the archive as it was, is
// rendered as of the run with today's layout as a private extract, for which a place is required. It makes no revision
// and reserves no number.
func (w *Worker) reportAsOf(ctx context.Context, req ReportRequest) (*Summary, error) {
	then, err := w.Ledger.RunByID(ctx, req.AsOfRun)
	if errors.Is(err, sqldb.ErrNotFound) {
		return &Summary{Verdict: ledger.Incomplete, Unpublished: []error{
			fmt.Errorf("there is no run %s in this ledger: manifest and control name the run of a file", req.AsOfRun),
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	verdicts, err := readVerdictsOfRun(ctx, w.Ledger, w.Accounts, then)
	if err != nil {
		return nil, err
	}
	steps := w.newSteps()
	search := &asOfSearch{
		request: &req, then: then, verdicts: verdicts, ledger: w.Ledger, inputs: &w.Inputs, parser: steps.newRequestParser(), planner: steps.newSetPlanner(),
	}
	sets, err := search.collect(ctx)
	if err != nil {
		return nil, err
	}
	run, err := w.beginRun(ctx, ledger.ReportRun, then.AsOf)
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

// readVerdictsOfRun reads the verdicts of a past run on the accounts that it reconciled.
func readVerdictsOfRun(ctx context.Context, l *store.Ledger, accounts []Account, then *ledger.Run) (*reportset.Verdicts, error) {
	out := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, a := range accounts {
		if _, ok := then.Verdicts[a.Number]; !ok {
			continue
		}
		var err error
		if out.ByAccount[a.Number], err = readVerdict(ctx, l, then, a.Number, then.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect finds what was published of each requested set, and refuses what cannot be answered.
func (a *asOfSearch) collect(ctx context.Context) ([]asOfSet, error) {
	requests, err := a.parser.parse(*a.request)
	if err != nil {
		return nil, err
	}
	terms, err := readInputsOfRun(ctx, a.ledger, a.inputs, a.then)
	if err != nil {
		return nil, err
	}
	if !a.request.AccountsNamed {
		first := &requests[0]
		if all, ok := a.planner.newSetOfAll(a.verdicts, first.Basis, first.Period, first.Kinds, first.Formats); ok {
			all.Filter = first.Filter
			requests = append(requests, all)
		}
	}
	out := make([]asOfSet, 0, len(requests))
	for _, request := range requests {
		request.Inputs = &terms
		set := asOfSet{request: request}
		if keep, err := a.findRevisions(ctx, &set); err != nil {
			return nil, err
		} else if keep {
			out = append(out, set)
		}
	}
	return out, nil
}

// findRevisions finds the revisions that were current as of the run. keep is false for a set over all accounts that was not
// published and cannot be an extract.
func (a *asOfSearch) findRevisions(ctx context.Context, set *asOfSet) (keep bool, err error) {
	r, req, then := &set.request, a.request, a.then
	if _, ok := then.Verdicts[r.Accounts[0].Number]; !ok && !r.IsOfAllAccounts() {
		set.fault = errors.New("that run reconciled nothing of the account: name a run that did, as manifest and control of a file say it")
		return true, nil
	}
	if err := setStateDay(r, then.AsOf); err != nil {
		return false, err
	}
	all, err := a.ledger.Revisions(ctx, r.Name, string(r.Basis), r.Period, r.Filter.Canonical(), then.ID)
	if err != nil {
		return false, err
	}
	set.revisions = publish.CurrentRevisions(all)
	slices.Reverse(set.revisions)
	if len(set.revisions) > 0 && !slices.ContainsFunc(set.revisions, func(k *published.Set) bool { return k.RemovedOn != 0 }) && req.isAnsweredBy(r, set.revisions) {
		return true, nil
	}
	set.revisions = nil
	switch {
	case req.Out == "" && r.IsOfAllAccounts():
		return false, nil
	case req.Out == "":
		return false, &casework.RequestError{
			Text: fmt.Sprintf("set %s %s %s was not published as asked for when run %s had reconciled, or is in the archive no longer: as of that run it can only be a private extract",
				r.Name, r.Basis, r.Period, then.ID),
			Hint: "--out PLACE writes one; without --as-of-run the set is published as of the last reconcile",
		}
	case len(req.Formats) > 0 && slices.Contains(r.Formats, report.EDI):
		return false, &casework.RequestError{
			Text: fmt.Sprintf("format edi: set %s %s %s was not published with one when run %s had reconciled, and an extract has none, since nothing numbers it",
				r.Name, r.Basis, r.Period, then.ID),
			Hint: "leave edi out",
		}
	}
	r.Extract, r.Formats = true, reportset.WithoutEDI(r.Formats)
	return len(r.Formats) > 0, nil
}

// isAnsweredBy reports whether revisions of a set have every kind and format that a request names.
func (req *ReportRequest) isAnsweredBy(s *reportset.Request, revisions []*published.Set) bool {
	has := func(is func(published.File) bool) bool {
		return slices.ContainsFunc(revisions, func(k *published.Set) bool { return slices.ContainsFunc(k.Files, is) })
	}
	for _, k := range s.Kinds {
		if len(req.Kinds) > 0 && !has(func(f published.File) bool { return f.Kind == string(k) }) {
			return false
		}
	}
	for _, f := range s.Formats {
		if len(req.Formats) > 0 && !has(func(g published.File) bool { return g.Format == string(f) }) {
			return false
		}
	}
	return true
}

// copyAsOf copies what was published. private copies go to another place than reports.out.
func (p *setPublisher) copyAsOf(ctx context.Context, s *Summary, then *ledger.Run, sets []asOfSet, private bool) error {
	if !slices.ContainsFunc(sets, func(set asOfSet) bool { return len(set.revisions) > 0 || set.fault != nil }) {
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
		if set.request.Extract {
			continue
		}
		err := set.fault
		if err == nil {
			err = p.copySet(ctx, s, session, set, private)
		}
		switch {
		case err == nil:
			copied++
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case private && publish.IsLostInArchive(err) && len(reportset.WithoutEDI(set.request.Formats)) > 0:
			// Copies of its other files stay with what is rendered of it.
			set.request.Extract, set.request.Formats = true, reportset.WithoutEDI(set.request.Formats)
		case s.noteArchiveError(err):
			p.progress.Done("the archive can't be used")
			return nil
		case s.noteUnreachable(p.publisher, err):
			p.progress.Done("the target is gone")
			return nil
		default:
			s.Unpublished = append(s.Unpublished, fmt.Errorf("as of run %s: set %s %s %s: %w", then.ID, set.request.Name, set.request.Basis, set.request.Period, err))
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
func (p *setPublisher) copySet(ctx context.Context, s *Summary, session *publish.Session, set *asOfSet, private bool) error {
	for _, kept := range set.revisions {
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
	if set.request.IsOfAllAccounts() || set.request.Basis == report.ByAsOf {
		return nil // all accounts have the same rows again; a state has no totals
	}
	newest := slices.Clone(set.revisions)
	slices.Reverse(newest)
	return p.addClosedTotals(ctx, s, &set.request, newest)
}

// renderAsOf renders extracts of what was not published as of the run.
func (p *setPublisher) renderAsOf(ctx context.Context, s *Summary, then *ledger.Run, verdicts *reportset.Verdicts, sets []asOfSet) error {
	var requests []reportset.Request
	for i := range sets {
		if sets[i].request.Extract {
			requests = append(requests, sets[i].request)
		}
	}
	if len(requests) == 0 || s.Gone {
		return nil
	}
	return p.writeExtracts(ctx, then, s, verdicts, requests)
}
