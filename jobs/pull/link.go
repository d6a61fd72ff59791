package pull

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

const (
	// inboxBatch is how many notifications are moved in one transaction of a few milliseconds.
	inboxBatch = 1000
	// maxSaleAge is how old a sale may be, in days, to be chosen among several: twelve installments take one year.
	maxSaleAge = 400
	// minSaleDistance is within how many days before the chosen sale another one with the same codes makes it ambiguous.
	minSaleDistance = 30
	// maxCodeSearches bounds the searches by code for one account in one run: past it the ledger lacks days, not sales.
	maxCodeSearches = 100
	// maxFoundDays bounds the days that one search by code adds to the plan, the newest ones.
	maxFoundDays = 12
)

// LinkNotifications moves the notifications in the inbox to the ledger and links every unlinked one to its installment, if the
// ledger has it. o is the outcome of the run's pulls, nil before them.
func (p *Puller) LinkNotifications(ctx context.Context, run *ledger.Run, o *Outcome) error {
	if p.Inbox != nil {
		p.Progress.Step("link", 0)
	}
	var sum linkCounts
	var err error
	if sum.arrived, err = p.takeOverInbox(ctx); err != nil {
		return err
	}
	for _, a := range p.Accounts {
		if err := p.linkAccount(ctx, run, a.Number, o != nil, &sum); err != nil {
			return err
		}
	}
	if p.Inbox != nil {
		p.Progress.Done(fmt.Sprintf("%s, %d linked, %d ambiguous, %d not linked",
			ledger.CountText(sum.arrived, "new notification", "new notifications"), sum.linked, sum.ambiguous, sum.rest))
	}
	return nil
}

// linkCounts are the results of linking.
type linkCounts struct{ arrived, linked, ambiguous, rest int }

// takeOverInbox moves the inbox to the ledger and returns how many notifications were new. Killed in between, it moves the
// same ones again, which changes nothing.
func (p *Puller) takeOverInbox(ctx context.Context) (added int, err error) {
	if p.Inbox == nil {
		return 0, nil
	}
	for {
		batch, err := p.Inbox.Pending(ctx, inboxBatch)
		if err != nil || len(batch) == 0 {
			return added, err
		}
		n, err := p.Ledger.ReceiveNotifications(ctx, batch)
		if err != nil {
			return added, err
		}
		if err := p.Inbox.MarkMoved(ctx, batch); err != nil {
			return added, err
		}
		added += n
	}
}

