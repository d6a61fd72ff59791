package reconcile

import (
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// volumes compares the days of cards that are answered for with earlier ones of the same weekday.
func (w *work) volumes() error {
	shown := map[ledger.Date]runs.DayVolume{}
	for _, p := range w.of(kindDay) {
		side, day, _ := strings.Cut(p.Item, " ")
		if d, err := ledger.ParseDate(day); err == nil && side == cardSide {
			shown[d] = runs.DayVolume{Rows: p.Members, Gross: p.Amount}
		}
	}
	i := w.env.Index(runs.VolumeAnomaly)
	covers := w.covers[ledger.Cards]
	for d := w.in.Since; d < w.in.AsOf; d++ {
		if !covers[d].Complete {
			continue
		}
		v := runs.Volume{Source: ledger.Cards, Day: d, DayVolume: shown[d], ShownAgain: covers[d].Alike}
		for e := d - week; e >= w.in.Since && len(v.Earlier) < sameWeekdays; e -= week {
			if covers[e].Complete && !runs.Holiday(w.env, e) {
				v.Earlier = append(v.Earlier, shown[e])
			}
		}
		if err := w.alone(i, runs.EvaluateVolume(w.env, v), place{subject: v.Subject(w.account), day: d}); err != nil {
			return err
		}
	}
	return nil
}

const (
	week         = 7
	sameWeekdays = 8 // as many as the rule looks at
)

// drifts compares the rates of each month's groups with those of the month before.
func (w *work) drifts() error {
	groups := map[rules.MonthGroup]rules.RateSums{}
	var order []rules.MonthGroup
	for _, p := range w.of(kindRated) {
		if of, ok := groupOf(p.Item); ok {
			groups[of] = rules.RateSums{Rows: int(p.Members), MDR: p.Amount, Gross: p.Other}
			order = append(order, of)
		}
	}
	i := w.env.Index(runs.RateDrift)
	for _, of := range order {
		earlier := of
		earlier.Month = (of.Month - 1).MonthStart()
		before, known := groups[earlier]
		if !known {
			continue
		}
		d := runs.RateChange{MonthGroup: of, Now: groups[of], Before: before, Pulls: min(w.pulledOften(of.Month), w.pulledOften(earlier.Month))}
		p := place{subject: of.Subject(w.account), day: of.Month, brand: of.Brand, product: of.Product}
		if err := w.alone(i, runs.EvaluateRateDrift(w.env, d), p); err != nil {
			return err
		}
	}
	return nil
}

// pulledOften is how often the least pulled day of a month, of those answered for, was answered whole.
func (w *work) pulledOften(first ledger.Date) int {
	least := -1
	for d := max(first, w.in.Since); d < w.in.AsOf && d.MonthStart() == first; d++ {
		if n := w.covers[ledger.Cards][d].Whole; least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
}

// Budgets puts beside what rules tolerated in months the rows and the gross of those months, which populations count.
func Budgets(populations []ledger.Population, tolerated []ledger.ToleratedAmount) []runs.Budget {
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

// budgets judges what each rule let pass in each month.
func (w *work) budgets() error {
	rounded, err := w.sink.CurrentRounding()
	if err != nil {
		return err
	}
	i := w.env.Index(runs.BudgetExceeded)
	for _, b := range Budgets(w.counts, rounded) {
		if err := w.alone(i, runs.EvaluateBudget(w.env, b), place{subject: b.Subject(w.account), day: b.Month}); err != nil {
			return err
		}
	}
	return nil
}
