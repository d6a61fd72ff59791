package jobs

import (
	"context"

	"concilia/store/ledger"
)

// BackfillList is what a backfill would ask for one list of one account.
type BackfillList struct {
	Account  ledger.Account  `json:"account"`
	Source   ledger.Source   `json:"source"`
	Days     int             `json:"days"`     // to ask for
	Complete int             `json:"complete"` // already complete: not asked for
	Windows  []BackfillRange `json:"windows"`  // if every answer is small, in the order in which they are asked
	Most     int             `json:"most"`     // number of windows if no answer is small: one per day
}

// BackfillRange is a window, both days included.
type BackfillRange struct {
	From ledger.Date `json:"from"`
	To   ledger.Date `json:"to"`
}

// PlanBackfill returns what Backfill would ask for. It does not call the service and writes nothing; a worker without a
// ledger plans for an empty one. The width of windows depends on the answers, so their number is a range.
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
