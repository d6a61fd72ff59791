package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// PeriodRequest is a person's request to close or reopen a month on a basis.
type PeriodRequest struct {
	Verb     ledger.Verb   // ledger.ClosePeriod or ReopenPeriod
	Month    ledger.Period // whole
	Basis    string        // operation or credit
	Accounts []ledger.Account
	Actor    string
	Reason   string
	DryRun   bool // nothing is kept

	publishes bool // the set need not be published yet: it is published before the month is closed
}

// PeriodSummary is the outcome of a PeriodRequest, by account.
type PeriodSummary struct {
	Verb    ledger.Verb
	Basis   string
	Month   ledger.Period
	Actor   string
	DryRun  bool
	Periods []PeriodActed
}

// PeriodActed is the outcome of an act on the period of one account. Outcome is done, proposed, waiting, or "standing" if
// it was closed before.
type PeriodActed struct {
	Close   ledger.PeriodClose
	Outcome string
	Act     int64      // number in the account's log; 0 when nothing was logged
	Partner ledger.Act // the proposal that was confirmed, or is waiting; zero for none
}

// periodFourEyes is the word in four_eyes for closing and reopening periods.
const periodFourEyes = "period"

const outcomeAlreadyDone = "standing"

// ChangePeriod closes or reopens a month of every requested account, or of none if it is not possible for one: then it returns
// a *RequestError that names all obstacles. Closing a closed month changes nothing.
func (d *Handler) ChangePeriod(ctx context.Context, req PeriodRequest) (*PeriodSummary, error) {
	if err := req.checkFields(d.Today); err != nil {
		return nil, err
	}
	s := &PeriodSummary{Verb: req.Verb, Basis: req.Basis, Month: req.Month, Actor: req.Actor, DryRun: req.DryRun}
	publishes := d.PublishMonths != nil && req.Verb == ledger.ClosePeriod
	var err error
	if req.DryRun || publishes {
		closes := func(f caselog.PeriodFilter) ([]ledger.PeriodClose, error) { return d.Ledger.PeriodCloses(ctx, f) }
		acts := func(f caselog.ActFilter) ([]ledger.Act, error) { return d.Ledger.Acts(ctx, f) }
		before := req
		before.publishes = publishes
		s.Periods, err = d.validatePeriods(ctx, &before, closes, acts)
		if err == nil && !req.DryRun { // what is held now would only keep the publication waiting
			err = d.transactInTime(ctx, req.Accounts, func(*caselog.ActTx) error { return nil })
		}
		if err == nil && !req.DryRun {
			err = d.publishOpen(ctx, s.Periods)
		}
		if err != nil || req.DryRun {
			return s, err
		}
	}
	err = d.transactInTime(ctx, req.Accounts, func(a *caselog.ActTx) error {
		if s.Periods, err = d.validatePeriods(ctx, &req, a.PeriodCloses, a.Acts); err != nil {
			return err
		}
		return d.applyPeriods(a, &req, s.Periods)
	})
	var refused *RequestError
	if errors.As(err, &refused) {
		return nil, refused
	}
	return s, err
}

// transactInTime is TransactActs that waits for the accounts no longer than MonthWait.
func (d *Handler) transactInTime(ctx context.Context, accounts []ledger.Account, fn func(*caselog.ActTx) error) error {
	held := ctx
	if d.MonthWait > 0 {
		var cancel context.CancelFunc
		held, cancel = context.WithTimeout(ctx, d.MonthWait)
		defer cancel()
	}
	err := d.Ledger.TransactActs(held, accounts, fn)
	if err != nil && held.Err() != nil && ctx.Err() == nil { // the driver may say so in words of its own
		return fmt.Errorf("%w: %w", ErrMonthHeld, err)
	}
	return err
}

// ErrMonthHeld is the error of an act on a month that waited too long for an account that a run holds. Nothing was done.
var ErrMonthHeld error = words.NewFault("publish_fault.month_held", "")

// ErrUnpublished is the error of a close whose set could not be published.
var ErrUnpublished error = words.NewFault("publish_fault.month_unpublished", "")

