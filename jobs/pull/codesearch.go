package pull

import (
	"cmp"
	"context"
	"slices"

	"concilia/export/words"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

const (
	// maxCodeSearches bounds the searches by code for one account in one run: past it the ledger lacks days, not sales.
	maxCodeSearches = 100
	// maxFoundDays bounds the days that one search by code adds to the plan, the newest ones.
	maxFoundDays = 12
)

// codeSearch searches for the sales of notifications that fit no installment.
type codeSearch struct {
	*asker
	accounts []ledger.Account
	progress Progress
}

// findSales asks the service for the sales of notifications that fit no installment, by NSU and authorization, and
// returns the days of these sales. The answers lack splits, so they are not merged: the days are pulled instead, which brings
// the installments. A search that is not answered is repeated in another run.
func (s *codeSearch) findSales(ctx context.Context) (map[ledger.Account][]ledger.Date, error) {
	s.progress.Step("search by code", 0)
	found, searches := map[ledger.Account][]ledger.Date{}, 0
	for _, a := range s.accounts {
		all, err := s.listUnlinkedSales(ctx, a)
		if err != nil {
			return nil, err
		}
		for i := range all {
			days, answered, err := s.searchSale(ctx, &all[i])
			if err != nil {
				return nil, err
			}
			searches++
			found[a] = append(found[a], days...)
			if !answered {
				break
			}
		}
	}
	days := 0
	for a := range found {
		slices.Sort(found[a])
		found[a] = slices.Compact(found[a])
		days += len(found[a])
	}
	s.progress.Done(words.NewMessage("steps.searched", "sales", words.NewMessage("steps.sale_searched", "n", searches), "days", words.NewMessage("counts.day", "n", days)))
	return found, nil
}

// listUnlinkedSales returns the notifications to search for, one for each NSU, authorization and number: those whose days are
// still planned and whose installment the ledger does not have.
func (s *codeSearch) listUnlinkedSales(ctx context.Context, a ledger.Account) ([]ledger.LinkedNotification, error) {
	type sale struct {
		nsu, auth string
		number    int
	}
	var all []ledger.LinkedNotification
	seen := map[sale]bool{}
	err := s.ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		code := sale{n.NSU, n.Auth, n.Installment}
		if len(fits) > 0 || n.PlannedFor >= plan.NotifiedNights || len(all) == maxCodeSearches || seen[code] || !api.IsSearchableCode(n.NSU, n.Auth) {
			return nil
		}
		seen[code] = true
		all = append(all, *n)
		return nil
	})
	return all, err
}

// searchSale asks for the sale of a notification and returns its days up to that of the notification, newest first. The pull
// is kept as incomplete, because it proves no day.
func (s *codeSearch) searchSale(ctx context.Context, n *ledger.LinkedNotification) (days []ledger.Date, answered bool, err error) {
	on := n.Moment.Date()
	pull := s.newPull(ledger.Window{
		Account: n.Account, Source: ledger.Cards, Period: ledger.Period{From: on, To: on}, Reason: plan.ReasonByCode,
	})
	a, err := s.service.SearchInstallmentsByCode(ctx, n.Account, n.NSU, n.Auth)
	pull.Counts.Requests = int64(a.Requests)
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case endsRun(err):
		return nil, false, err
	case err != nil:
		return nil, false, s.keepUnanswered(ctx, pull, err)
	}
	s.completePull(pull, a.Receipt)
	pull.Complete, pull.Failure = false, reasonProbe
	pull.Counts.Rows = int64(len(a.Rows) + len(a.Bad))
	pull.Note = ledger.PullNote{Skew: measureSkew(&a.Receipt), Unknown: a.Unknown}
	for i := range a.Rows {
		r := &a.Rows[i]
		same := r.Number == n.Installment || n.Installment == 0 && r.Number == 1 && r.Count <= 1
		if day := r.SoldAt.Date(); same && day <= on && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	slices.SortFunc(days, func(a, b ledger.Date) int { return cmp.Compare(b, a) })
	return days[:min(len(days), maxFoundDays)], true, s.ledger.StorePull(ctx, pull)
}
