package reconcile

import (
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
)

// measuring is what the rows at hand say of the readings in force: nil where only some are judged.
func (w *work) measuring() *assumptions.Calibration {
	if !w.all {
		return nil
	}
	return assumptions.NewNightlyCalibration()
}

// measure lets a sale, or a slip, tell of the readings.
func (w *work) measure(sale *rules.Sale, slip *rules.Slip) {
	switch {
	case w.measured == nil:
	case sale != nil:
		w.measured.AddSale(w.env, sale)
	default:
		w.measured.AddSlip(w.env, slip)
	}
}

// outgrew says whether the account keeps at least twice the rows that it had when its readings were measured last; when
// they are measured now, whatever for, it notes how many it has.
func (w *work) outgrew() (bool, error) {
	var was, now int64
	if !w.all { // else everything is counted anew
		for _, p := range w.of(kindMeasured) {
			was = p.Members
		}
		for _, p := range w.of(kindMonth) {
			now += p.Members
		}
	}
	for _, p := range w.sums.days.all {
		now += p.members
	}
	grown := !w.all && w.in.Better != nil && now >= assumptions.EnoughRows && now >= 2*was
	if !w.all && !grown {
		return false, nil
	}
	return grown, w.sums.count(kindMeasured, "", now-was, 0)
}

// readings notes the rules that are not believed, and those that rest on what another answer than that in force fits
// better. What was measured once stands until it is measured again: where everything is judged, where a rule is not
// believed, and where the rows have doubled, so that all nights together read what is kept twice at most.
func (w *work) readings(ctx context.Context) error {
	i := w.env.Index(assumptions.Uncalibrated)
	doubts := w.guard.Suppressions()
	better, err := w.better(ctx, doubts)
	if err != nil {
		return err
	}
	for code, o := range assumptions.Notes(w.env, doubts, better) {
		if err := w.alone(i, o, place{subject: assumptions.RuleSubject(w.account, code)}); err != nil {
			return err
		}
	}
	if better == nil {
		return nil
	}
	return w.cases.absent(assumptions.Uncalibrated)
}

// better tells what fits better by name of the reading; nil where this run measures nothing.
func (w *work) better(ctx context.Context, doubts []assumptions.Suppression) (func(string) string, error) {
	switch {
	case w.measured != nil:
		return assumptions.FitsBetter(w.measured.Answers(w.in.Profile)), nil
	case w.in.Better == nil:
		return nil, nil
	case w.grown || slices.ContainsFunc(doubts, assumptions.Suppression.IsMeasurable):
		return w.in.Better(ctx)
	}
	return nil, nil
}
