package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// populationEvaluator evaluates what concerns many rows together, from the aggregates of all rows.
type populationEvaluator struct {
	*attempt
	outcomes   *subjectOutcomes
	cases      *cases
	aggregates *aggregates
	coverage   coverage
	unmapped   map[rules.Spelling]int // spellings of notifications that the mapping does not list
}

// evaluatePopulations evaluates what concerns many rows together.
func (ev *populationEvaluator) evaluatePopulations(context.Context) error {
	for _, step := range []func() error{ev.evaluateSpellings, ev.evaluateUncovered, ev.evaluateVolumes, ev.evaluateRateDrifts, ev.evaluateBudgets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// evaluateSpellings evaluates the spellings of installments and notifications that the mapping does not list.
func (ev *populationEvaluator) evaluateSpellings() error {
	i := ev.env.Index(runs.EnumUnmapped)
	for _, p := range ev.aggregates.populationsOf(kindSpelling) {
		member, value, _ := strings.Cut(p.Item, " ")
		ev.unmapped[rules.Spelling{Member: member, Value: value}] += int(p.Members)
	}
	spellings := slices.SortedFunc(maps.Keys(ev.unmapped), func(a, b rules.Spelling) int {
		return cmp.Or(strings.Compare(a.Member, b.Member), strings.Compare(a.Value, b.Value))
	})
	for _, s := range spellings {
		if err := ev.cases.recordAlone(i, s.Outcome(ev.unmapped[s]), caseContext{subject: s.Subject(ev.account)}); err != nil {
			return err
		}
	}
	return ev.cases.resolveUntouched(runs.EnumUnmapped)
}

// evaluateUncovered evaluates the months that have rows without a contract line.
func (ev *populationEvaluator) evaluateUncovered() error {
	if ev.in.Contracts.IsEmpty() {
		return nil
	}
	i := ev.outcomes.sharedRules.contractMissing
	for _, p := range ev.aggregates.populationsOf(kindNoContract) {
		u, ok := parseGroup(p.Item)
		if !ok {
			continue
		}
		at := caseContext{subject: u.Subject(ev.account), day: u.Month, brand: u.Brand, product: u.Product}
		if err := ev.cases.recordAlone(i, cards.UncoveredOutcome(ev.env, u, int(p.Members), p.Amount), at); err != nil {
			return err
		}
	}
	return ev.cases.resolveUntouched(contractMissing)
}

// evaluateVolumes compares the covered days of cards with earlier days of the same weekday.
func (ev *populationEvaluator) evaluateVolumes() error {
	shown := map[ledger.Date]runs.DayVolume{}
	for _, p := range ev.aggregates.populationsOf(kindDay) {
		side, day, _ := strings.Cut(p.Item, " ")
		if d, err := ledger.ParseDate(day); err == nil && side == cardSide {
			shown[d] = runs.DayVolume{Rows: p.Members, Gross: p.Amount}
		}
	}
	i := ev.env.Index(runs.VolumeAnomaly)
	covers := ev.coverage[ledger.Cards]
	for d := ev.in.Since; d < ev.in.AsOf; d++ {
		if !covers[d].Complete {
			continue
		}
		v := runs.Volume{Source: ledger.Cards, Day: d, DayVolume: shown[d], ShownAgain: covers[d].RowsUnchanged}
		for e := d - week; e >= ev.in.Since && len(v.Earlier) < sameWeekdays; e -= week {
			if covers[e].Complete && !runs.Holiday(ev.env, e) {
				v.Earlier = append(v.Earlier, shown[e])
			}
		}
		if err := ev.cases.evaluateAlone(i, runs.EvaluateVolume(ev.env, v), caseContext{subject: v.Subject(ev.account), day: d}); err != nil {
			return err
		}
	}
	return nil
}

const (
	week         = 7
	sameWeekdays = 8 // as many as the rule looks at
)

// evaluateRateDrifts compares the rates of each month's groups with those of the month before.
func (ev *populationEvaluator) evaluateRateDrifts() error {
	groups := map[rules.MonthGroup]rules.RateSums{}
	var order []rules.MonthGroup
	for _, p := range ev.aggregates.populationsOf(kindRated) {
		if of, ok := parseGroup(p.Item); ok {
			groups[of] = rules.RateSums{Rows: int(p.Members), MDR: p.Amount, Gross: p.Other}
			order = append(order, of)
		}
	}
	i := ev.env.Index(runs.RateDrift)
	for _, of := range order {
		earlier := of
		earlier.Month = (of.Month - 1).MonthStart()
		before, known := groups[earlier]
		if !known {
			continue
		}
		d := runs.RateChange{MonthGroup: of, Now: groups[of], Before: before, Pulls: min(ev.countPulls(of.Month), ev.countPulls(earlier.Month))}
		p := caseContext{subject: of.Subject(ev.account), day: of.Month, brand: of.Brand, product: of.Product}
		if err := ev.cases.evaluateAlone(i, runs.EvaluateRateDrift(ev.env, d), p); err != nil {
			return err
		}
	}
	return nil
}

func (ev *populationEvaluator) countPulls(first ledger.Date) int {
	return ev.coverage.countPullsOfMonth(first, ev.in.Since, ev.in.AsOf)
}

// MonthBudgets joins the amounts that rules tolerated in each month with the rows and the gross of that month.
func MonthBudgets(populations []ledger.Population, tolerated []ledger.ToleratedAmount) []runs.Budget {
	months := map[string]ledger.Population{}
	for _, p := range populations {
		if p.Kind == kindMonth {
			months[p.Item] = p
		}
	}
	out := make([]runs.Budget, 0, len(tolerated))
	for _, t := range tolerated {
		side := cardSide
		if r, ok := catalogue.Find(t.Code); ok && slices.Contains(r.Subjects(), rules.OnSlip) {
			side = slipSide
		}
		of := months[side+" "+rules.Month(t.Month)]
		out = append(out, runs.Budget{Code: t.Code, Month: t.Month, Rows: int(of.Members), Tolerated: t.Amount, Gross: of.Amount})
	}
	return out
}

// evaluateBudgets evaluates the amounts that each rule tolerated in each month.
func (ev *populationEvaluator) evaluateBudgets() error {
	rounded, err := ev.sink.CurrentRounding()
	if err != nil {
		return err
	}
	i := ev.env.Index(runs.BudgetExceeded)
	for _, b := range MonthBudgets(ev.aggregates.populations, rounded) {
		if err := ev.cases.evaluateAlone(i, runs.EvaluateBudget(ev.env, b), caseContext{subject: b.Subject(ev.account), day: b.Month}); err != nil {
			return err
		}
	}
	return nil
}
