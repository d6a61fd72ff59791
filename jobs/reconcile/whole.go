package reconcile

import (
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// evaluateVolumes compares the days of cards that are answered for with earlier ones of the same weekday.
func (ev *evaluation) evaluateVolumes() error {
	shown := map[ledger.Date]runs.DayVolume{}
	for _, p := range ev.populationsOf(kindDay) {
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
		if err := ev.evaluateAlone(i, runs.EvaluateVolume(ev.env, v), caseContext{subject: v.Subject(ev.account), day: d}); err != nil {
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
func (ev *evaluation) evaluateRateDrifts() error {
	groups := map[rules.MonthGroup]rules.RateSums{}
	var order []rules.MonthGroup
	for _, p := range ev.populationsOf(kindRated) {
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
		d := runs.RateChange{MonthGroup: of, Now: groups[of], Before: before, Pulls: min(ev.countPullsOfMonth(of.Month), ev.countPullsOfMonth(earlier.Month))}
		p := caseContext{subject: of.Subject(ev.account), day: of.Month, brand: of.Brand, product: of.Product}
		if err := ev.evaluateAlone(i, runs.EvaluateRateDrift(ev.env, d), p); err != nil {
			return err
		}
	}
	return nil
}

// countPullsOfMonth is how often the least pulled day of a month, of those answered for, was answered whole.
func (ev *evaluation) countPullsOfMonth(first ledger.Date) int {
	least := -1
	for d := max(first, ev.in.Since); d < ev.in.AsOf && d.MonthStart() == first; d++ {
		if n := ev.coverage[ledger.Cards][d].CompletePulls; least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
}

// MonthBudgets puts beside what rules tolerated in months the rows and the gross of those months, which populations count.
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

// evaluateBudgets judges what each rule let pass in each month.
func (ev *evaluation) evaluateBudgets() error {
	rounded, err := ev.sink.CurrentRounding()
	if err != nil {
		return err
	}
	i := ev.env.Index(runs.BudgetExceeded)
	for _, b := range MonthBudgets(ev.populations, rounded) {
		if err := ev.evaluateAlone(i, runs.EvaluateBudget(ev.env, b), caseContext{subject: b.Subject(ev.account), day: b.Month}); err != nil {
			return err
		}
	}
	return nil
}
