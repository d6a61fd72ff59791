package reconcile

import (
	"context"
	"errors"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// sales judges the sales of the scope. Sales that share NSU and authorization on a day come one after the other
// and are put together first, since only together they show whether they are one.
func (w *work) sales(ctx context.Context) error {
	var group []*ledger.Sale
	day := ledger.Date(0)
	flush := func() error {
		for _, s := range assemble(group) {
			if err := w.sale(s); err != nil {
				return err
			}
		}
		group = group[:0]
		return nil
	}
	read := func(ctx context.Context, fn func(*ledger.Sale) error) error {
		return w.src.SalesInScope(ctx, w.account, w.scope, fn)
	}
	err := ahead(ctx, read, func(s *ledger.Sale) error {
		for i := range s.Vanished {
			if err := w.gone(s.Vanished[i]); err != nil {
				return err
			}
		}
		if len(s.Rows) == 0 {
			return nil
		}
		if len(group) > 0 && !sameButOccurrence(group[0].Key, s.Key) {
			if err := flush(); err != nil {
				return err
			}
		}
		if s.Key.Day != day {
			if err := w.endDay(); err != nil {
				return err
			}
			if err := w.sumAhead(day); err != nil {
				return err
			}
			day = s.Key.Day
			if err := w.readEvents(ctx, day); err != nil {
				return err
			}
		}
		group = append(group, s)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return w.endDay()
}

// sumsFrom is of how many judged rows the days are summed ahead at once.
const sumsFrom = 1000

// sumAhead notes that a day is judged, and lets such days be summed when they hold enough rows to be worth a question.
func (w *work) sumAhead(day ledger.Date) error {
	if day != 0 {
		w.toSumAhead = append(w.toSumAhead, day)
	}
	if w.result.Installments-w.summedAt < sumsFrom {
		return nil
	}
	days := w.toSumAhead
	w.toSumAhead, w.summedAt = nil, w.result.Installments
	return w.sink.SumCardsAhead(days)
}

func sameButOccurrence(a, b ledger.SaleKey) bool {
	a.Occurrence, b.Occurrence = 0, 0
	return a == b
}

// assemble decides which rows of one key are one sale: those of a further occurrence that time, terminal, card, total
// and count do not tell apart from an earlier one belong to it.
func assemble(group []*ledger.Sale) []*ledger.Sale {
	if len(group) < 2 {
		return group
	}
	var out []*ledger.Sale
	firsts := map[any]*ledger.Sale{}
	for _, s := range group {
		mark := rules.Fingerprint(&s.Rows[0].Current().Installment)
		first, known := firsts[mark]
		if !known {
			one := *s
			firsts[mark] = &one
			out = append(out, &one)
			continue
		}
		first.Rows = append(first.Rows[:len(first.Rows):len(first.Rows)], s.Rows...)
		first.Complete = first.Complete && s.Complete
		first.Changed = first.Changed || s.Changed
	}
	return out
}

// endDay closes what is judged day by day.
func (w *work) endDay() error {
	var failed error
	i := w.rowIdx.double
	w.doubles.Close(func(k ledger.SaleKey, o rules.Outcome) {
		if o.Status == rules.Fires {
			w.tallies[i].Fired++
		}
		w.outs[i] = o
		if !w.cases.about(k) && !anyFires([]int{i}, w.outs) {
			return
		}
		if err := w.cases.judged(place{subject: k.Subject(), day: k.Day}, []int{i}, w.outs); err != nil && failed == nil {
			failed = err
		}
	})
	return errors.Join(failed, w.cases.release("sale:"))
}

const doubleCharge = "TXN_POSSIBLE_DOUBLE_CHARGE"

// sale judges one sale: as a whole, then row by row, then the fees that were agreed for the whole.
func (w *work) sale(in *ledger.Sale) error {
	s := &w.judging
	s.Read(w.env, in.Key, in.Rows, in.Complete)
	w.measure(s, nil)
	cents := grossCents(s)
	w.ofSale.Reset()
	for _, i := range w.saleIdx {
		w.saleOut[i].Take(w.env.EvaluateSale(i, s))
		w.ofSale.Count(w.places[i], &w.saleOut[i], nil)
		w.disbelieve(i, &w.saleOut[i])
		w.tally(i, w.saleOut[i].Status)
		w.roots[i] = -1
		w.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
	if in.Changed {
		if err := w.double(s); err != nil {
			return err
		}
	}
	var onSale saleImpacts
	for n, r := range s.Rows {
		w.now.reset()
		if n == 0 {
			w.now.guard, w.ofSale = w.ofSale, w.now.guard
		}
		if err := w.row(r, cents[n], &onSale); err != nil {
			return err
		}
	}
	w.reset(w.saleIdx)
	for _, x := range onSale {
		w.impacts[x.rule] = ledger.Some(w.impacts[x.rule].Or(0) + x.amount)
	}
	if !w.cases.about(s.Key) && !anyFires(w.saleIdx, w.saleOut) {
		return nil
	}
	first := s.Rows[0]
	return w.cases.judged(place{
		subject: s.Subject(), day: s.Key.Day, due: first.Now.Forecast, brand: first.Brand, product: first.Product, line: first.Line.ID,
	}, w.saleIdx, w.saleOut)
}

// double hands the sale to what compares the sales of a day. One it does not look at, any more, is done with here.
func (w *work) double(s *rules.Sale) error {
	i := w.rowIdx.double
	status := w.doubles.Add(s)
	w.tally(i, status)
	if status != rules.NotEligible || !w.cases.about(s.Key) {
		return nil
	}
	w.outs[i] = rules.Outcome{}
	return w.cases.judged(place{subject: s.Subject(), day: s.Key.Day}, []int{i}, w.outs)
}

// saleImpacts are the brackets of rows whose root is a rule on the whole sale.
type saleImpacts []struct {
	rule   int
	amount ledger.Amount
}

// reset forgets impacts and roots of rules before a subject.
func (w *work) reset(idx []int) {
	for _, i := range idx {
		w.roots[i] = -1
		w.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
}
