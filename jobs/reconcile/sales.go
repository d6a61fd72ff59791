package reconcile

import (
	"context"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// sales judges every sale of the account. Sales that share NSU and authorization on a day come one after the other
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
	err := w.src.Sales(ctx, w.account, func(s *ledger.Sale) error {
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
	}
	return out
}

// endDay closes what is judged day by day and hands the day's bridge over.
func (w *work) endDay() error {
	var failed error
	i := w.env.Index(doubleCharge)
	w.doubles.Close(func(k ledger.SaleKey, o rules.Outcome) {
		if o.Status == rules.Fires {
			w.tallies[i].Fired++
		}
		w.outs[i] = o
		if err := w.cases.judged(place{subject: k.Subject(), day: k.Day}, []int{i}, w.outs); err != nil && failed == nil {
			failed = err
		}
	})
	if failed != nil {
		return failed
	}
	if rows := w.cards.flush(); len(rows) > 0 {
		return w.sink.Bridge(rows)
	}
	return nil
}

const doubleCharge = "TXN_POSSIBLE_DOUBLE_CHARGE"

// sale judges one sale: as a whole, then row by row, then the fees that were agreed for the whole.
func (w *work) sale(in *ledger.Sale) error {
	s := rules.NewSale(w.env, in.Key, in.Rows, in.Complete)
	cents := grossCents(s)
	for _, i := range w.saleIdx {
		w.saleOut[i] = w.env.OnSale(i, s)
		w.tally(i, w.saleOut[i].Status)
		w.roots[i] = -1
		w.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
	if err := w.double(s); err != nil {
		return err
	}
	var onSale saleImpacts
	for n, r := range s.Rows {
		if err := w.row(r, cents[n], &onSale); err != nil {
			return err
		}
	}
	w.reset(w.saleIdx)
	for _, x := range onSale {
		w.impacts[x.rule] = ledger.Some(w.impacts[x.rule].Or(0) + x.amount)
	}
	first := s.Rows[0]
	return w.cases.judged(place{
		subject: s.Subject(), day: s.Key.Day, due: first.Now.Forecast, brand: first.Brand, product: first.Product, line: first.Line.ID,
	}, w.saleIdx, w.saleOut)
}

// double hands the sale to what compares the sales of a day. One it does not look at, any more, is done with here.
func (w *work) double(s *rules.Sale) error {
	i := w.env.Index(doubleCharge)
	status := w.doubles.Add(s)
	w.tally(i, status)
	if status != rules.NotEligible {
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

// row judges one installment, places its brackets and writes what was expected of it.
func (w *work) row(r *rules.Row, cents int64, onSale *saleImpacts) error {
	idx := w.byKind[rules.OnInstallment]
	w.result.Installments++
	w.reset(idx)
	for _, i := range idx {
		w.outs[i] = w.env.OnRow(i, r)
		w.tally(i, w.outs[i].Status)
	}
	w.change(r)
	w.populate(r)
	e := w.expectation(r, cents)
	var err error
	if e.Splits, err = w.splitRow(r, e); err != nil {
		return err
	}
	w.reset(idx)
	w.placeRow(r, e, onSale)
	e.Verdict, e.Codes, e.Impact = w.verdictOf(idx)
	if err := w.cards.add(r.Key.Day, r.Brand, r.Product, e.Brackets); err != nil {
		return err
	}
	if err := w.sink.Expectation(e); err != nil {
		return err
	}
	return w.cases.judged(w.placeOf(r), idx, w.outs)
}

// placeOf says where a case of the row belongs. Its subject is named only where a case may be looked for.
func (w *work) placeOf(r *rules.Row) place {
	p := place{day: r.Key.Day, due: r.Now.Forecast, brand: r.Brand, product: r.Product, line: r.Line.ID}
	if !w.cases.quiet() || w.anyFires(w.byKind[rules.OnInstallment]) {
		p.subject = r.Subject()
	}
	return p
}

func (w *work) anyFires(idx []int) bool {
	for _, i := range idx {
		if w.outs[i].Status >= rules.Pends {
			return true
		}
	}
	return false
}

// populate gathers what is judged over many rows: spellings nobody listed, months without a contract line.
func (w *work) populate(r *rules.Row) {
	unknown := r.Unknown()
	for _, s := range unknown {
		w.spelled[s]++
	}
	t := &w.tallies[w.env.Index(rules.EnumUnmapped)]
	t.Eligible++
	t.Evaluated++
	if len(unknown) > 0 {
		t.Fired++
	}
	i := w.env.Index("MDR_CONTRACT_MISSING")
	status := w.env.WithoutContract(r)
	w.tally(i, status)
	if status == rules.Fires {
		k := rules.UncoveredOf(r)
		u := w.bare[k]
		w.bare[k] = uncovered{u.rows + 1, u.gross + r.G}
	}
}

// expectation is what the run believes of the row, brackets and verdict apart.
func (w *work) expectation(r *rules.Row, cents int64) *ledger.Expectation {
	e := &ledger.Expectation{
		Key: r.Key, Version: r.Now.Version, Inputs: w.hash, Run: w.run.ID,
		Class: r.Class, Unmapped: r.Unmapped, Brand: r.Brand, Product: r.Product, Band: r.Band,
		Net: r.Net, NetContract: r.NetStar, GrossCents: cents, Received: r.R, ExpectedDate: r.Expected,
	}
	if r.LineState == rules.LineFound {
		e.ContractLine, e.ContractMDRRate = r.Line.ID, ledger.Some(r.Line.MDR)
	}
	if r.Live() && r.Now.Effective != 0 && r.Due != 0 {
		e.DaysLate = ledger.Some(int64(w.env.BusinessDays(r.Due, r.Now.Effective)))
	}
	if r.Live() && r.Early() {
		e.DaysAnticipated = ledger.Some(int64(r.DaysEarly))
	}
	return e
}
