package casework

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/calendar"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// ActRequest is what a person asks for: one verb on the named cases, or else on those the filter selects.
type ActRequest struct {
	Verb   ledger.Verb
	Cases  []string // ids, or six or more leading digits if unique
	Filter caselog.FindingFilter
	Actor  string
	Reason string // needed to answer, waive, close and reopen
	// Only for some verbs.
	Assignee  string                    // assign
	Reference string                    // dispute; answer, when the service gave another
	FollowUp  ledger.Date               // dispute and answer: the day to ask again; of a dispute without one, followUpDays on
	Letter    string                    // dispute: SHA-256, in hex, of the letter that claims it
	Reply     ledger.Reply              // answer
	Until     ledger.Date               // waive: the last day
	Cap       ledger.Opt[ledger.Amount] // waive: the most that may be at stake; needed for cases about an amount
	DryRun    bool                      // nothing is kept
	// Via is by which way the person asks, such as console; empty: the command line. The log has it.
	Via string
	// Versions are those that the person saw, by case, as VersionOf gives them: nothing is done if one has changed since.
	Versions map[string]string
	// ProposeOnly refuses to confirm what another person proposed.
	ProposeOnly bool
}

// VersionOf is another text whenever something changes about a case that people see.
func VersionOf(f *ledger.Finding) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{
		f.State, f.Expected, f.Actual, f.Impact, f.ExplainedBy, f.Assignee, f.Reference, f.Comment, f.WaivedUntil, f.WaivedCap,
	}))
	return hex.EncodeToString(sum[:6])
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

// ActOnCases applies the request to every case, or to none if one of them is not in a suitable state: then it returns a
// *RequestError that names all such cases. Repeating a request with a filter finds nothing left to do.
func (d *Handler) ActOnCases(ctx context.Context, req ActRequest) (*ActSummary, error) {
	if err := req.checkFields(d.Today); err != nil {
		return nil, err
	}
	if req.Verb == ledger.Dispute && req.FollowUp == 0 && d.Calendar != nil {
		req.FollowUp = d.Calendar.AddBusinessDays(calendar.Settles, d.Today, followUpDays)
	}
	filter := req.Filter
	if len(req.Cases) > 0 {
		ids, err := d.ResolveCases(ctx, req.Cases)
		if err != nil {
			return nil, err
		}
		filter = caselog.FindingFilter{Cases: ids}
	} else {
		if len(filter.States) == 0 {
			filter.States = req.Verb.AllowedStates()
		}
		if len(filter.Accounts) == 0 {
			filter.Accounts = d.Accounts
		}
	}
	seen, err := d.listFindings(ctx, filter)
	if err != nil || len(seen) == 0 {
		return d.summarizeActions(&req, nil), err
	}
	if req.DryRun {
		deeds, err := d.validateActions(&req, seen, func(f caselog.ActFilter) ([]ledger.Act, error) { return d.Ledger.Acts(ctx, f) })
		if err != nil {
			return nil, err
		}
		return d.summarizeActions(&req, deeds), nil
	}
	for _, f := range seen {
		if !slices.Contains(filter.Accounts, f.Account) {
			filter.Accounts = append(filter.Accounts, f.Account)
		}
	}
	var deeds []caseAction
	err = d.Ledger.TransactActs(ctx, filter.Accounts, func(a *caselog.ActTx) error {
		// What was seen may have changed since: the state read under the lock decides.
		found, err := a.Findings(filter)
		if err != nil {
			return err
		}
		if deeds, err = d.validateActions(&req, found, a.Acts); err != nil {
			return err
		}
		return d.applyActions(a, &req, deeds)
	})
	var refused *RequestError
	switch {
	case errors.As(err, &refused):
		return nil, refused // what was being done says nothing to who asked for it
	case err != nil:
		return nil, err
	}
	return d.summarizeActions(&req, deeds), nil
}

func (d *Handler) listFindings(ctx context.Context, filter caselog.FindingFilter) ([]ledger.Finding, error) {
	var out []ledger.Finding
	err := d.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		out = append(out, *f)
		return nil
	})
	return out, err
}

// caseAction is what the act comes to for one case.
type caseAction struct {
	before  ledger.Finding
	after   ledger.Finding
	outcome string
	partner ledger.Act
	number  int64
}