// linkAccount looks for the installment of every unlinked notification of an account. After the pulls of a nightly run it
// also counts the run for notifications whose days were pulled completely without showing their installment.
func (p *Puller) linkAccount(ctx context.Context, run *ledger.Run, a ledger.Account, after bool, sum *linkCounts) error {
	complete := func(ledger.Date) bool { return false }
	if after && run.Kind == ledger.Nightly {
		days, err := ReadPulledDays(ctx, p.Ledger, run, a)
		if err != nil {
			return err
		}
		complete = func(d ledger.Date) bool { return days.Complete[ledger.Cards][d] }
	}
	var found []ledger.LinkedNotification
	err := p.Ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		was := *n
		if n.Target, n.Ambiguous = chooseInstallment(n.Moment.Date(), fits); n.Target != nil {
			n.LinkedOn = run.AsOf
		} else if countsAsSearched(n, run.AsOf, complete) {
			n.PlannedFor, n.LastPlannedOn = n.PlannedFor+1, run.AsOf
		}
		switch {
		case n.Target != nil:
			sum.linked++
		case n.Ambiguous:
			sum.ambiguous++
		default:
			sum.rest++
		}
		if n.Target != nil || n.Ambiguous != was.Ambiguous || n.LastPlannedOn != was.LastPlannedOn {
			found = append(found, *n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.Ledger.LinkNotifications(ctx, run, a, found)
}

// chooseInstallment returns the installment that a notification of a day is about, among those with its NSU, authorization
// and number in order of sale day. Those sold after the day are left out. A single one is it. Among several it is the one
// sold last, if that sale is at most maxSaleAge days old and no other sale lies within minSaleDistance days before the day
// (or before the last sale, if that is older); otherwise the notification is ambiguous.
func chooseInstallment(on ledger.Date, fits []ledger.InstallmentKey) (to *ledger.InstallmentKey, ambiguous bool) {
	for len(fits) > 0 && fits[len(fits)-1].Day > on {
		fits = fits[:len(fits)-1]
	}
	switch len(fits) {
	case 0:
		return nil, false
	case 1:
		return &fits[0], false
	}
	last, next := fits[len(fits)-1], fits[len(fits)-2]
	from := on
	if on-last.Day > minSaleDistance {
		from = last.Day
	}
	if on-last.Day > maxSaleAge || from-next.Day <= minSaleDistance {
		return nil, true
	}
	return &last, false
}

// countsAsSearched reports whether a run as of a day counts as one that pulled the notification's days: they had ended and
// were answered completely.
func countsAsSearched(n *ledger.LinkedNotification, asOf ledger.Date, complete func(ledger.Date) bool) bool {
	day := n.Moment.Date()
	return n.PlannedFor < plan.NotifiedNights && n.LastPlannedOn < asOf && day < asOf && complete(day) && complete(day-1)
}

// findSalesByCode asks the service for the sales of notifications that fit no installment, by NSU and authorization, and
// returns the days of these sales. The answers lack splits, so they are not merged: the days are pulled instead, which brings
// the installments. A search that is not answered is repeated in another run.
func (p *Puller) findSalesByCode(ctx context.Context, run *ledger.Run) (map[ledger.Account][]ledger.Date, error) {
	if !p.SearchByCode {
		return nil, nil
	}
	p.Progress.Step("search by code", 0)
	found, searches := map[ledger.Account][]ledger.Date{}, 0
	for _, a := range p.Accounts {
		all, err := p.listUnlinkedSales(ctx, a.Number)
		if err != nil {
			return nil, err
		}
		for i := range all {
			days, answered, err := p.searchSale(ctx, run, &all[i])
			if err != nil {
				return nil, err
			}
			searches++
			found[a.Number] = append(found[a.Number], days...)
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
	p.Progress.Done(fmt.Sprintf("%s, found on %s", ledger.CountText(searches, "sale searched for", "sales searched for"), ledger.CountText(days, "day", "days")))
	return found, nil
}

// listUnlinkedSales returns the notifications to search for, one for each NSU, authorization and number: those whose days are
// still planned and whose installment the ledger does not have.
func (p *Puller) listUnlinkedSales(ctx context.Context, a ledger.Account) ([]ledger.LinkedNotification, error) {
	type sale struct {
		nsu, auth string
		number    int
	}
	var all []ledger.LinkedNotification
	seen := map[sale]bool{}
	err := p.Ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
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
func (p *Puller) searchSale(ctx context.Context, run *ledger.Run, n *ledger.LinkedNotification) (days []ledger.Date, answered bool, err error) {
	on := n.Moment.Date()
	pull := p.newPull(run, ledger.Window{
		Account: n.Account, Source: ledger.Cards, Period: ledger.Period{From: on, To: on}, Reason: plan.ReasonByCode,
	})
	a, err := p.Service.SearchInstallmentsByCode(ctx, n.Account, n.NSU, n.Auth)
	pull.Counts.Requests = int64(a.Requests)
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case endsRun(err):
		return nil, false, err
	case err != nil:
		pull.Ended, pull.Failure = p.Wall().UTC(), err.Error()
		return nil, false, p.Ledger.StorePull(ctx, pull)
	}
	p.completePull(pull, a.Receipt)
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
	return days[:min(len(days), maxFoundDays)], true, p.Ledger.StorePull(ctx, pull)
}
