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
func (w *work) gone(g ledger.VanishedInstallment) error {
	v := g.History.Current()
	if err := w.follow(g.History, g.Stored, true); err != nil {
		return err
	}
	if !w.all {
		if err := w.uncount(g.Stored, g.History, v.SoldAt.Date()); err != nil {
			return err
		}
	}
	w.days[v.SoldAt.Date()] = true
	if err := w.sink.EndExpectation(v.Key()); err != nil {
		return err
	}
	subject := v.Key().Subject()
	if err := w.cases.gone(subject, func(int) bool { return false }); err != nil {
		return err
	}
	idx := w.byKind[rules.OnInstallment]
	for _, i := range idx {
		w.outs[i] = rules.Outcome{}
	}
	idx = slices.DeleteFunc(slices.Clone(idx), func(i int) bool {
		code := w.env.Rules()[i].Code
		return code == runs.Vanished || code == runs.ChangedAfterClose // absentees judges by them
	})
	w.reset(idx)
	return w.cases.judged(place{subject: subject, day: v.SoldAt.Date()}, idx, w.outs)
}

// absentees judges every installment that stands as vanished.
func (w *work) absentees(ctx context.Context) error {
	i, closed := w.env.Index(runs.Vanished), w.env.Index(runs.ChangedAfterClose)
	return w.src.VanishedInstallments(ctx, w.account, func(v *ledger.InstallmentVersion, last ledger.Date) error {
		day := v.SoldAt.Date()
		o := runs.EvaluateVanished(w.env, runs.VanishedRow{Source: ledger.Cards, Day: day, Amount: v.Gross, Last: last, Unreadable: w.unreadable[day]})
		is := w.seenAs(v)
		p := place{subject: v.Key().Subject(), day: day, due: v.Forecast, brand: is.brand, product: is.product}
		w.outs[i] = o
		idx := []int{i}
		if w.in.Closes != nil {
			w.outs[closed] = runs.EvaluateVanishedAfterClose(w.env, v)
			idx = append(idx, closed)
		}
		w.reset(idx)
		for _, i := range idx {
			w.tally(i, w.outs[i].Status)
		}
		return errors.Join(w.cases.judged(p, idx, w.outs), ctx.Err())
	})
}
