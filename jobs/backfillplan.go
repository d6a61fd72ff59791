package jobs

import (
	"context"

	"concilia/store/ledger"
)

// BackfillList is what a backfill would ask of one list of one account.
type BackfillList struct {
	Account  ledger.Account  `json:"account"`
	Source   ledger.Source   `json:"source"`
	Days     int             `json:"days"`     // to ask for
	Complete int             `json:"complete"` // not asked for: they are there
	Windows  []BackfillRange `json:"windows"`  // as they are when every answer is small, in the order they are asked
	Most     int             `json:"most"`     // windows when no answer is: one a day
}

// BackfillRange is a window, both days included.
type BackfillRange struct {
	From ledger.Date `json:"from"`
	To   ledger.Date `json:"to"`
}

// PlanBackfill says what Backfill would ask for. It asks the service nothing and writes nothing; a worker without a
// ledger plans for an empty one. How wide windows become depends on the answers, so their number lies between two.
func (w *Worker) PlanBackfill(ctx context.Context, req BackfillRequest) ([]BackfillList, error) {
	lanes, err := w.backfillLanes(ctx, &req)
	if err != nil {
		return nil, err
	}
	var out []BackfillList
	for _, l := range lanes {
		out = append(out, BackfillList{
			Account: l.account, Source: l.source, Days: len(l.days), Complete: l.period.Days() - len(l.days),
			Windows: widening(l.days), Most: len(l.days),
		})
	}
	return out, nil
}

// widening are the windows of days, oldest first, when every answer is small: each twice as wide as the one before, never
// across a day that is not among them.
func widening(days []ledger.Date) []BackfillRange {
	out := []BackfillRange{}
	wide := 1
	for i := len(days) - 1; i >= 0; {
		p := BackfillRange{From: days[i], To: days[i]}
		for i--; i >= 0 && days[i] == p.From-1 && int(p.To-p.From)+1 < wide; i-- {
			p.From = days[i]
		}
		out = append(out, p)
		wide = min(2*wide, widestWindow)
	}
	return out
}