// publishOpen publishes the sets of the months that are not closed yet.
func (d *Handler) publishOpen(ctx context.Context, periods []PeriodActed) error {
	var open []ledger.PeriodClose
	for i := range periods {
		if periods[i].Outcome != outcomeAlreadyDone {
			open = append(open, periods[i].Close)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := d.PublishMonths(ctx, open); err != nil {
		return fmt.Errorf("%w: %w", ErrUnpublished, err)
	}
	return nil
}

func (r *PeriodRequest) checkFields(today ledger.Date) error {
	p := &requestProblems{}
	p.addIf(r.Basis != string(report.ByOperation) && r.Basis != string(report.ByCredit),
		"error.period_basis", "basis", r.Basis)
	p.addIf(strings.TrimSpace(r.Reason) == "", "error.no_reason")
	p.addIf(strings.TrimSpace(r.Actor) == "", "error.no_actor")
	p.addIf(len(r.Accounts) == 0, "error.no_accounts")
	p.addIf(r.Verb == ledger.ClosePeriod && r.Month.To >= today, "error.month_goes_on",
		"month", ledger.MonthText(r.Month.To), "day", r.Month.To+1)
	p.checkText("--as", r.Actor, ledger.MaxActor)
	p.checkText("--reason", r.Reason, ledger.MaxReason)
	return p.refuseRequest("concilia period")
}

// showsClosableKinds reports whether a revision shows anything that closing its month fixes. One whose kinds are all withheld
// does not, nor does a restatement or a statement that was asked for by itself.
func showsClosableKinds(s *published.Set) bool {
	return slices.ContainsFunc(s.Files, func(f published.File) bool { return FixedByClose(report.Kind(f.Kind)) })
}

// validatePeriods decides what the request comes to for each account, or returns everything that prevents it.
func (d *Handler) validatePeriods(
	ctx context.Context, req *PeriodRequest, closes func(caselog.PeriodFilter) ([]ledger.PeriodClose, error),
	acts func(caselog.ActFilter) ([]ledger.Act, error),
) ([]PeriodActed, error) {
	inForce, err := closes(caselog.PeriodFilter{Accounts: req.Accounts, Basis: req.Basis, InForce: true})
	if err != nil {
		return nil, err
	}
	prepare := d.prepareClose
	if req.Verb == ledger.ReopenPeriod {
		prepare = d.prepareReopen
	}
	var out []PeriodActed
	var obstacles []Obstacle
	parameters, subjects := map[string]string{}, []string{}
	for _, a := range req.Accounts {
		own := slices.DeleteFunc(slices.Clone(inForce), func(c ledger.PeriodClose) bool { return c.Account != a })
		p, obstacle, err := prepare(ctx, req, a, own)
		if err != nil {
			return nil, err
		}
		if obstacle != nil {
			obstacle.Account = a
			obstacles = append(obstacles, *obstacle)
			continue
		}
		subjects = append(subjects, p.Close.Subject())
		parameters[p.Close.Subject()] = caselog.EncodeCloseParameters(&p.Close)
		out = append(out, p)
	}
	if len(obstacles) > 0 {
		return nil, NewObstacleError(words.NewMessage("error.period_not_done", "verb", req.Verb, "month", ledger.MonthText(req.Month.To), "basis", req.Basis),
			obstacles, words.NewMessage("hint.period_accounts"))
	}
	if !slices.Contains(d.FourEyes, periodFourEyes) {
		return out, nil
	}
	open, err := d.listOpenProposals(req.Verb, subjects, func(s string) string { return parameters[s] }, acts)
	for i := range out {
		if p := &out[i]; p.Outcome == outcomeDone {
			p.Outcome, p.Partner = d.decideOutcome(req.Actor, open[p.Close.Subject()])
		}
	}
	return out, err
}

// prepareClose is the close of an account's month: of the current revision, once the account was reconciled as of a day
// past the month.
func (d *Handler) prepareClose(
	ctx context.Context, req *PeriodRequest, a ledger.Account, inForce []ledger.PeriodClose,
) (PeriodActed, *Obstacle, error) {
	for _, c := range inForce {
		if c.Period.To == req.Month.To {
			return PeriodActed{Close: c, Outcome: outcomeAlreadyDone}, nil, nil
		}
	}
	base, err := d.Ledger.LastReconcileRun(ctx, a)
	if errors.Is(err, sqldb.ErrNotFound) {
		return PeriodActed{}, &Obstacle{Message: "never_reconciled"}, nil
	}
	if err != nil {
		return PeriodActed{}, nil, err
	}
	since, err := d.Ledger.FirstDay(ctx, a)
	switch {
	case err != nil && !errors.Is(err, sqldb.ErrNotFound):
		return PeriodActed{}, nil, err
	case since > req.Month.To:
		return PeriodActed{}, &Obstacle{Message: "since", Values: []any{"day", since}}, nil
	case base.AsOf <= req.Month.To:
		return PeriodActed{}, &Obstacle{Message: "reconciled_before", Values: []any{"day", base.AsOf}}, nil
	case base.Verdicts[a] == ledger.Incomplete:
		return PeriodActed{}, &Obstacle{Message: "incomplete", Values: []any{"run", base.ID, "account", a}}, nil
	}
	period := ledger.Period{From: max(req.Month.From, since), To: req.Month.To}
	all, err := d.Ledger.Revisions(ctx, a.String(), req.Basis, period, "", "")
	if err != nil {
		return PeriodActed{}, nil, err
	}
	i := slices.IndexFunc(all, showsClosableKinds)
	if i < 0 && req.publishes {
		return PeriodActed{Outcome: outcomeDone, Close: ledger.PeriodClose{Account: a, Basis: req.Basis, Period: period}}, nil, nil
	}
	if i < 0 || all[i].Waiting && !req.publishes {
		return PeriodActed{}, &Obstacle{Message: "no_set", Values: []any{
			"from", period.From, "to", period.To,
			"command", fmt.Sprintf("concilia report --from %s --to %s --basis %s --account %s", period.From, period.To, req.Basis, a),
		}}, nil
	}
	kept := all[i]
	return PeriodActed{Outcome: outcomeDone, Close: ledger.PeriodClose{
		Account: a, Basis: req.Basis, Period: period, Revision: kept.Revision, Run: kept.Run, AsOf: kept.AsOf, Digest: kept.Digest,
	}}, nil, nil
}

// prepareReopen is the close to end: that of the latest month closed on the basis, which alone can be reopened.
func (d *Handler) prepareReopen(
	_ context.Context, req *PeriodRequest, _ ledger.Account, inForce []ledger.PeriodClose,
) (PeriodActed, *Obstacle, error) {
	if len(inForce) == 0 {
		return PeriodActed{}, &Obstacle{Message: "nothing_closed"}, nil
	}
	last := inForce[len(inForce)-1]
	switch i := slices.IndexFunc(inForce, func(c ledger.PeriodClose) bool { return c.Period.To == req.Month.To }); {
	case i < 0:
		return PeriodActed{}, &Obstacle{Message: "not_closed", Values: []any{"month", ledger.MonthText(last.Period.To)}}, nil
	case i < len(inForce)-1:
		return PeriodActed{}, &Obstacle{Message: "not_latest", Values: []any{"month", ledger.MonthText(last.Period.To)}}, nil
	}
	return PeriodActed{Close: last, Outcome: outcomeDone}, nil, nil
}

// applyPeriods logs the acts and keeps what they change.
func (d *Handler) applyPeriods(a *caselog.ActTx, req *PeriodRequest, periods []PeriodActed) error {
	at := d.Wall()
	for i := range periods {
		p := &periods[i]
		if p.Outcome == outcomeWaiting || p.Outcome == outcomeAlreadyDone {
			continue
		}
		act := ledger.Act{
			Account: p.Close.Account, Verb: req.Verb, Stage: ledger.Done, Subject: p.Close.Subject(),
			Actor: req.Actor, Person: d.Person, Host: d.Host,
			Reason: req.Reason, Parameters: caselog.EncodeCloseParameters(&p.Close), At: at, Confirms: p.Partner.Number,
		}
		if p.Outcome == outcomeProposed {
			act.Stage = ledger.Proposed
		}
		if err := a.AppendAct(&act); err != nil {
			return err
		}
		p.Act = act.Number
		if p.Outcome == outcomeProposed {
			continue
		}
		keep := a.ClosePeriod
		if req.Verb == ledger.ReopenPeriod {
			keep = a.ReopenPeriod
		}
		if err := keep(&p.Close, &act); err != nil {
			return err
		}
	}
	return nil
}