// validateActions decides what the act comes to for each case, or returns everything that prevents it.
func (d *Handler) validateActions(
	req *ActRequest, found []ledger.Finding, acts func(caselog.ActFilter) ([]ledger.Act, error),
) ([]caseAction, error) {
	var obstacles []Obstacle
	deeds := make([]caseAction, len(found))
	for i := range found {
		f := &found[i]
		if seen, ok := req.Versions[f.Case]; ok && seen != VersionOf(f) {
			obstacles = append(obstacles, obstacleOf(f, "changed", "state", f.State))
		} else if o := req.findObstacle(f); o != nil {
			obstacles = append(obstacles, *o)
		}
		deeds[i] = caseAction{before: *f, after: req.applyTo(f, d.Today), outcome: outcomeDone}
	}
	if len(obstacles) > 0 {
		return nil, refuseAction(req.Verb, obstacles, len(found))
	}
	if !slices.Contains(d.FourEyes, string(req.Verb)) {
		return deeds, nil
	}
	open, err := d.listCaseProposals(req, found, acts)
	if err != nil {
		return nil, err
	}
	for i := range deeds {
		w := &deeds[i]
		w.outcome, w.partner = d.decideOutcome(req.Actor, open[w.before.Case])
		if w.outcome != outcomeDone {
			w.after = w.before
		} else if w.partner.Number != 0 && req.ProposeOnly {
			obstacles = append(obstacles, obstacleOf(&w.before, "proposed", "actor", w.partner.Actor))
		}
	}
	if len(obstacles) > 0 {
		return nil, refuseAction(req.Verb, obstacles, len(found))
	}
	return deeds, nil
}

// followUpDays is after how many business days the person who disputed a case is reminded, unless a day was named.
const followUpDays = 10

// listCaseProposals are the proposals of the same act, with the same parameters, that still wait for a second person.
func (d *Handler) listCaseProposals(
	req *ActRequest, found []ledger.Finding, acts func(caselog.ActFilter) ([]ledger.Act, error),
) (map[string][]ledger.Act, error) {
	ids, parameters := make([]string, len(found)), map[string]string{}
	for i := range found {
		ids[i] = found[i].Case
		parameters[found[i].Case] = req.encodeParameters(&found[i])
	}
	return d.listOpenProposals(req.Verb, ids, func(subject string) string { return parameters[subject] }, acts)
}

// applyActions logs the acts and keeps what they change.
func (d *Handler) applyActions(a *caselog.ActTx, req *ActRequest, deeds []caseAction) error {
	at := d.Wall()
	for i := range deeds {
		w := &deeds[i]
		if w.outcome == outcomeWaiting {
			continue
		}
		act := ledger.Act{
			Account: w.before.Account, Verb: req.Verb, Stage: ledger.Done, Subject: w.before.Case,
			Actor: req.Actor, Person: d.Person, Host: d.Host,
			Reason: req.Reason, Parameters: req.encodeLogged(&w.before), At: at, Confirms: w.partner.Number,
		}
		if w.outcome == outcomeProposed {
			act.Stage = ledger.Proposed
		}
		if err := a.AppendAct(&act); err != nil {
			return err
		}
		w.number = act.Number
		if w.outcome == outcomeProposed {
			continue
		}
		if err := a.UpdateCase(&w.after, &act, d.Today); err != nil {
			return err
		}
	}
	return nil
}

