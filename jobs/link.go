package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// Inbox is where notifications wait until a run takes them over; a *store.Inbox is one.
type Inbox interface {
	// Pending returns the oldest notifications that were not taken over yet, at most limit.
	Pending(ctx context.Context, limit int) ([]ledger.Notification, error)
	// MarkMoved tells the inbox that the ledger holds these notifications.
	MarkMoved(ctx context.Context, moved []ledger.Notification) error
}

const (
	// inboxBatch is how many notifications are moved in one transaction: a few milliseconds of the ledger's writer.
	inboxBatch = 1000
	// linkReach is how old a sale may be, in days, to win over others: twelve installments take one year.
	linkReach = 400
	// linkAlone is how far back from the winner, in days, another sale of the same name makes it a guess.
	linkAlone = 30
	// maxCodeSearches bounds the searches by code for one account in one run: past it the ledger lacks days, not sales.
	maxCodeSearches = 100
	// maxFoundDays bounds the days that one search by code adds to the plan, the newest ones.
	maxFoundDays = 12
)

// linkStep takes over what the inbox holds and links to its installment whatever can be. p is what the run has pulled,
// nil when that is still to come.
func (w *Worker) linkStep(ctx context.Context, run *ledger.Run, p *pulled) error {
	if w.Inbox != nil {
		w.Progress.Step("link", 0)
	}
	var sum linking
	var err error
	if sum.arrived, err = w.moveInbox(ctx); err != nil {
		return err
	}
	for _, a := range w.Accounts {
		if err := w.linkAccount(ctx, run, a.Number, p != nil, &sum); err != nil {
			return err
		}
	}
	if w.Inbox != nil {
		w.Progress.Done(fmt.Sprintf("%s, %d linked, %d ambiguous, %d not linked",
			things(sum.arrived, "new notification", "new notifications"), sum.linked, sum.ambiguous, sum.rest))
	}
	return nil
}

// linking counts what the step came to.
type linking struct{ arrived, linked, ambiguous, rest int }

// moveInbox moves the inbox into the ledger. Killed between the two, it moves the same again, which changes nothing.
func (w *Worker) moveInbox(ctx context.Context) (added int, err error) {
	if w.Inbox == nil {
		return 0, nil
	}
	for {
		batch, err := w.Inbox.Pending(ctx, inboxBatch)
		if err != nil || len(batch) == 0 {
			return added, err
		}
		n, err := w.Ledger.ReceiveNotifications(ctx, batch)
		if err != nil {
			return added, err
		}
		if err := w.Inbox.MarkMoved(ctx, batch); err != nil {
			return added, err
		}
		added += n
	}
}

