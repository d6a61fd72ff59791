package reconcile

import (
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// evaluateRow judges one installment, places its brackets and writes what was expected of it.
func (ev *evaluation) evaluateRow(r *rules.Row, cents int64, onSale *saleImpacts) error {
	idx := ev.rulesOn[rules.OnInstallment]
	ev.result.Installments++
	ev.clearImpacts(idx)
	for _, i := range idx {
		ev.env.EvaluateRowInto(&ev.outcomes[i], i, r)
		ev.delta.guard.Count(ev.guardPlaces[i], &ev.outcomes[i], r)
		ev.suppressOutcome(i, &ev.outcomes[i])
		ev.countStatus(i, ev.outcomes[i].Status)
	}
	untoldOn := ev.countClassChanges(r)
	ev.countForPopulations(r)
	e := ev.newExpectation(r, cents)
	e.NextOn = ev.nextEvaluation(r, idx)
	var err error
	if e.Splits, err = ev.evaluateSplits(r, e); err != nil {
		return err
	}
	ev.clearImpacts(idx)
	ev.attributeRow(r, e, onSale)
	p := ev.contextOfRow(r)
	e.Verdict, e.Codes, e.Impact = ev.summarizeSubject(p.subject, idx)
	if err := ev.storeExpectation(r, e); err != nil {
		return err
	}
	ev.postponeUnnotified(p, untoldOn)
	return ev.cases.recordOutcomes(p, idx, ev.outcomes)
}

// contextOfRow says where a case of the row belongs. Its subject is named only where a case may be looked for.
func (ev *evaluation) contextOfRow(r *rules.Row) caseContext {
	p := caseContext{day: r.Key.Day, due: r.Now.Forecast, brand: r.Brand, product: r.Product, line: r.Line.ID}
	if ev.cases.existForSale(r.Key.SaleKey) || anyFires(ev.rulesOn[rules.OnInstallment], ev.outcomes) {
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

// suppressOutcome turns the outcome of a rule that is not believed in this attempt.
func (ev *evaluation) suppressOutcome(i int, o *rules.Outcome) {
	if ev.suppressed[i] {
		*o = o.Suppress()
	}
}

// nextEvaluation is the first as-of at which the row is to be judged again though nothing came of it since.
func (ev *evaluation) nextEvaluation(r *rules.Row, idx []int) ledger.Date {
	tomorrow := ev.in.AsOf + 1
	next := cards.NextEvaluation(ev.env, r)
	if !r.Sale.Complete {
		return tomorrow
	}
	all := ev.env.Rules()
	for _, i := range idx {
		o := &ev.outcomes[i]
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

// countForPopulations gathers what is judged over many rows: spellings nobody listed, months without a contract line.
func (ev *evaluation) countForPopulations(r *rules.Row) {
	ev.delta.unmapped = append(ev.delta.unmapped, r.UnmappedSpellings()...)
	ev.countSpellings(len(ev.delta.unmapped))
	status := cards.CheckContractLine(ev.env, r)
	ev.countStatus(ev.sharedRules.contractMissing, status)
	ev.delta.noContract = status == rules.Fires
	status = runs.CheckRated(ev.env, r)
	ev.delta.countsForRate = status == rules.Passed
}

// countSpellings tallies one subject, with so many spellings that nobody listed.
func (ev *evaluation) countSpellings(unknown int) {
	t := &ev.ruleCounts[ev.sharedRules.enumUnmapped]
	t.Eligible++
	t.Evaluated++
	if unknown > 0 {
		t.Fired++
	}
}

// newExpectation is what the run believes of the row, brackets and verdict apart. It is the row's until the next one's.
func (ev *evaluation) newExpectation(r *rules.Row, cents int64) *ledger.Expectation {
	e := &ev.rowExpectation
	*e = ledger.Expectation{
		Key: r.Key, Version: r.Now.Version, Inputs: ev.inputsHash, Run: ev.run.ID,
		Class: r.Class, Unmapped: r.Unmapped, Brand: r.Brand, Product: r.Product, Band: r.Band,
		Net: r.Net, NetContract: r.ExpectedNet, GrossCents: cents, Received: r.Received, ExpectedDate: r.ContractDue,
	}
	if r.LineState == rules.LineFound {
		e.ContractLine, e.ContractMDRRate = r.Line.ID, ledger.Some(r.Line.MDR)
	}
	if r.Live() && r.Now.Effective != 0 && r.Due != 0 {
		e.DaysLate = ledger.Some(int64(ev.env.BusinessDays(r.Due, r.Now.Effective)))
	}
	if r.Live() && r.IsPaidEarly() {
		e.DaysAnticipated = ledger.Some(int64(r.DaysEarly))
	}
	return e
}
