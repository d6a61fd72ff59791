package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/reconcile/openrows"
	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// monthEvaluator compares, month by month, what the evaluation of the rows adds up to with what the ledger counts by
// queries of its own.
type monthEvaluator struct {
	*attempt
	cases         *cases
	aggregates    *aggregates
	movements     *openrows.Movements
	evaluatedDays map[ledger.Date]bool // of cards
}

// evaluateMonths compares the lines of the bridge with sums that the ledger computes by a query of its own, month by
// month, over the days that were evaluated and the months with an unresolved residual. Continuity is compared over the
// same days.
func (ev *monthEvaluator) evaluateMonths(context.Context) error {
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
func (ev *monthEvaluator) listDaysToSum() []ledger.Date {
	if ev.everything {
		return nil
	}
	for _, all := range ev.cases.bySubject {
		for _, s := range all {
			if s.Code != runs.BridgeResidual && s.Code != runs.ContinuityBroken || !s.State.IsUnresolved() || s.Day == 0 {
				continue
			}
			for d := s.Day.MonthStart(); d.MonthStart() == s.Day.MonthStart(); d++ {
				ev.evaluatedDays[d] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ev.evaluatedDays))
}

// month is the group in which the two sides of a bridge are compared.
type month struct {
	first   ledger.Date
	brand   string
	product ledger.Product
}

// compareMonths evaluates the months of a side over those of their days for which includes reports true.
func (ev *monthEvaluator) compareMonths(side string, sums []ledger.DaySum, includes func(ledger.Date) bool) error {
	computed, lines := map[month]ledger.Amount{}, map[month]ledger.Amount{}
	for _, s := range sums {
		if err := addTo(computed, month{monthOf(s.Day), s.Brand, s.Product}, s.Difference); err != nil {
			return err
		}
	}
	for _, l := range ev.aggregates.bridgeRows {
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
		if err := ev.cases.evaluateAlone(i, o, p); err != nil {
			return err
		}
	}
	return nil
}

func sortedMonths[V any](all map[month]V) []month {
	keys := make([]month, 0, len(all))
	for m := range all {
		keys = append(keys, m)
	}
	slices.SortFunc(keys, func(a, b month) int {
		return cmp.Or(cmp.Compare(a.first, b.first), strings.Compare(a.brand, b.brand), cmp.Compare(a.product, b.product))
	})
	return keys
}

// evaluateContinuity compares, day by day, the opening gross and the movements with the gross that the ledger counts,
// and evaluates each month.
func (ev *monthEvaluator) evaluateContinuity(sums []ledger.DaySum, days map[ledger.Date]bool) error {
	all := map[openrows.Key]*ledger.Continuity{}
	at := func(k openrows.Key) *ledger.Continuity {
		if all[k] == nil {
			all[k] = &ledger.Continuity{Day: k.Day, Brand: k.Brand, Product: k.Product}
		}
		return all[k]
	}
	openings, err := ev.sink.CurrentClosings()
	if err != nil {
		return err
	}
	for _, o := range openings {
		if ev.everything || days[o.Day] {
			at(openrows.Key{Day: o.Day, Brand: o.Brand, Product: o.Product}).Opening = o.Closing
		}
	}
	for k, moved := range ev.movements.ByKey() {
		at(k).Changes = *moved
	}
	for _, s := range sums {
		at(openrows.Key{Day: s.Day, Brand: s.Brand, Product: s.Product}).Closing += s.Open
	}
	var kept []ledger.Continuity
	months := map[month]*runs.Continuity{}
	for k, c := range all {
		m := month{monthOf(k.Day), k.Brand, k.Product}
		if months[m] == nil {
			months[m] = &runs.Continuity{Month: m.first, Brand: m.brand, Product: m.product}
		}
		of := months[m]
		moved := ledger.Amount(0)
		for _, a := range c.Changes {
			moved += a
		}
		of.Opening, of.Movements, of.Closing = of.Opening+c.Opening, of.Movements+moved, of.Closing+c.Closing
		if c.Changes != [ledger.MovementCount]ledger.Amount{} || c.Closing != c.Opening {
			kept = append(kept, *c)
		}
	}
	slices.SortFunc(kept, func(a, b ledger.Continuity) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product))
	})
	if err := ev.sink.WriteContinuity(kept); err != nil {
		return err
	}
	i := ev.env.Index(runs.ContinuityBroken)
	for _, m := range sortedMonths(months) {
		c := *months[m]
		p := caseContext{subject: c.Subject(ev.account), day: m.first, brand: m.brand, product: m.product}
		if err := ev.cases.evaluateAlone(i, runs.EvaluateContinuity(ev.env, c), p); err != nil {
			return err
		}
	}
	return nil
}
