package reconcile

import (
	"concilia/jobs/reconcile/openrows"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// expectationWriter stores the expectations of rows and slips. What an expectation adds to the aggregates now takes the
// place of what it added before.
type expectationWriter struct {
	*attempt
	outcomes      *subjectOutcomes
	changes       *aggregateChanges
	movements     *openrows.Movements
	evaluatedDays map[ledger.Date]bool // of cards
	deltas        deltaTexts
	changed       int64 // expectations
}

// storeInstallment stores the expectation of a row, subtracts its previous delta from the aggregates and adds the new
// one.
func (w *expectationWriter) storeInstallment(r *rules.Row, e *ledger.Expectation) error {
	before := r.Now.Stored
	var err error
	if e.AggregateDelta, err = w.deltas.encodeDelta(&w.outcomes.delta); err != nil {
		return err
	}
	other, err := w.sink.WriteExpectation(e, before)
	if err != nil {
		return err
	}
	if other {
		w.changed++
	}
	if err := w.movements.AddInstallment(r.History, before, false); err != nil {
		return err
	}
	w.evaluatedDays[r.Key.Day] = true
	if !other && !w.everything {
		return nil
	}
	if before != nil && !w.everything {
		if err := w.subtractInstallment(before, r.History, r.Key.Day); err != nil {
			return err
		}
	}
	return w.changes.addRow(1, countedRow{
		side: cardSide, day: r.Key.Day, brand: r.Brand, product: r.Product, band: r.Band, gross: r.Gross, mdr: r.MDR,
		brackets: e.Brackets, aggregateDelta: &w.outcomes.delta,
	})
}

// subtractInstallment subtracts what an installment added to the aggregates before.
func (w *expectationWriter) subtractInstallment(before *ledger.StoredExpectation, h ledger.InstallmentHistory, day ledger.Date) error {
	c, err := w.deltas.parseDelta(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := countedRow{
		side: cardSide, day: day, brand: before.Brand, product: before.Product, band: before.Band, aggregateDelta: c,
	}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	if before.Version >= 1 && before.Version <= len(h) {
		was.gross, was.mdr = h[before.Version-1].Gross, h[before.Version-1].MDR.Or(0)
	}
	return w.changes.addRow(-1, was)
}

// endInstallment ends the expectation of an installment that vanished, and removes it from all sums.
func (w *expectationWriter) endInstallment(g ledger.VanishedInstallment) error {
	v := g.History.Current()
	if err := w.movements.AddInstallment(g.History, g.Stored, true); err != nil {
		return err
	}
	if !w.everything {
		if err := w.subtractInstallment(g.Stored, g.History, v.SoldAt.Date()); err != nil {
			return err
		}
	}
	w.evaluatedDays[v.SoldAt.Date()] = true
	return w.sink.EndExpectation(v.Key())
}

// storeSlip is storeInstallment for a slip.
func (w *expectationWriter) storeSlip(s *rules.Slip, e *ledger.SlipExpectation) error {
	var err error
	if e.AggregateDelta, err = w.deltas.encodeDelta(&w.outcomes.delta); err != nil {
		return err
	}
	other, err := w.sink.WriteSlipExpectation(e, s.Stored)
	if other {
		w.changed++
	}
	if err != nil || !other && !w.everything {
		return err
	}
	if s.Stored != nil && !w.everything {
		if err := w.subtractSlip(s.Stored); err != nil {
			return err
		}
	}
	return w.changes.addRow(1, countedRow{side: slipSide, day: e.Day, gross: w.outcomes.delta.value, brackets: e.Brackets, aggregateDelta: &w.outcomes.delta})
}

// subtractSlip subtracts what a slip added to the aggregates before.
func (w *expectationWriter) subtractSlip(before *ledger.StoredExpectation) error {
	c, err := w.deltas.parseDelta(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := countedRow{side: slipSide, day: before.Day, gross: c.value, aggregateDelta: c}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	return w.changes.addRow(-1, was)
}

// endSlip is endInstallment for a slip.
func (w *expectationWriter) endSlip(s *ledger.Slip) error {
	if s.Stored == nil {
		return nil
	}
	if !w.everything {
		if err := w.subtractSlip(s.Stored); err != nil {
			return err
		}
	}
	return w.sink.EndSlipExpectation(s.ID)
}
