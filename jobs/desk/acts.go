package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/results"
)

// ActRequest is what a person asks for: one verb on the named cases, or else on those the filter selects.
type ActRequest struct {
	Verb   ledger.Verb
	Cases  []string // ids, or six or more leading digits if unique
	Filter results.FindingFilter
	Actor  string
	Reason string // needed to waive, close and reopen
	// Only for some verbs.
	Assignee  string                    // assign
	Reference string                    // dispute
	Until     ledger.Date               // waive: the last day
	Cap       ledger.Opt[ledger.Amount] // waive: the most that may be at stake; needed for cases about an amount
	DryRun    bool                      // nothing is kept
}

// ActSummary is what an act did, or would do.
type ActSummary struct {
	Verb     ledger.Verb   `json:"verb"`
	Actor    string        `json:"actor"`
	DryRun   bool          `json:"dry_run"`
	Count    int           `json:"count"`
	Done     int           `json:"done"`
	Proposed int           `json:"proposed"`
	Waiting  int           `json:"waiting"` // already proposed by this actor
	Impact   ledger.Amount `json:"-"`       // sum of the positive impacts, and Excess of the negative ones without sign
	Excess   ledger.Amount `json:"-"`
	Cases    []ActedCase   `json:"cases"`
}

// ActedCase is the outcome of an act on one case.
type ActedCase struct {
	Case    string
	Account ledger.Account
	Code    string
	Subject string
	From    ledger.State
	To      ledger.State // state after the act; equals From for a proposal
	Impact  ledger.Opt[ledger.Amount]
	Outcome string     // done, proposed or waiting
	Act     int64      // number in the account's log; 0 when nothing was logged
	Partner ledger.Act // the proposal that was confirmed, or is waiting; zero for none
}

// Act applies the request to every case, or to none if one of them is not in a suitable state: then it returns a
// *RequestError that names all such cases. Repeating a request with a filter finds nothing left to do.
func (d *Desk) Act(ctx context.Context, req ActRequest) (*ActSummary, error) {
	if err := req.check(d.Today); err != nil {
		return nil, err
	}
	filter := req.Filter
	if len(req.Cases) > 0 {
		ids, err := d.Resolve(ctx, req.Cases)
		if err != nil {
			return nil, err
		}
		filter = results.FindingFilter{Cases: ids}
	} else if len(filter.States) == 0 {
		filter.States = req.Verb.AllowedStates()
	}
	seen, err := d.findings(ctx, filter)
	if err != nil || len(seen) == 0 {
		return d.summary(&req, nil), err
	}
	if req.DryRun {
		deeds, err := d.weigh(&req, seen, func(f results.ActFilter) ([]ledger.Act, error) { return d.Ledger.Acts(ctx, f) })
		if err != nil {
			return nil, err
		}
		return d.summary(&req, deeds), nil
	}
	for _, f := range seen {
		if !slices.Contains(filter.Accounts, f.Account) {
			filter.Accounts = append(filter.Accounts, f.Account)
		}
	}
	var deeds []deed
	err = d.Ledger.Acting(ctx, filter.Accounts, func(a *results.Acting) error {
		// What was seen may have changed since: what stands under the lock decides.
		found, err := a.Findings(filter)
		if err != nil {
			return err
		}
		if deeds, err = d.weigh(&req, found, a.Acts); err != nil {
			return err
		}
		return d.carryOut(a, &req, deeds)
	})
	var told *RequestError
	switch {
	case errors.As(err, &told):
		return nil, told // what was being done says nothing to who asked for it
	case err != nil:
		return nil, err
	}
	return d.summary(&req, deeds), nil
}

func (d *Desk) findings(ctx context.Context, filter results.FindingFilter) ([]ledger.Finding, error) {
	var out []ledger.Finding
	err := d.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		out = append(out, *f)
		return nil
	})
	return out, err
}

// deed is what the act comes to for one case.
type deed struct {
	before  ledger.Finding
	after   ledger.Finding
	outcome string
	partner ledger.Act
	number  int64
}

// weigh decides what the act comes to for each case, or tells everything that stands in its way.
func (d *Desk) weigh(
	req *ActRequest, found []ledger.Finding, acts func(results.ActFilter) ([]ledger.Act, error),
) ([]deed, error) {
	var problems []string
	deeds := make([]deed, len(found))
	for i := range found {
		f := &found[i]
		if text := req.against(f); text != "" {
			problems = append(problems, fmt.Sprintf("case %s (%s): %s", f.Case, f.Code, text))
		}
		deeds[i] = deed{before: *f, after: req.applied(f, d.Today), outcome: actDone}
	}
	if len(problems) > 0 {
		return nil, cappedProblems(req.Verb, problems, len(found))
	}
	if !slices.Contains(d.FourEyes, string(req.Verb)) {
		return deeds, nil
	}
	open, err := d.openProposals(req, found, acts)
	if err != nil {
		return nil, err
	}
	for i := range deeds {
		w := &deeds[i]
		w.outcome, w.partner = outcomeOf(req.Actor, open[w.before.Case])
		if w.outcome != actDone {
			w.after = w.before
		}
	}
	return deeds, nil
}

// openProposals are the proposals of the same act, with the same parameters, that still wait for a second person.
func (d *Desk) openProposals(
	req *ActRequest, found []ledger.Finding, acts func(results.ActFilter) ([]ledger.Act, error),
) (map[string][]ledger.Act, error) {
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].Case
	}
	return d.proposals(req.Verb, ids, func(string) string { return req.parameters() }, acts)
}

// carryOut logs the acts and keeps what they change.
func (d *Desk) carryOut(a *results.Acting, req *ActRequest, deeds []deed) error {
	at := d.Wall()
	for i := range deeds {
		w := &deeds[i]
		if w.outcome == actWaiting {
			continue
		}
		act := ledger.Act{
			Account: w.before.Account, Verb: req.Verb, Stage: ledger.Done, Subject: w.before.Case, Actor: req.Actor,
			Reason: req.Reason, Parameters: req.parameters(), At: at, Confirms: w.partner.Number,
		}
		if w.outcome == actProposed {
			act.Stage = ledger.Proposed
		}
		if err := a.Append(&act); err != nil {
			return err
		}
		w.number = act.Number
		if w.outcome == actProposed {
			continue
		}
		if err := a.Case(&w.after, &act, d.Today); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) summary(req *ActRequest, deeds []deed) *ActSummary {
	s := &ActSummary{Verb: req.Verb, Actor: req.Actor, DryRun: req.DryRun, Count: len(deeds), Cases: []ActedCase{}}
	for i := range deeds {
		w := &deeds[i]
		switch w.outcome {
		case actProposed:
			s.Proposed++
		case actWaiting:
			s.Waiting++
		default:
			s.Done++
		}
		s.Impact += max(w.before.Impact.V, 0)
		s.Excess += max(-w.before.Impact.V, 0)
		s.Cases = append(s.Cases, ActedCase{
			Case: w.before.Case, Account: w.before.Account, Code: w.before.Code, Subject: w.before.Subject,
			From: w.before.State, To: w.after.State, Impact: w.before.Impact, Outcome: w.outcome, Act: w.number,
			Partner: w.partner,
		})
	}
	return s
}
