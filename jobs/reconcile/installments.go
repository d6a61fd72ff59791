package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// evaluateRow evaluates one installment, attributes its brackets and stores its expectation.
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
	unnotifiedOn := ev.countClassChanges(r)
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
	ev.postponeUnnotified(p, unnotifiedOn)
	return ev.cases.recordOutcomes(p, idx, ev.outcomes)
}

// contextOfRow is the context of a case on the row. The subject is empty if no case can exist.
func (ev *evaluation) contextOfRow(r *rules.Row) caseContext {
	p := caseContext{day: r.Key.Day, due: r.Now.Forecast, brand: r.Brand, product: r.Product, line: r.Line.ID}
	if ev.cases.existForSale(r.Key.SaleKey) || anyFires(ev.rulesOn[rules.OnInstallment], ev.outcomes) {
		p.subject = r.Subject()
	}
	return p
}

// anyFires reports whether a rule has a case on the subject; the case of a suppressed rule counts.
func anyFires(idx []int, outs []rules.Outcome) bool {
	for _, i := range idx {
		if s := outs[i].Status; s >= rules.Pends || s == rules.SuppressedFire {
			return true
		}
	}
	return false
}

// suppressOutcome marks the outcome of a rule that is suppressed in this attempt.
func (ev *evaluation) suppressOutcome(i int, o *rules.Outcome) {
	if ev.suppressed[i] {
		*o = o.Suppress()
	}
}

// nextEvaluation is the first as-of date on which the row has to be evaluated again even if it does not change.
func (ev *evaluation) nextEvaluation(r *rules.Row, idx []int) ledger.Date {
	next := cards.NextEvaluation(ev.env, r)
	if !r.Sale.Complete {
		return ledger.EveryNight
	}
	all := ev.env.Rules()
	for _, i := range idx {
		o := &ev.outcomes[i]
		// The severity of an unnotified change depends on the other changes of its day.
		if all[i].Waits(o.Status, len(r.History)) || o.Status >= rules.Pends && all[i].Code == notifications.ChangeUnnotified {
			return ledger.EveryNight
		}
		if o.Status == rules.Pends && (next == 0 || o.BreakOn < next) {
			next = max(o.BreakOn, ev.in.AsOf+1)
		}
	}
	return next
}

const contractMissing = "MDR_CONTRACT_MISSING"

// countForPopulations notes what is evaluated over many rows: unmapped spellings, months without a contract line,
// rates.
func (ev *evaluation) countForPopulations(r *rules.Row) {
	ev.delta.unmapped = append(ev.delta.unmapped, r.UnmappedSpellings()...)
	ev.countSpellings(len(ev.delta.unmapped))
	status := cards.CheckContractLine(ev.env, r)
	ev.countStatus(ev.sharedRules.contractMissing, status)
	ev.delta.noContract = status == rules.Fires
	status = runs.CheckRated(ev.env, r)
	ev.delta.countsForRate = status == rules.Passed
}

// countSpellings counts one subject with its number of unmapped spellings.
func (ev *evaluation) countSpellings(unknown int) {
	t := &ev.ruleCounts[ev.sharedRules.enumUnmapped]
	t.Eligible++
	t.Evaluated++
	if unknown > 0 {
		t.Fired++
	}
}

// newExpectation returns the expectation of the row, without brackets and verdict. The next row overwrites it.
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