// linkAccount looks for the installment of every notification that is linked to none. After the pull of a night it
// counts the night for those whose days were pulled whole and that are linked to none all the same.
func (w *Worker) linkAccount(ctx context.Context, run *ledger.Run, a ledger.Account, after bool, sum *linking) error {
	shown := func(ledger.Date) bool { return false }
	if after && run.Kind == ledger.Nightly {
		f, err := w.readLedgerFacts(ctx, run, a, nil)
		if err != nil {
			return err
		}
		shown = func(d ledger.Date) bool { return f.now[ledger.Cards][d] }
	}
	var found []ledger.LinkedNotification
	err := w.Ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		was := *n
		if n.Target, n.Ambiguous = winner(n.Moment.Date(), fits); n.Target != nil {
			n.LinkedOn = run.AsOf
		} else if lookedFor(n, run.AsOf, shown) {
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
	return w.Ledger.LinkNotifications(ctx, run, a, found)
}

// winner is the installment a notification of a day speaks of, among those of its NSU, authorization and number in
// order of sale day. One alone is it. Of several, the one sold last before that day, if the sale is at most linkReach
// days old and no other lies within linkAlone days before the day; of older sales, before the last. Else it is a guess
// that nobody makes. What was sold later cannot be meant.
func winner(on ledger.Date, fits []ledger.InstallmentKey) (to *ledger.InstallmentKey, ambiguous bool) {
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
	if on-last.Day > linkAlone {
		from = last.Day
	}
	if on-last.Day > linkReach || from-next.Day <= linkAlone {
		return nil, true
	}
	return &last, false
}

// lookedFor says whether the night counts as one on which the notification's days were pulled: they had ended, and each
// was shown whole.
func lookedFor(n *ledger.LinkedNotification, asOf ledger.Date, shown func(ledger.Date) bool) bool {
	day := n.Moment.Date()
	return n.PlannedFor < plan.NotifiedNights && n.LastPlannedOn < asOf && day < asOf && shown(day) && shown(day-1)
}

// searchByCode asks the service for the sales of notifications that fit no installment, by NSU and authorization, and returns
// the days on which they were made. The answers lack splits, so nothing of them is merged: the plan asks for those days, and
// the rest of the linking finds the installments there. A service that does not answer is asked another night.
func (w *Worker) searchByCode(ctx context.Context, run *ledger.Run) (map[ledger.Account][]ledger.Date, error) {
	if !w.SearchByCode {
		return nil, nil
	}
	w.Progress.Step("search by code", 0)
	found, searches := map[ledger.Account][]ledger.Date{}, 0
	for _, a := range w.Accounts {
		all, err := w.unlinkedSales(ctx, a.Number)
		if err != nil {
			return nil, err
		}
		for i := range all {
			days, answered, err := w.searchSale(ctx, run, &all[i])
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
	w.Progress.Done(fmt.Sprintf("%s, found on %s", things(searches, "sale searched for", "sales searched for"), things(days, "day", "days")))
	return found, nil
}

// unlinkedSales are the notifications to search for, one of each NSU, authorization and number, whose days are still planned
// and of which the ledger has no installment.
func (w *Worker) unlinkedSales(ctx context.Context, a ledger.Account) ([]ledger.LinkedNotification, error) {
	type sale struct {
		nsu, auth string
		number    int
	}
	var all []ledger.LinkedNotification
	seen := map[sale]bool{}
	err := w.Ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		is := sale{n.NSU, n.Auth, n.Installment}
		if len(fits) > 0 || n.PlannedFor >= plan.NotifiedNights || len(all) == maxCodeSearches || seen[is] || !api.IsSearchableCode(n.NSU, n.Auth) {
			return nil
		}
		seen[is] = true
		all = append(all, *n)
		return nil
	})
	return all, err
}

// searchSale asks for the sale of a notification and returns its days, newest first, those after the notification left out.
// The pull is kept as one that proves nothing.
func (w *Worker) searchSale(ctx context.Context, run *ledger.Run, n *ledger.LinkedNotification) (days []ledger.Date, answered bool, err error) {
	on := n.Moment.Date()
	pull := w.newPull(run, ledger.Window{
		Account: n.Account, Source: ledger.Cards, Period: ledger.Period{From: on, To: on}, Reason: plan.ReasonByCode,
	})
	a, err := w.Service.SearchInstallmentsByCode(ctx, n.Account, n.NSU, n.Auth)
	pull.Counts.Requests = int64(a.Requests)
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case endsRun(err):
		return nil, false, err
	case err != nil:
		pull.Ended, pull.Failure = w.Wall().UTC(), err.Error()
		return nil, false, w.Ledger.StorePull(ctx, pull)
	}
	w.answered(pull, a.Receipt)
	pull.Complete, pull.Failure = false, provesNothing
	pull.Counts.Rows = int64(len(a.Rows) + len(a.Bad))
	pull.Note = ledger.PullNote{Skew: skew(&a.Receipt), Unknown: a.Unknown}
	for i := range a.Rows {
		r := &a.Rows[i]
		same := r.Number == n.Installment || n.Installment == 0 && r.Number == 1 && r.Count <= 1
		if day := r.SoldAt.Date(); same && day <= on && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	slices.SortFunc(days, func(a, b ledger.Date) int { return cmp.Compare(b, a) })
	return days[:min(len(days), maxFoundDays)], true, w.Ledger.StorePull(ctx, pull)
}
