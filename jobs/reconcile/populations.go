package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// evaluatePopulations evaluates what concerns many rows together.
func (ev *evaluation) evaluatePopulations(context.Context) error {
	for _, step := range []func() error{ev.evaluateSpellings, ev.evaluateUncovered, ev.evaluateVolumes, ev.evaluateRateDrifts, ev.evaluateBudgets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// evaluateSpellings evaluates the spellings of installments and notifications that the mapping does not list.
func (ev *evaluation) evaluateSpellings() error {
	i := ev.env.Index(runs.EnumUnmapped)
	for _, p := range ev.populationsOf(kindSpelling) {
		member, value, _ := strings.Cut(p.Item, " ")
		ev.unmappedCounts[rules.Spelling{Member: member, Value: value}] += int(p.Members)
	}
	spellings := slices.SortedFunc(maps.Keys(ev.unmappedCounts), func(a, b rules.Spelling) int {
		return cmp.Or(strings.Compare(a.Member, b.Member), strings.Compare(a.Value, b.Value))
	})
	for _, s := range spellings {
		if err := ev.recordAlone(i, s.Outcome(ev.unmappedCounts[s]), caseContext{subject: s.Subject(ev.account)}); err != nil {
			return err
		}
	}
	return ev.cases.resolveUntouched(runs.EnumUnmapped)
}

// evaluateUncovered evaluates the months that have rows without a contract line.
func (ev *evaluation) evaluateUncovered() error {
	if ev.in.Contracts.IsEmpty() {
		return nil
	}
	i := ev.sharedRules.contractMissing
	for _, p := range ev.populationsOf(kindNoContract) {
		u, ok := parseGroup(p.Item)
		if !ok {
			continue
		}
		at := caseContext{subject: u.Subject(ev.account), day: u.Month, brand: u.Brand, product: u.Product}
		if err := ev.recordAlone(i, cards.UncoveredOutcome(ev.env, u, int(p.Members), p.Amount), at); err != nil {
			return err
		}
	}
	return ev.cases.resolveUntouched(contractMissing)
}

// evaluateVolumes compares the covered days of cards with earlier days of the same weekday.
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

// countPullsOfMonth is the smallest number of complete pulls of any covered day of a month.
func (ev *evaluation) countPullsOfMonth(first ledger.Date) int {
	least := -1
	for d := max(first, ev.in.Since); d < ev.in.AsOf && d.MonthStart() == first; d++ {
		if n := ev.coverage[ledger.Cards][d].CompletePulls; least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
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

// newCalibration measures the interpretations in force; nil if only a part of the rows is evaluated.
func (ev *evaluation) newCalibration() *assumptions.Calibration {
	if !ev.everything {
		return nil
	}
	return assumptions.NewNightlyCalibration()
}

// calibrateWith adds a sale or a slip to the calibration, if there is one.
func (ev *evaluation) calibrateWith(sale *rules.Sale, slip *rules.Slip) {
	switch {
	case ev.calibration == nil:
	case sale != nil:
		ev.calibration.AddSale(ev.env, sale)
	default:
		ev.calibration.AddSlip(ev.env, slip)
	}
}

// checkRowsDoubled reports whether the account has at least twice the rows that it had when its interpretations were
// last measured. If they are measured in this run, it notes the number of rows.
func (ev *evaluation) checkRowsDoubled() (bool, error) {
	var was, now int64
	if !ev.everything { // else everything is counted from zero
		for _, p := range ev.populationsOf(kindMeasured) {
			was = p.Members
		}
		for _, p := range ev.populationsOf(kindMonth) {
			now += p.Members
		}
	}
	for _, p := range ev.changes.days.all {
		now += p.members
	}
	grown := !ev.everything && ev.in.MeasureBetterFit != nil && now >= assumptions.EnoughRows && now >= 2*was
	if !ev.everything && !grown {
		return false, nil
	}
	return grown, ev.changes.addPopulation(kindMeasured, "", now-was, 0)
}

// evaluateInterpretations evaluates the suppressed rules, and those whose interpretation fits the rows less well than
// another one. A measurement is kept until the next one. Interpretations are measured when everything is evaluated,
// when a rule is suppressed, and when the rows have doubled, so that all nights together read each row at most twice.
func (ev *evaluation) evaluateInterpretations(ctx context.Context) error {
	i := ev.env.Index(assumptions.Uncalibrated)
	doubts := ev.guard.Suppressions()
	better, err := ev.findBetterFit(ctx, doubts)
	if err != nil {
		return err
	}
	for code, o := range assumptions.Notes(ev.env, doubts, better) {
		if err := ev.evaluateAlone(i, o, caseContext{subject: assumptions.RuleSubject(ev.account, code)}); err != nil {
			return err
		}
	}
	if better == nil {
		return nil
	}
	return ev.cases.resolveUntouched(assumptions.Uncalibrated)
}

// findBetterFit returns a lookup of the answer that fits an interpretation better; nil if this run measures nothing.
func (ev *evaluation) findBetterFit(ctx context.Context, doubts []assumptions.Suppression) (func(string) string, error) {
	switch {
	case ev.calibration != nil:
		return assumptions.FitsBetter(ev.calibration.Answers(ev.in.Profile)), nil
	case ev.in.MeasureBetterFit == nil:
		return nil, nil
	case ev.rowsDoubled || slices.ContainsFunc(doubts, assumptions.Suppression.IsMeasurable):
		return ev.in.MeasureBetterFit(ctx)
	}
	return nil, nil
}
