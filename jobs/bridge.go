package jobs

import (
	"context"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// addBridgeFacts puts into control the bridge of the set's account: the rows whose day, the sale's or the slip's due date,
// lies in the period.
func (w *Worker) addBridgeFacts(ctx context.Context, run *ledger.Run, a ledger.Account, set setRequest, f *export.Facts) error {
	lines, err := w.Ledger.BridgeLines(ctx, a, run.ID)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if set.containsDay(l.Day) {
			f.Bridge = append(f.Bridge, l)
		}
	}
	var days ledger.Period // all
	if set.basis != report.ByAsOf {
		days = set.period
	}
	rows, err := w.Ledger.Differences(ctx, a, days)
	if err != nil {
		return err
	}
	outside, err := w.sumSplitsOutside(ctx, run, a, set)
	if err != nil {
		return err
	}
	for _, side := range []string{"cards", "slips"} {
		total := export.BridgeSide{Side: side}
		if side == ledger.Cards.Side() {
			total.SplitOutside = outside
		}
		for _, r := range rows {
			if r.Side == side {
				total.Difference += r.Amount
			}
		}
		f.Sides = append(f.Sides, total)
	}
	return nil
}

// sumSplitsOutside is what the cases of splits cost on the rows of the set, where splits are paid out of what is received and so
// stand outside the bridge; 0 where they are taken out of it before.
func (w *Worker) sumSplitsOutside(ctx context.Context, run *ledger.Run, a ledger.Account, set setRequest) (ledger.Amount, error) {
	if w.termsOf(&set).Profile.NetOfSplits {
		return 0, nil
	}
	var codes []string
	for _, o := range catalogue.CardOwners() {
		if o.Line == ledger.LineSplit {
			codes = append(codes, o.Owners...)
		}
	}
	return w.Ledger.SplitsOutside(ctx, set.queryFor(run, a), codes)
}

// addToleranceFacts puts into control what the rules tolerated on the rows of the set, each in the month of the sale or due date,
// beside what they may in that month.
func (w *Worker) addToleranceFacts(ctx context.Context, run *ledger.Run, a ledger.Account, set setRequest, f *export.Facts) error {
	tolerated, err := w.Ledger.ToleratedOn(ctx, set.queryFor(run, a))
	if err != nil {
		return err
	}
	populations, err := w.Ledger.PopulationsOfRun(ctx, a, run.ID)
	if err != nil {
		return err
	}
	for _, b := range reconcile.MonthBudgets(populations, tolerated) {
		most, err := b.Most(w.Inputs.Settings)
		if err != nil {
			return err
		}
		f.Tolerance = append(f.Tolerance, export.Tolerance{Code: b.Code, Month: b.Month, Used: b.Tolerated, Budget: most})
	}
	return nil
}