func (d *Handler) summarizeActions(req *ActRequest, deeds []caseAction) *ActSummary {
	s := &ActSummary{Verb: req.Verb, Actor: req.Actor, DryRun: req.DryRun, Count: len(deeds), Cases: []ActedCase{}}
	for i := range deeds {
		w := &deeds[i]
		switch w.outcome {
		case outcomeProposed:
			s.Proposed++
		case outcomeWaiting:
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

// checkFields refuses a request that is invalid whatever the case, with everything that is wrong with it.
func (r *ActRequest) checkFields(today ledger.Date) error {
	p := &requestProblems{}
	p.addIf(len(r.Verb.AllowedStates()) == 0, "error.no_act", "verb", r.Verb)
	p.addIf(strings.TrimSpace(r.Actor) == "", "error.no_actor")
	switch r.Verb {
	case ledger.Assign:
		p.addIf(strings.TrimSpace(r.Assignee) == "", "error.assign_to")
	case ledger.Dispute:
		p.addIf(strings.TrimSpace(r.Reference) == "", "error.dispute_reference")
		p.addIf(r.FollowUp != 0 && r.FollowUp < today, "error.day_past", "flag", "--follow-up", "day", r.FollowUp, "today", today)
	case ledger.Answer:
		p.addIf(!slices.Contains(ledger.Replies(), r.Reply), "error.answer_reply")
		p.addIf(r.FollowUp != 0 && r.FollowUp < today, "error.day_past", "flag", "--follow-up", "day", r.FollowUp, "today", today)
	case ledger.Waive:
		p.addIf(r.Until == 0, "error.waive_until")
		p.addIf(r.Until != 0 && r.Until < today, "error.day_past", "flag", "--until", "day", r.Until, "today", today)
		p.addIf(r.Cap.OK && r.Cap.V < 0, "error.cap_below_zero", "amount", r.Cap.V)
	}
	switch r.Verb {
	case ledger.Answer, ledger.Waive, ledger.Close, ledger.Reopen:
		p.addIf(strings.TrimSpace(r.Reason) == "", "error.needs_reason", "verb", r.Verb)
	}
	p.checkText("--as", r.Actor, ledger.MaxActor)
	p.checkText("--reason", r.Reason, ledger.MaxReason)
	p.checkText("--to", r.Assignee, ledger.MaxActor)
	p.checkText("--reference", r.Reference, ledger.MaxActor)
	return p.refuseRequest(fmt.Sprintf("concilia exceptions %s", r.Verb))
}

// The names under which the log keeps what a claim is made of.
const (
	paramReference = "reference"
	paramClaimed   = "claimed"
	paramFollowUp  = "follow_up"
	paramLetter    = "letter"
	paramReply     = "reply"
)

// encodeLogged are the parameters as the log keeps them: with the way by which the person asked.
func (r *ActRequest) encodeLogged(f *ledger.Finding) string {
	p := r.listParameters(f)
	if r.Via != "" {
		p[viaParameter] = r.Via
	}
	return caselog.EncodeActParameters(p)
}

// encodeParameters are what single verbs were given, as the log keeps them; a second person must give the same. Of a dispute it
// keeps what the case was about then, too.
func (r *ActRequest) encodeParameters(f *ledger.Finding) string {
	return caselog.EncodeActParameters(r.listParameters(f))
}

func (r *ActRequest) listParameters(f *ledger.Finding) map[string]string {
	p := map[string]string{}
	set := func(name, value string) {
		if value != "" {
			p[name] = value
		}
	}
	switch r.Verb {
	case ledger.Assign:
		p["to"] = r.Assignee
	case ledger.Dispute:
		set(paramReference, r.Reference)
		if f.Impact.OK {
			set(paramClaimed, f.Impact.V.String())
		}
		set(paramFollowUp, r.FollowUp.String())
		set(paramLetter, r.Letter)
	case ledger.Answer:
		set(paramReply, string(r.Reply))
		set(paramReference, r.Reference)
		set(paramFollowUp, r.FollowUp.String())
	case ledger.Waive:
		p["until"] = r.Until.String()
		if r.Cap.OK {
			p["cap"] = r.Cap.V.String()
		}
	}
	return p
}

// findObstacle is what keeps the act from a case; nil: nothing does.
func (r *ActRequest) findObstacle(f *ledger.Finding) *Obstacle {
	var o Obstacle
	switch stake := f.AtStake(); {
	case !r.Verb.AppliesTo(f.State):
		o = obstacleOf(f, "state", "state", f.State, "verb", r.Verb, "states", r.Verb.AllowedStates())
	case r.Verb != ledger.Waive || !stake.OK:
		return nil
	case !r.Cap.OK:
		o = obstacleOf(f, "no_cap", "amount", stake.V)
	case stake.V > r.Cap.V:
		o = obstacleOf(f, "cap", "amount", stake.V, "cap", r.Cap.V)
	default:
		return nil
	}
	return &o
}

func obstacleOf(f *ledger.Finding, message string, values ...any) Obstacle {
	return Obstacle{Case: f.Case, Code: f.Code, Message: message, Values: values}
}

// applyTo is the case as the act leaves it.
func (r *ActRequest) applyTo(f *ledger.Finding, today ledger.Date) ledger.Finding {
	g := *f
	g.State = r.Verb.ResultState(f.State)
	if r.Reason != "" {
		g.Comment = r.Reason
	}
	if r.Verb == ledger.Assign {
		g.Assignee = r.Assignee
		return g
	}
	if r.Verb == ledger.Answer {
		g.Reference = cmp.Or(r.Reference, f.Reference)
		return g
	}
	g.ReturnState, g.ClosedAs, g.WaivedUntil, g.WaivedCap = "", "", 0, ledger.Opt[ledger.Amount]{}
	switch r.Verb {
	case ledger.Dispute:
		g.Reference = r.Reference
	case ledger.Waive:
		g.WaivedUntil = r.Until
		if f.AtStake().OK {
			g.WaivedCap = r.Cap
		}
	case ledger.Close:
		g.ClosedAs = ledger.ByPerson
		if f.State == ledger.Shadow {
			// How it was before its rule was suppressed is not known: the next observation is compared without it.
			g.ReturnState = ledger.Shadow
		}
	case ledger.Reopen:
		if f.State == ledger.Closed || g.OpenedOn == 0 {
			g.OpenedOn = today
		}
		// One that nothing looks at any more would age out again the next night.
		g.LastSeen = max(g.LastSeen, today)
	}
	return g
}
