package jobs

import (
	"concilia/store/ledger"
	"concilia/store/reports"
)

// PastDue lists the paths of the files of an account's published revisions that are past their days.
func (w *Worker) PastDue(published []*reports.Set, closes []ledger.PeriodClose, today ledger.Date) map[string]bool {
	out := map[string]bool{}
	for _, d := range w.replacedAndOld(published, today) {
		for _, i := range d.files {
			if !closedAt(closes, d.set) {
				out[d.set.Files[i].Path] = true
			}
		}
	}
	return out
}
