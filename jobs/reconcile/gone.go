package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// vanished judges the installments that complete answers no longer show, and ends what is believed of those that
// vanished since: they are in no sum any more, and no other rule looks at them.
func (ev *evaluation) evaluateVanished(g ledger.VanishedInstallment) error {
	v := g.History.Current()
	if err := ev.followInstallment(g.History, g.Stored, true); err != nil {
		return err
	}
	if !ev.everything {
		if err := ev.subtractRow(g.Stored, g.History, v.SoldAt.Date()); err != nil {
			return err
		}
	}
	ev.daysToSum[v.SoldAt.Date()] = true
	if err := ev.sink.EndExpectation(v.Key()); err != nil {
		return err
	}
	subject := v.Key().Subject()
	if err := ev.cases.resolveSplitCases(subject, func(int) bool { return false }); err != nil {
		return err
	}
	idx := ev.rulesOn[rules.OnInstallment]
	for _, i := range idx {
		ev.outcomes[i] = rules.Outcome{}
	}
	idx = slices.DeleteFunc(slices.Clone(idx), func(i int) bool {
		code := ev.env.Rules()[i].Code
		return code == runs.Vanished || code == runs.ChangedAfterClose // absentees judges by them
	})
	ev.clearImpacts(idx)
	return ev.cases.recordOutcomes(caseContext{subject: subject, day: v.SoldAt.Date()}, idx, ev.outcomes)
}

// evaluateVanishedRows judges every installment that stands as vanished.
func (ev *evaluation) evaluateVanishedRows(ctx context.Context) error {
	i, closed := ev.env.Index(runs.Vanished), ev.env.Index(runs.ChangedAfterClose)
	return ev.src.VanishedInstallments(ctx, ev.account, func(v *ledger.InstallmentVersion, last ledger.Date) error {
		day := v.SoldAt.Date()
		o := runs.EvaluateVanished(ev.env, runs.VanishedRow{Source: ledger.Cards, Day: day, Amount: v.Gross, Last: last, Unreadable: ev.unreadable[day]})
		is := ev.observeVersion(v)
		p := caseContext{subject: v.Key().Subject(), day: day, due: v.Forecast, brand: is.brand, product: is.product}
		ev.outcomes[i] = o
		idx := []int{i}
		if ev.in.Closes != nil {
			ev.outcomes[closed] = runs.EvaluateVanishedAfterClose(ev.env, v)
			idx = append(idx, closed)
		}
		ev.clearImpacts(idx)
		for _, i := range idx {
			ev.countStatus(i, ev.outcomes[i].Status)
		}
		return errors.Join(ev.cases.recordOutcomes(p, idx, ev.outcomes), ctx.Err())
	})
}
