package reconcile

import (
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
)

// newCalibration is what the rows at hand say of the readings in force: nil where only some are judged.
func (ev *evaluation) newCalibration() *assumptions.Calibration {
	if !ev.everything {
		return nil
	}
	return assumptions.NewNightlyCalibration()
}

// calibrateWith lets a sale, or a slip, tell of the readings.
func (ev *evaluation) calibrateWith(sale *rules.Sale, slip *rules.Slip) {
	switch {
	case ev.calibration == nil:
	case sale != nil:
		ev.calibration.AddSale(ev.env, sale)
	default:
		ev.calibration.AddSlip(ev.env, slip)
	}
}

// checkRowsDoubled says whether the account keeps at least twice the rows that it had when its readings were measured last; when
// they are measured now, whatever for, it notes how many it has.
func (ev *evaluation) checkRowsDoubled() (bool, error) {
	var was, now int64
	if !ev.everything { // else everything is counted anew
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

// evaluateInterpretations notes the rules that are not believed, and those that rest on what another answer than that in force fits
// better. What was measured once stands until it is measured again: where everything is judged, where a rule is not
// believed, and where the rows have doubled, so that all nights together read what is kept twice at most.
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

// findBetterFit tells what fits better by name of the reading; nil where this run measures nothing.
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
