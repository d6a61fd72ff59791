package reconcile

import (
	"context"
	"errors"
	"slices"

	"concilia/jobs/reconcile/openrows"
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// installmentEvaluator evaluates the installments of a sale, one after the other, with their splits.
type installmentEvaluator struct {
	*attempt
	outcomes      *subjectOutcomes
	cases         *cases
	bridge        *bridge
	writer        *expectationWriter
	notifications *notificationEvaluator
	unreadable    map[ledger.Date]bool // days with a quarantined row whose key could not be read
	expectation   ledger.Expectation   // of the current row
	evaluated     int64
}

// evaluateRow evaluates one installment, attributes its brackets and stores its expectation.
func (ev *installmentEvaluator) evaluateRow(r *rules.Row, cents int64, onSale *saleImpacts) error {
	idx := ev.outcomes.rowRules
	ev.evaluated++
	for _, i := range idx {
		ev.env.EvaluateRowInto(&ev.outcomes.current[i], i, r)
		ev.outcomes.countOutcome(i, &ev.outcomes.current[i], &ev.outcomes.delta.guard, r)
	}
	unnotifiedOn := ev.notifications.countClassChanges(r)
	ev.countForPopulations(r)
	e := ev.newExpectation(r, cents)
	e.NextOn = ev.nextEvaluation(r, idx)
	var err error
	if e.Splits, err = ev.evaluateSplits(r, e); err != nil {
		return err
	}
	ev.outcomes.clearImpacts(idx)
	ev.bridge.attributeRow(r, e, onSale)
	p := ev.contextOfRow(r)
	e.Verdict, e.Codes, e.Impact = ev.cases.summarizeSubject(p.subject, idx)
	if err := ev.writer.storeInstallment(r, e); err != nil {
		return err
	}
	ev.notifications.postponeUnnotified(p, unnotifiedOn)
	return ev.cases.recordOutcomes(p, idx, ev.outcomes.current)
}

// contextOfRow is the context of a case on the row. The subject is empty if no case can exist.
func (ev *installmentEvaluator) contextOfRow(r *rules.Row) caseContext {
	p := caseContext{day: r.Key.Day, due: r.Now.Forecast, brand: r.Brand, product: r.Product, line: r.Line.ID}
	if ev.cases.existForSale(r.Key.SaleKey) || anyFires(ev.outcomes.rowRules, ev.outcomes.current) {
		p.subject = r.Subject()
	}
	return p
}

// nextEvaluation is the first as-of date on which the row has to be evaluated again even if it does not change.
func (ev *installmentEvaluator) nextEvaluation(r *rules.Row, idx []int) ledger.Date {
	next := cards.NextEvaluation(ev.env, r)
	if !r.Sale.Complete {
		return ledger.EveryNight
	}
	all := ev.env.Rules()
	for _, i := range idx {
		o := &ev.outcomes.current[i]
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

// countForPopulations notes what is evaluated over many rows: unmapped spellings, months without a contract line,
// rates.
func (ev *installmentEvaluator) countForPopulations(r *rules.Row) {
	ev.outcomes.delta.unmapped = append(ev.outcomes.delta.unmapped, r.UnmappedSpellings()...)
	ev.outcomes.countSpellings(len(ev.outcomes.delta.unmapped))
	status := cards.CheckContractLine(ev.env, r)
	ev.outcomes.countStatus(ev.outcomes.sharedRules.contractMissing, status)
	ev.outcomes.delta.noContract = status == rules.Fires
	status = runs.CheckRated(ev.env, r)
	ev.outcomes.delta.countsForRate = status == rules.Passed
}

// newExpectation returns the expectation of the row, without brackets and verdict. The next row overwrites it.
func (ev *installmentEvaluator) newExpectation(r *rules.Row, cents int64) *ledger.Expectation {
	e := &ev.expectation
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
func (ev *installmentEvaluator) evaluateSplits(r *rules.Row, e *ledger.Expectation) ([]ledger.SplitExpectation, error) {
	n := r.SplitCount()
	if n == 0 && len(ev.cases.splitCases) == 0 {
		return nil, nil
	}
	idx := ev.outcomes.splitRules
	owners := ev.outcomes.lineOwners[ledger.LineSplit]
	status := func(i int) rules.Status { return ev.outcomes.current[i].Status }
	var out []ledger.SplitExpectation
	if len(r.Now.Splits) > 0 {
		out = make([]ledger.SplitExpectation, 0, len(r.Now.Splits))
	}
	for s := range n {
		ev.outcomes.clearImpacts(idx)
		for _, i := range idx {
			ev.outcomes.current[i].Take(ev.env.EvaluateSplit(i, r, s))
			ev.outcomes.countOutcome(i, &ev.outcomes.current[i], &ev.outcomes.delta.guard, r)
		}
		root := ev.outcomes.findRoot(owners, status)
		amount := r.SplitBracket(s)
		if root >= 0 {
			ev.outcomes.impacts[root] = ledger.Some(amount)
		}
		ev.bridge.attributeSplit(r, e, s, amount, root, owners, status)
		p := caseContext{}
		if ev.cases.existForSale(r.Key.SaleKey) || anyFires(idx, ev.outcomes.current) {
			p = ev.contextOfRow(r)
			p.subject = r.SplitSubject(s)
		}
		if s < len(r.Now.Splits) {
			out = append(out, ev.newSplitExpectation(r, s, p.subject, idx))
		}
		if err := ev.cases.recordOutcomes(p, idx, ev.outcomes.current); err != nil {
			return nil, err
		}
	}
	return out, ev.resolveGoneSplits(r)
}

// resolveGoneSplits resolves the cases of splits that the row had, or lacked, and no longer has or lacks.
func (ev *installmentEvaluator) resolveGoneSplits(r *rules.Row) error {
	if len(ev.cases.splitCases) == 0 || !ev.cases.existForSale(r.Key.SaleKey) {
		return nil
	}
	return ev.cases.resolveSplitCases(r.Subject(), func(i int) bool {
		return r.Unmapped || r.LineState == rules.NoContract && ev.env.Rules()[i].UsesContract()
	})
}

func (ev *installmentEvaluator) newSplitExpectation(r *rules.Row, s int, subject string, idx []int) ledger.SplitExpectation {
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
	x.Verdict, x.Codes, _ = ev.cases.summarizeSubject(subject, idx)
	return x
}

// evaluateVanished removes an installment that vanished since the last reconcile from all sums, ends its expectation
// and resolves its cases.
func (ev *installmentEvaluator) evaluateVanished(g ledger.VanishedInstallment) error {
	v := g.History.Current()
	if err := ev.writer.endInstallment(g); err != nil {
		return err
	}
	subject := v.Key().Subject()
	if err := ev.cases.resolveSplitCases(subject, func(int) bool { return false }); err != nil {
		return err
	}
	idx := ev.outcomes.rowRules
	for _, i := range idx {
		ev.outcomes.current[i] = rules.Outcome{}
	}
	idx = slices.DeleteFunc(slices.Clone(idx), func(i int) bool {
		code := ev.env.Rules()[i].Code
		return code == runs.Vanished || code == runs.ChangedAfterClose // evaluateVanishedRows evaluates these
	})
	ev.outcomes.clearImpacts(idx)
	return ev.cases.recordOutcomes(caseContext{subject: subject, day: v.SoldAt.Date()}, idx, ev.outcomes.current)
}

// evaluateVanishedRows evaluates every installment that has vanished, now or earlier.
func (ev *installmentEvaluator) evaluateVanishedRows(ctx context.Context) error {
	i, closed := ev.env.Index(runs.Vanished), ev.env.Index(runs.ChangedAfterClose)
	return ev.src.VanishedInstallments(ctx, ev.account, func(v *ledger.InstallmentVersion, last ledger.Date) error {
		day := v.SoldAt.Date()
		o := runs.EvaluateVanished(ev.env, runs.VanishedRow{Source: ledger.Cards, Day: day, Amount: v.Gross, Last: last, Unreadable: ev.unreadable[day]})
		is := openrows.ObserveVersion(ev.in.Mapping, v)
		p := caseContext{subject: v.Key().Subject(), day: day, due: v.Forecast, brand: is.Brand, product: is.Product}
		ev.outcomes.current[i] = o
		idx := []int{i}
		if ev.in.Closes != nil {
			ev.outcomes.current[closed] = runs.EvaluateVanishedAfterClose(ev.env, v)
			idx = append(idx, closed)
		}
		ev.outcomes.clearImpacts(idx)
		for _, i := range idx {
			ev.outcomes.countStatus(i, ev.outcomes.current[i].Status)
		}
		return errors.Join(ev.cases.recordOutcomes(p, idx, ev.outcomes.current), ctx.Err())
	})
}
