package reconcile

import (
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
)

// interpretationEvaluator measures how well the interpretations of undocumented members fit the rows, and evaluates the
// rules that depend on them.
type interpretationEvaluator struct {
	*attempt
	cases       *cases
	aggregates  *aggregates
	calibration *assumptions.Calibration // of the interpretations in force; nil if only a part of the rows is evaluated
	rowsDoubled bool                     // the rows have doubled since the last calibration
}

// calibrateWith adds a sale or a slip to the calibration, if there is one.
func (ev *interpretationEvaluator) calibrateWith(sale *rules.Sale, slip *rules.Slip) {
	switch {
	case ev.calibration == nil:
	case sale != nil:
		ev.calibration.AddSale(ev.env, sale)
	default:
		ev.calibration.AddSlip(ev.env, slip)
	}
}

// countRows finds out whether the account has at least twice the rows that it had when its interpretations were last
// measured. If they are measured in this run, it notes the number of rows.
func (ev *interpretationEvaluator) countRows() error {
	var was, now int64
	if !ev.everything { // else everything is counted from zero
		for _, p := range ev.aggregates.populationsOf(kindMeasured) {
			was = p.Members
		}
		for _, p := range ev.aggregates.populationsOf(kindMonth) {
			now += p.Members
		}
	}
	for _, p := range ev.aggregates.changes.days.all {
		now += p.members
	}
	ev.rowsDoubled = !ev.everything && ev.in.MeasureBetterFit != nil && now >= assumptions.EnoughRows && now >= 2*was
	if !ev.everything && !ev.rowsDoubled {
		return nil
	}
	return ev.aggregates.changes.addPopulation(kindMeasured, "", now-was, 0)
}

// evaluateInterpretations evaluates the suppressed rules, and those whose interpretation fits the rows less well than
// another one. A measurement is kept until the next one. Interpretations are measured when everything is evaluated,
// when a rule is suppressed, and when the rows have doubled, so that all nights together read each row at most twice.
func (ev *interpretationEvaluator) evaluateInterpretations(ctx context.Context) error {
	i := ev.env.Index(assumptions.Uncalibrated)
	doubts := ev.aggregates.guard.Suppressions()
	better, err := ev.findBetterFit(ctx, doubts)
	if err != nil {
		return err
	}
	for code, o := range assumptions.Notes(ev.env, doubts, better) {
		if err := ev.cases.evaluateAlone(i, o, caseContext{subject: assumptions.RuleSubject(ev.account, code)}); err != nil {
			return err
		}
	}
	if better == nil {
		return nil
	}
	return ev.cases.resolveUntouched(assumptions.Uncalibrated)
}

// findBetterFit returns a lookup of the answer that fits an interpretation better; nil if this run measures nothing.
func (ev *interpretationEvaluator) findBetterFit(ctx context.Context, doubts []assumptions.Suppression) (func(string) string, error) {
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
