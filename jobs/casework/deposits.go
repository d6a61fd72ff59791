package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/jobs/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// DepositRequest is a person's request to hold lines of a bank account to be what the service says it paid, or to take a match apart.
type DepositRequest struct {
	Verb   ledger.Verb // ledger.MatchDeposit or UnmatchDeposit
	Home   ledger.Account
	Bank   string
	Sides  bank.Sides
	Voided []string                  // matches of people that no longer hold
	Accept ledger.Opt[ledger.Amount] // match: by how much the sides may differ; none: not at all
	Actor  string
	Reason string
	Via    string // by which way the person asks; empty: the command line
	DryRun bool   // nothing is kept
	// ProposeOnly refuses to confirm what another person proposed.
	ProposeOnly bool
}

// DepositActed is the outcome of a DepositRequest.
type DepositActed struct {
	Match   string // its name
	Outcome string // done, proposed or waiting; standing if it was done before and is in force
	Act     int64  // number in the home's log; 0 when nothing was logged
	Partner ledger.Act
}

// depositFourEyes is the word in four_eyes for matching and for taking apart.
const depositFourEyes = "match"

// ActOnDeposit joins the sides of a match, or takes them apart. A *RequestError names what prevents it.
func (d *Handler) ActOnDeposit(ctx context.Context, req *DepositRequest) (*DepositActed, error) {
	if err := req.checkFields(); err != nil {
		return nil, err
	}
	out := &DepositActed{Match: bank.NameMatch(req.Bank, req.Sides.Groups, req.Sides.Lines)}
	if req.DryRun {
		return out, d.decideDeposit(req, out, func(f caselog.ActFilter) ([]ledger.Act, error) { return d.Ledger.Acts(ctx, f) })
	}
	err := d.Ledger.TransactActs(ctx, []ledger.Account{req.Home}, func(a *caselog.ActTx) error {
		if err := d.decideDeposit(req, out, a.Acts); err != nil || out.Outcome == outcomeWaiting || out.Outcome == outcomeAlreadyDone {
			return err
		}
		parameters := req.Sides.ListParameters()
		if req.Via != "" {
			parameters[viaParameter] = req.Via
		}
		act := ledger.Act{
			Account: req.Home, Verb: req.Verb, Stage: ledger.Done, Subject: bank.MatchSubject(req.Home, req.Bank, out.Match),
			Actor: req.Actor, Person: d.Person, Host: d.Host, Reason: req.Reason, Parameters: caselog.EncodeActParameters(parameters), At: d.Wall(),
			Confirms: out.Partner.Number,
		}
		if out.Outcome == outcomeProposed {
			act.Stage = ledger.Proposed
		}
		if err := a.AppendAct(&act); err != nil {
			return err
		}
		out.Act = act.Number
		return nil
	})
	var refused *RequestError
	if errors.As(err, &refused) {
		return nil, refused
	}
	return out, err
}

// checkFields refuses a request that says too little, or whose sides do not come to the same.
func (r *DepositRequest) checkFields() error {
	p := &requestProblems{}
	p.addIf(strings.TrimSpace(r.Actor) == "", "error.no_actor")
	p.addIf(strings.TrimSpace(r.Reason) == "", "error.needs_reason", "verb", r.Verb)
	p.checkText("--as", r.Actor, ledger.MaxActor)
	p.checkText("--reason", r.Reason, ledger.MaxReason)
	if r.Verb == ledger.MatchDeposit {
		p.addIf(len(r.Sides.Groups) == 0 || len(r.Sides.Lines) == 0, "error.match_sides")
		s := r.Sides.Sums
		p.addIf(s.Difference() != r.Accept.V, "error.match_difference", "expected", s.Expected.Fixed(2), "debits", s.Debits.Fixed(2), "credited", s.Credited.Fixed(2),
			"difference", s.Difference().Fixed(2))
	}
	return p.refuseRequest(fmt.Sprintf("concilia bank %s", r.Verb))
}

// decideDeposit decides what the request comes to, or returns what prevents it.
func (d *Handler) decideDeposit(req *DepositRequest, out *DepositActed, acts func(caselog.ActFilter) ([]ledger.Act, error)) error {
	all, err := acts(caselog.ActFilter{Accounts: []ledger.Account{req.Home}, Verbs: []ledger.Verb{ledger.MatchDeposit, ledger.UnmatchDeposit}})
	if err != nil {
		return err
	}
	decisions, err := bank.Decisions(req.Home, req.Bank, all)
	if err != nil {
		return err
	}
	for i := range decisions {
		x := &decisions[i]
		holds := x.Joined && !slices.Contains(req.Voided, x.Match)
		switch same := x.Match == out.Match; {
		case same && req.Verb == ledger.MatchDeposit && holds, same && req.Verb == ledger.UnmatchDeposit && !x.Joined:
			out.Outcome = outcomeAlreadyDone
			return nil
		case !same && req.Verb == ledger.MatchDeposit && holds && x.Shares(&req.Sides):
			return NewObstacleError(words.Message{}, []Obstacle{{Message: "matched", Values: []any{"match", x.Match}}}, words.NewMessage("hint.unmatch_first", "match", x.Match))
		}
	}
	out.Outcome, out.Partner = outcomeDone, ledger.Act{}
	if !slices.Contains(d.FourEyes, depositFourEyes) {
		return nil
	}
	subject := bank.MatchSubject(req.Home, req.Bank, out.Match)
	parameters := caselog.EncodeActParameters(req.Sides.ListParameters())
	open, err := d.listOpenProposals(req.Verb, []string{subject}, func(string) string { return parameters }, acts)
	if err != nil {
		return err
	}
	out.Outcome, out.Partner = d.decideOutcome(req.Actor, open[subject])
	if out.Outcome == outcomeDone && req.ProposeOnly {
		return NewObstacleError(words.Message{}, []Obstacle{{Message: "proposed", Values: []any{"actor", out.Partner.Actor}}}, words.NewMessage("hint.ask_a_manager"))
	}
	return nil
}
