package reconcile

import (
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// row judges one installment, places its brackets and writes what was expected of it.
func (w *work) row(r *rules.Row, cents int64, onSale *saleImpacts) error {
	idx := w.byKind[rules.OnInstallment]
	w.result.Installments++
	w.reset(idx)
	for _, i := range idx {
		w.env.EvaluateRowInto(&w.outs[i], i, r)
		w.now.guard.Count(w.places[i], &w.outs[i], r)
		w.disbelieve(i, &w.outs[i])
		w.tally(i, w.outs[i].Status)
	}
	untoldOn := w.change(r)
	w.populate(r)
	e := w.expectation(r, cents)
	e.NextOn = w.nextOn(r, idx)
	var err error
	if e.Splits, err = w.splitRow(r, e); err != nil {
		return err
	}
	w.reset(idx)
	w.placeRow(r, e, onSale)
	p := w.placeOf(r)
	e.Verdict, e.Codes, e.Impact = w.verdictOf(p.subject, idx)
	if err := w.believe(r, e); err != nil {
		return err
	}
	w.setAside(p, untoldOn)
	return w.cases.judged(p, idx, w.outs)
}

// placeOf says where a case of the row belongs. Its subject is named only where a case may be looked for.
func (w *work) placeOf(r *rules.Row) place {
	p := place{day: r.Key.Day, due: r.Now.Forecast, brand: r.Brand, product: r.Product, line: r.Line.ID}
	if w.cases.about(r.Key.SaleKey) || anyFires(w.byKind[rules.OnInstallment], w.outs) {
		p.subject = r.Subject()
	}
	return p
}

// anyFires says whether some rule has a case on the subject: one that is not believed has it in shadow.
func anyFires(idx []int, outs []rules.Outcome) bool {
	for _, i := range idx {
		if s := outs[i].Status; s >= rules.Pends || s == rules.SuppressedFire {
			return true
		}
	}
	return false
}

// disbelieve turns the outcome of a rule that is not believed in this attempt.
func (w *work) disbelieve(i int, o *rules.Outcome) {
	if w.doubt[i] {
		*o = o.Suppress()
	}
}

// nextOn is the first as-of at which the row is to be judged again though nothing came of it since.
func (w *work) nextOn(r *rules.Row, idx []int) ledger.Date {
	tomorrow := w.in.AsOf + 1
	next := cards.NextEvaluation(w.env, r)
	if !r.Sale.Complete {
		return tomorrow
	}
	all := w.env.Rules()
	for _, i := range idx {
		o := &w.outs[i]
		// How grave a change is that nobody told of depends on the others of its day.
		if all[i].Waits(o.Status, len(r.History)) || o.Status >= rules.Pends && all[i].Code == notifications.ChangeUnnotified {
			return tomorrow
		}
		if o.Status == rules.Pends && (next == 0 || o.BreakOn < next) {
			next = max(o.BreakOn, tomorrow)
		}
	}
	return next
}

const contractMissing = "MDR_CONTRACT_MISSING"

// populate gathers what is judged over many rows: spellings nobody listed, months without a contract line.
func (w *work) populate(r *rules.Row) {
	w.now.spelled = append(w.now.spelled, r.UnmappedSpellings()...)
	w.seeSpellings(len(w.now.spelled))
	status := cards.CheckContractLine(w.env, r)
	w.tally(w.rowIdx.bare, status)
	w.now.bare = status == rules.Fires
	status = runs.CheckRated(w.env, r)
	w.now.rated = status == rules.Passed
}

// seeSpellings tallies one subject, with so many spellings that nobody listed.
func (w *work) seeSpellings(unknown int) {
	t := &w.tallies[w.rowIdx.unmapped]
	t.Eligible++
	t.Evaluated++
	if unknown > 0 {
		t.Fired++
	}
}

// expectation is what the run believes of the row, brackets and verdict apart. It is the row's until the next one's.
func (w *work) expectation(r *rules.Row, cents int64) *ledger.Expectation {
	e := &w.expected
	*e = ledger.Expectation{
		Key: r.Key, Version: r.Now.Version, Inputs: w.hash, Run: w.run.ID,
		Class: r.Class, Unmapped: r.Unmapped, Brand: r.Brand, Product: r.Product, Band: r.Band,
		Net: r.Net, NetContract: r.ExpectedNet, GrossCents: cents, Received: r.Received, ExpectedDate: r.ContractDue,
	}
	if r.LineState == rules.LineFound {
		e.ContractLine, e.ContractMDRRate = r.Line.ID, ledger.Some(r.Line.MDR)
	}
	if r.Live() && r.Now.Effective != 0 && r.Due != 0 {
		e.DaysLate = ledger.Some(int64(w.env.BusinessDays(r.Due, r.Now.Effective)))
	}
	if r.Live() && r.IsPaidEarly() {
		e.DaysAnticipated = ledger.Some(int64(r.DaysEarly))
	}
	return e
}
