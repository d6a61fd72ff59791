package setplan

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
)

// AsOfSet is a set that is requested as of a past run: the revisions that were current then or, if it was not
// published, an extract.
type AsOfSet struct {
	Request   reportset.Request
	Revisions []*published.Set // oldest first
	Fault     error            // why the set cannot be answered; nil: it can
}

// AsOfSearch finds what a request asks for of what was published as of a past run.
type AsOfSearch struct {
	Request  *Request
	Then     *ledger.Run         // the past run
	Verdicts *reportset.Verdicts // of the past run
	Ledger   *store.Ledger
	Inputs   *reconcile.Inputs // today's
	Parser   *Parser
	Planner  *Planner
}

// Collect finds what was published of each requested set, and refuses what cannot be answered.
func (a *AsOfSearch) Collect(ctx context.Context) ([]AsOfSet, error) {
	requests, err := a.Parser.Parse(*a.Request)
	if err != nil {
		return nil, err
	}
	inputs, err := ReadInputsOfRun(ctx, a.Ledger, a.Inputs, a.Then)
	if err != nil {
		return nil, err
	}
	if !a.Request.AccountsNamed {
		first := &requests[0]
		if all, ok := a.Planner.NewSetOfAll(a.Verdicts, first.Basis, first.Period, first.Kinds, first.Formats); ok {
			all.Filter = first.Filter
			requests = append(requests, all)
		}
	}
	out := make([]AsOfSet, 0, len(requests))
	for _, request := range requests {
		request.Inputs = &inputs
		set := AsOfSet{Request: request}
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
func (a *AsOfSearch) findRevisions(ctx context.Context, set *AsOfSet) (keep bool, err error) {
	r, req, then := &set.Request, a.Request, a.Then
	if _, ok := then.Verdicts[r.Accounts[0].Number]; !ok && !r.IsOfAllAccounts() {
		set.Fault = words.NewFault("publish_fault.run_without_account", "")
		return true, nil
	}
	if err := setStateDay(r, then.AsOf); err != nil {
		return false, err
	}
	all, err := a.Ledger.Revisions(ctx, r.Name, string(r.Basis), r.Period, r.Filter.Canonical(), then.ID)
	if err != nil {
		return false, err
	}
	set.Revisions = publish.CurrentRevisions(all)
	slices.Reverse(set.Revisions)
	if len(set.Revisions) > 0 && !slices.ContainsFunc(set.Revisions, func(k *published.Set) bool { return k.RemovedOn != 0 }) && req.isAnsweredBy(r, set.Revisions) {
		return true, nil
	}
	set.Revisions = nil
	switch {
	case req.Out == "" && r.IsOfAllAccounts():
		return false, nil
	case req.Out == "":
		return false, casework.NewRequestError("error.not_published_then", "hint.extract_then", "set", r.Name, "basis", r.Basis, "period", r.Period, "run", then.ID)
	case len(req.Formats) > 0 && slices.Contains(r.Formats, report.EDI):
		return false, casework.NewRequestError("error.no_edi_then", "hint.leave_edi_out", "set", r.Name, "basis", r.Basis, "period", r.Period, "run", then.ID)
	}
	r.Extract, r.Formats = true, reportset.WithoutEDI(r.Formats)
	return len(r.Formats) > 0, nil
}

// isAnsweredBy reports whether revisions of a set have every kind and format that a request names.
func (req *Request) isAnsweredBy(s *reportset.Request, revisions []*published.Set) bool {
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
