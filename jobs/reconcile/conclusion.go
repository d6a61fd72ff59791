package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// evaluateResiduals compares the lines of the bridge with sums that the ledger computes by a query of its own, month by
// month, over the days that were evaluated and the months with an unresolved residual. Continuity is compared over the
// same days.
func (ev *evaluation) evaluateResiduals(context.Context) error {
	days := ev.listDaysToSum()
	var cards []ledger.DaySum
	var err error
	if ev.everything || len(days) > 0 {
		if cards, err = ev.sink.CardSums(days); err != nil {
			return err
		}
	}
	evaluated := make(map[ledger.Date]bool, len(days))
	for _, d := range days {
		evaluated[d] = true
	}
	if err := ev.evaluateContinuity(cards, evaluated); err != nil {
		return err
	}
	if err := ev.compareMonths(cardSide, cards, func(d ledger.Date) bool { return ev.everything || evaluated[d] }); err != nil {
		return err
	}
	slips, err := ev.sink.SlipSums()
	if err != nil {
		return err
	}
	if err := ev.compareMonths(slipSide, slips, func(ledger.Date) bool { return true }); err != nil {
		return err
	}
	if !ev.everything {
		return nil
	}
	return ev.cases.resolveUntouched(runs.BridgeResidual)
}

// listDaysToSum returns the days for which the ledger computes sums, in order; nil means all days.
func (ev *evaluation) listDaysToSum() []ledger.Date {
	if ev.everything {
		return nil
	}
	for _, all := range ev.cases.bySubject {
		for _, s := range all {
			if s.Code != runs.BridgeResidual && s.Code != runs.ContinuityBroken || !s.State.IsUnresolved() || s.Day == 0 {
				continue
			}
			for d := s.Day.MonthStart(); d.MonthStart() == s.Day.MonthStart(); d++ {
				ev.daysToSum[d] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ev.daysToSum))
}

// month is the group in which the two sides of a bridge are compared.
type month struct {
	first   ledger.Date
	brand   string
	product ledger.Product
}

// compareMonths evaluates the months of a side over those of their days for which includes reports true.
func (ev *evaluation) compareMonths(side string, sums []ledger.DaySum, includes func(ledger.Date) bool) error {
	computed, lines := map[month]ledger.Amount{}, map[month]ledger.Amount{}
	for _, s := range sums {
		if err := addTo(computed, month{monthOf(s.Day), s.Brand, s.Product}, s.Difference); err != nil {
			return err
		}
	}
	for _, l := range ev.bridgeRows {
		if l.Side != side || !includes(l.Day) {
			continue
		}
		m := month{monthOf(l.Day), l.Brand, l.Product}
		computed[m] += 0
		if err := addTo(lines, m, l.Amount); err != nil {
			return err
		}
	}
	i := ev.env.Index(runs.BridgeResidual)
	for _, m := range sortedMonths(computed) {
		o := rules.Outcome{Status: rules.Passed}
		if computed[m] != lines[m] {
			o = runs.ResidualOutcome(m.first, computed[m], lines[m])
		}
		parts := []string{rules.Month(m.first), "slips"}
		if side == cardSide {
			parts = []string{rules.Month(m.first), m.brand, string(m.product)}
		}
		p := caseContext{subject: ledger.Subject("month", ev.account, parts...), day: m.first, brand: m.brand, product: m.product}
		if err := ev.evaluateAlone(i, o, p); err != nil {
			return err
		}
	}
	return nil
}

// keepAggregates has the ledger keep what reports and pages would otherwise have to sum: the months and the forecast, of which the
// days that were evaluated are summed.
func (ev *evaluation) keepAggregates(context.Context) error {
	before := ev.in.AsOf - 1
	for before > firstCoveredDay && !ev.env.IsBusinessDay(before) {
		before--
	}
	return ev.sink.KeepTotals(ev.everything, ev.listDaysToSum(), ledger.ForecastReading{
		Settle: ev.env.NextBusinessDay, NetOfSplits: ev.in.Profile.NetOfSplits, Received: ledger.Period{From: before, To: ev.in.AsOf - 1},
	})
}

// concludeAccount writes the counts of the rules and the remaining cases, and decides the verdict.
func (ev *evaluation) concludeAccount(context.Context) error {
	if err := ev.sink.RecordRuleCounts(ev.ruleCounts); err != nil {
		return err
	}
	if err := errors.Join(ev.cases.writeWaiting(""), ev.cases.keepUntouched()); err != nil {
		return err
	}
	for _, p := range ev.populationsOf(kindUnattributed) {
		ev.result.NotAttributed = p.Amount
	}
	ev.result.Lines = ev.sumBridge()
	ev.result.Verdict = ev.decideVerdict()
	return nil
}

// sumBridge adds the lines of the bridge up over all days, brands and products.
func (ev *evaluation) sumBridge() []ledger.BridgeRow {
	sums := map[ledger.BridgeRow]bridgeSum{}
	for _, l := range ev.bridgeRows {
		of := ledger.BridgeRow{Account: ev.account, Side: l.Side, Line: l.Line, Reason: l.Reason}
		sums[of] = bridgeSum{sums[of].amount + l.Amount, sums[of].excess + l.Excess}
	}
	var rows []ledger.BridgeRow
	for row, sum := range sums {
		if row.Amount, row.Excess = sum.amount, sum.excess; sum != (bridgeSum{}) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func (ev *evaluation) decideVerdict() ledger.Verdict {
	verdict := ev.cases.verdict.Worse(ledger.Reconciled)
	if len(ev.result.Critical) > 0 {
		return ledger.Incomplete
	}
	if ev.result.NotAttributed != 0 {
		verdict = verdict.Worse(ledger.ReconciledWithWarnings)
	}
	return verdict
}

// SideOf returns the side, cards or slips, that a subject belongs to.
func SideOf(subject string) string {
	kind, rest, _ := strings.Cut(subject, ":")
	switch kind {
	case "slip":
		return "slips"
	case "day", "row":
		_, source, _ := strings.Cut(rest, ":")
		source, _, _ = strings.Cut(source, ":")
		return ledger.Source(source).Side()
	case "month":
		if strings.HasSuffix(subject, ":slips") {
			return "slips"
		}
	}
	return "cards"
}
