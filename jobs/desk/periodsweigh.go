package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// showsClosableKinds says whether a revision shows what a close makes stand. One whose kinds are all withheld tells nothing to
// close, nor does a restatement or a statement that was asked for by itself.
func showsClosableKinds(s *reports.Set) bool {
	return slices.ContainsFunc(s.Files, func(f reports.File) bool { return Stands(export.Kind(f.Kind)) })
}

// weighPeriods decides what the request comes to for each account, or tells everything that stands in its way.
func (d *Desk) weighPeriods(
	ctx context.Context, req *PeriodRequest, closes func(results.PeriodFilter) ([]ledger.PeriodClose, error),
	acts func(results.ActFilter) ([]ledger.Act, error),
) ([]PeriodActed, error) {
	standing, err := closes(results.PeriodFilter{Accounts: req.Accounts, Basis: req.Basis, Standing: true})
	if err != nil {
		return nil, err
	}
	weigh := d.toClose
	if req.Verb == ledger.ReopenPeriod {
		weigh = d.toReopen
	}
	var out []PeriodActed
	var problems []string
	parameters, subjects := map[string]string{}, []string{}
	for _, a := range req.Accounts {
		own := slices.DeleteFunc(slices.Clone(standing), func(c ledger.PeriodClose) bool { return c.Account != a })
		p, problem, err := weigh(ctx, req, a, own)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			problems = append(problems, fmt.Sprintf("account %s: %s", a, problem))
			continue
		}
		subjects = append(subjects, p.Close.Subject())
		parameters[p.Close.Subject()] = results.CloseParameters(&p.Close)
		out = append(out, p)
	}
	if len(problems) > 0 {
		return nil, &RequestError{
			fmt.Sprintf("nothing was done: %s %s on basis %s:\n  %s", req.Verb, ledger.MonthText(req.Month.To), req.Basis,
				strings.Join(problems, "\n  ")),
			"concilia period --help; --account leaves accounts out",
		}
	}
	if !slices.Contains(d.FourEyes, periodEyes) {
		return out, nil
	}
	open, err := d.proposals(req.Verb, subjects, func(s string) string { return parameters[s] }, acts)
	for i := range out {
		if p := &out[i]; p.Outcome == actDone {
			p.Outcome, p.Partner = outcomeOf(req.Actor, open[p.Close.Subject()])
		}
	}
	return out, err
}

// toClose is the close of an account's month: of the revision that stands, once the account was reconciled as of a day
// past the month.
func (d *Desk) toClose(
	ctx context.Context, req *PeriodRequest, a ledger.Account, standing []ledger.PeriodClose,
) (PeriodActed, string, error) {
	for _, c := range standing {
		if c.Period.To == req.Month.To {
			return PeriodActed{Close: c, Outcome: periodStanding}, "", nil
		}
	}
	base, err := d.Ledger.LastReconciled(ctx, a)
	if errors.Is(err, sqldb.ErrNotFound) {
		return PeriodActed{}, "was never reconciled: concilia run first", nil
	}
	if err != nil {
		return PeriodActed{}, "", err
	}
	since, err := d.Ledger.Since(ctx, a)
	switch {
	case err != nil && !errors.Is(err, sqldb.ErrNotFound):
		return PeriodActed{}, "", err
	case since > req.Month.To:
		return PeriodActed{}, fmt.Sprintf("is answered for since %s only", since), nil
	case base.AsOf <= req.Month.To:
		return PeriodActed{}, fmt.Sprintf("was reconciled as of %s last, when the month had not ended: concilia run first", base.AsOf), nil
	case base.Verdicts[a] == ledger.Incomplete:
		return PeriodActed{}, fmt.Sprintf("run %s left it incomplete: see concilia exceptions list --severity C --account %s, and run again",
			base.ID, a), nil
	}
	period := ledger.Period{From: max(req.Month.From, since), To: req.Month.To}
	all, err := d.Ledger.Revisions(ctx, a.String(), req.Basis, period, "", "")
	if err != nil {
		return PeriodActed{}, "", err
	}
	i := slices.IndexFunc(all, showsClosableKinds)
	if i < 0 || all[i].Waiting {
		return PeriodActed{}, fmt.Sprintf("no published set of %s to %s stands: concilia report --from %s --to %s --basis %s --account %s first",
			period.From, period.To, period.From, period.To, req.Basis, a), nil
	}
	kept := all[i]
	return PeriodActed{Outcome: actDone, Close: ledger.PeriodClose{
		Account: a, Basis: req.Basis, Period: period, Revision: kept.Revision, Run: kept.Run, AsOf: kept.AsOf, Digest: kept.Digest,
	}}, "", nil
}

// toReopen is the close to end: that of the latest month closed on the basis, which alone can be reopened.
func (d *Desk) toReopen(
	_ context.Context, req *PeriodRequest, _ ledger.Account, standing []ledger.PeriodClose,
) (PeriodActed, string, error) {
	if len(standing) == 0 {
		return PeriodActed{}, "no month is closed on this basis", nil
	}
	last := standing[len(standing)-1]
	switch i := slices.IndexFunc(standing, func(c ledger.PeriodClose) bool { return c.Period.To == req.Month.To }); {
	case i < 0:
		return PeriodActed{}, fmt.Sprintf("it is not closed; the latest closed month is %s", ledger.MonthText(last.Period.To)), nil
	case i < len(standing)-1:
		return PeriodActed{}, fmt.Sprintf("only the latest closed month can be reopened, which is %s", ledger.MonthText(last.Period.To)), nil
	}
	return PeriodActed{Close: last, Outcome: actDone}, "", nil
}

// carryOutPeriods logs the acts and keeps what they change.
func (d *Desk) carryOutPeriods(a *results.Acting, req *PeriodRequest, periods []PeriodActed) error {
	at := d.Wall()
	for i := range periods {
		p := &periods[i]
		if p.Outcome == actWaiting || p.Outcome == periodStanding {
			continue
		}
		act := ledger.Act{
			Account: p.Close.Account, Verb: req.Verb, Stage: ledger.Done, Subject: p.Close.Subject(), Actor: req.Actor,
			Reason: req.Reason, Parameters: results.CloseParameters(&p.Close), At: at, Confirms: p.Partner.Number,
		}
		if p.Outcome == actProposed {
			act.Stage = ledger.Proposed
		}
		if err := a.Append(&act); err != nil {
			return err
		}
		p.Act = act.Number
		if p.Outcome == actProposed {
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
