package reconcile

import (
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

const (
	cardSide = "cards"
	slipSide = "slips"
)

// storeExpectation keeps what is expected of a row and counts what it adds, once what it added before is taken away.
func (ev *evaluation) storeExpectation(r *rules.Row, e *ledger.Expectation) error {
	before := r.Now.Stored
	e.AggregateDelta = ev.encodeDelta()
	other, err := ev.sink.WriteExpectation(e, before)
	if err != nil {
		return err
	}
	if other {
		ev.result.ChangedExpectations++
	}
	if err := ev.followInstallment(r.History, before, false); err != nil {
		return err
	}
	ev.daysToSum[r.Key.Day] = true
	if !other && !ev.everything {
		return nil
	}
	if before != nil && !ev.everything {
		if err := ev.subtractRow(before, r.History, r.Key.Day); err != nil {
			return err
		}
	}
	return ev.changes.addRow(1, countedRow{
		side: cardSide, day: r.Key.Day, brand: r.Brand, product: r.Product, band: r.Band, gross: r.Gross, mdr: r.MDR,
		brackets: e.Brackets, aggregateDelta: &ev.delta,
	})
}

// encodeDelta is the text of the contribution at hand.
func (ev *evaluation) encodeDelta() string {
	ev.deltaText = ev.delta.appendText(ev.deltaText[:0])
	s, known := ev.sharedTexts[string(ev.deltaText)]
	if !known {
		s = string(ev.deltaText)
		if len(ev.sharedTexts) < maxSharedTexts {
			ev.sharedTexts[s] = s
		}
	}
	return s
}

// maxSharedTexts bounds how many texts of contributions are shared.
const maxSharedTexts = 10_000

// subtractRow takes away what an installment added before.
func (ev *evaluation) subtractRow(before *ledger.StoredExpectation, h ledger.InstallmentHistory, day ledger.Date) error {
	c, err := parseAggregateDelta(before.AggregateDelta)
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
	return ev.changes.addRow(-1, was)
}

// storeSlipExpectation is believe for a slip.
func (ev *evaluation) storeSlipExpectation(s *rules.Slip, e *ledger.SlipExpectation) error {
	e.AggregateDelta = ev.encodeDelta()
	other, err := ev.sink.WriteSlipExpectation(e, s.Stored)
	if other {
		ev.result.ChangedExpectations++
	}
	if err != nil || !other && !ev.everything {
		return err
	}
	if s.Stored != nil && !ev.everything {
		if err := ev.subtractSlip(s.Stored); err != nil {
			return err
		}
	}
	return ev.changes.addRow(1, countedRow{side: slipSide, day: e.Day, gross: ev.delta.value, brackets: e.Brackets, aggregateDelta: &ev.delta})
}

func (ev *evaluation) subtractSlip(before *ledger.StoredExpectation) error {
	c, err := parseAggregateDelta(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := countedRow{side: slipSide, day: before.Day, gross: c.value, aggregateDelta: c}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	return ev.changes.addRow(-1, was)
}

// updateAggregates hands over what the rows judged changed in what all rows come to, and reads what that is now.
func (ev *evaluation) updateAggregates(context.Context) error {
	if err := ev.countQuarantinedDays(); err != nil {
		return err
	}
	var err error
	if ev.rowsDoubled, err = ev.checkRowsDoubled(); err != nil {
		return err
	}
	counts, err := ev.changes.sortedPopulations()
	if err != nil {
		return err
	}
	if err := ev.sink.UpdateBridge(ev.everything, ev.changes.sortedBridge(ev.account)); err != nil {
		return err
	}
	if err := ev.sink.UpdateRounding(ev.everything, ev.changes.sortedRounding()); err != nil {
		return err
	}
	if err := ev.sink.UpdatePopulations(ev.everything, counts); err != nil {
		return err
	}
	if ev.bridgeRows, err = ev.sink.CurrentBridge(); err != nil {
		return err
	}
	if ev.populations, err = ev.sink.CurrentPopulations(); err != nil {
		return err
	}
	counters := map[string]int64{}
	for _, p := range ev.populationsOf(kindGuard) {
		counters[p.Item] = p.Members
	}
	ev.guard, err = assumptions.RestoreGuard(counters)
	return err
}

// populationsOf are the counts of one kind.
func (ev *evaluation) populationsOf(kind string) []ledger.Population {
	from, _ := slices.BinarySearchFunc(ev.populations, kind, func(p ledger.Population, kind string) int { return compareText(p.Kind, kind) })
	to := from
	for to < len(ev.populations) && ev.populations[to].Kind == kind {
		to++
	}
	return ev.populations[from:to]
}

// listSuppressed are the codes of the rules that the rows say not to believe, sorted.
func (ev *evaluation) listSuppressed() []string {
	var codes []string
	for _, d := range ev.guard.Suppressions() {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	return codes
}