// evaluateSplits evaluates each split of an installment, and those that were agreed and are missing. If splits are
// deducted from what is received, their brackets are in the bridge; otherwise they are only in the cases.
func (ev *evaluation) evaluateSplits(r *rules.Row, e *ledger.Expectation) ([]ledger.SplitExpectation, error) {
	n := r.SplitCount()
	if n == 0 && len(ev.cases.splitCases) == 0 {
		return nil, nil
	}
	idx := ev.rulesOn[rules.OnSplit]
	owners := ev.lineOwners[ledger.LineSplit]
	status := func(i int) rules.Status { return ev.outcomes[i].Status }
	var out []ledger.SplitExpectation
	if len(r.Now.Splits) > 0 {
		out = make([]ledger.SplitExpectation, 0, len(r.Now.Splits))
	}
	for s := range n {
		ev.clearImpacts(idx)
		for _, i := range idx {
			ev.outcomes[i].Take(ev.env.EvaluateSplit(i, r, s))
			ev.delta.guard.Count(ev.guardPlaces[i], &ev.outcomes[i], r)
			ev.suppressOutcome(i, &ev.outcomes[i])
			ev.countStatus(i, ev.outcomes[i].Status)
		}
		root := ev.findRoot(owners, status)
		amount := r.SplitBracket(s)
		if root >= 0 {
			ev.impacts[root] = ledger.Some(amount)
		}
		ev.attributeSplit(r, e, s, amount, root, owners, status)
		p := caseContext{}
		if ev.cases.existForSale(r.Key.SaleKey) || anyFires(idx, ev.outcomes) {
			p = ev.contextOfRow(r)
			p.subject = r.SplitSubject(s)
		}
		if s < len(r.Now.Splits) {
			out = append(out, ev.newSplitExpectation(r, s, p.subject, idx))
		}
		if p.subject == "" {
			continue
		}
		if err := ev.cases.recordOutcomes(p, idx, ev.outcomes); err != nil {
			return nil, err
		}
	}
	return out, ev.resolveGoneSplits(r)
}

// resolveGoneSplits resolves the cases of splits that the row had, or lacked, and no longer has or lacks.
func (ev *evaluation) resolveGoneSplits(r *rules.Row) error {
	if len(ev.cases.splitCases) == 0 || !ev.cases.existForSale(r.Key.SaleKey) {
		return nil
	}
	return ev.cases.resolveSplitCases(r.Subject(), func(i int) bool {
		return r.Unmapped || r.LineState == rules.NoContract && ev.env.Rules()[i].UsesContract()
	})
}

// attributeSplit puts the bracket of split s on its line. Rows that are not live have none.
func (ev *evaluation) attributeSplit(
	r *rules.Row, e *ledger.Expectation, s int, amount ledger.Amount, root int, owners []int, status func(int) rules.Status,
) {
	switch {
	case !r.Live() || amount == 0:
	case !ev.in.Profile.NetOfSplits: // outside the bridge: only its case has the impact
	default:
		b := ledger.Bracket{Line: ledger.LineSplit, Amount: amount}
		if root < 0 {
			ev.attributeWithoutOwner(&b, owners, status, r.Unmapped)
			ev.tolerateRounding(&b, owners, status)
		} else {
			ev.setOwner(&b, root, r.SplitSubject(s))
		}
		e.Brackets = append(e.Brackets, b)
	}
}

func (ev *evaluation) newSplitExpectation(r *rules.Row, s int, subject string, idx []int) ledger.SplitExpectation {
	var x ledger.SplitExpectation
	sp := r.Now.Splits[s]
	if sp.Pct.OK && sp.Base.OK {
		if a, err := sp.Pct.V.ShareOf(sp.Base.V, ev.in.Profile.Unit, ledger.HalfAwayFromZero); err == nil {
			x.Expected = ledger.Some(a)
		}
	}
	if r.Contract != nil {
		for _, a := range r.Contract.Splits {
			if a.Beneficiary == sp.Beneficiary {
				x.ContractPct = ledger.Some(a.Pct)
			}
		}
	}
	x.Verdict, x.Codes, _ = ev.summarizeSubject(subject, idx)
	return x
}

// evaluateVanished removes an installment that vanished since the last reconcile from all sums, ends its expectation
// and resolves its cases.
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
		return code == runs.Vanished || code == runs.ChangedAfterClose // evaluateVanishedRows evaluates these
	})
	ev.clearImpacts(idx)
	return ev.cases.recordOutcomes(caseContext{subject: subject, day: v.SoldAt.Date()}, idx, ev.outcomes)
}

// evaluateVanishedRows evaluates every installment that has vanished, now or earlier.
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
