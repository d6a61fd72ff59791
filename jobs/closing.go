package jobs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"concilia/store/ledger"
)

// PublishMonths publishes the sets of months of accounts in every configured format, with the EDI files that nights leave out: those
// are what is closed.
func (w *Worker) PublishMonths(ctx context.Context, months []ledger.PeriodClose) error {
	all := w.Accounts
	defer func() { w.Accounts = all }()
	byPeriod := slices.SortedFunc(slices.Values(months), func(a, b ledger.PeriodClose) int {
		return cmp.Or(cmp.Compare(a.Basis, b.Basis), cmp.Compare(a.Period.From, b.Period.From), cmp.Compare(a.Account, b.Account))
	})
	for len(byPeriod) > 0 {
		first := byPeriod[0]
		w.Accounts = nil
		for len(byPeriod) > 0 && byPeriod[0].Basis == first.Basis && byPeriod[0].Period == first.Period {
			i := slices.IndexFunc(all, func(a Account) bool { return a.Number == byPeriod[0].Account })
			if i >= 0 {
				w.Accounts = append(w.Accounts, all[i])
			}
			byPeriod = byPeriod[1:]
		}
		req := ReportRequest{Period: first.Period, Basis: first.Basis, AccountsNamed: true}
		for _, f := range w.Reports.Formats {
			req.Formats = append(req.Formats, string(f))
		}
		s, err := w.Report(ctx, req)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Unpublished...); err != nil {
			return err
		}
	}
	return nil
}
