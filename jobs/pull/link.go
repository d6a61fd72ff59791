package pull

import (
	"context"

	"concilia/export/words"
	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/ledger"
)

const (
	// inboxBatch is how many notifications are moved in one transaction of a few milliseconds.
	inboxBatch = 1000
	// maxSaleAge is how old a sale may be, in days, to be chosen among several: twelve installments take one year.
	maxSaleAge = 400
	// minSaleDistance is within how many days before the chosen sale another one with the same codes makes it ambiguous.
	minSaleDistance = 30
)

// LinkNotifications moves the notifications in the inbox to the ledger and links every unlinked one to its installment, if the
// ledger has it. o is the outcome of the run's pulls, nil before them.
func (p *Puller) LinkNotifications(ctx context.Context, run *ledger.Run, o *Outcome) error {
	l := &linker{ledger: p.Ledger, inbox: p.Inbox, run: run, hasPulled: o != nil}
	if p.Inbox != nil {
		p.Progress.Step("link", 0)
	}
	if err := l.takeOverInbox(ctx); err != nil {
		return err
	}
	for _, a := range p.Accounts {
		if err := l.linkAccount(ctx, a.Number); err != nil {
			return err
		}
	}
	if p.Inbox != nil {
		p.Progress.Done(words.NewMessage("steps.linked", "notifications", words.NewMessage("steps.new_notification", "n", l.arrived),
			"linked", l.linked, "ambiguous", l.ambiguous, "unlinked", l.unlinked))
	}
	return nil
}

// linker links notifications to installments, and counts them.
type linker struct {
	ledger    *store.Ledger
	inbox     Inbox // nil: no notifications are received
	run       *ledger.Run
	hasPulled bool // the run has asked for its windows

	arrived, linked, ambiguous, unlinked int
}

// takeOverInbox moves the inbox to the ledger. Killed in between, it moves the same notifications again, which changes nothing.
func (l *linker) takeOverInbox(ctx context.Context) error {
	if l.inbox == nil {
		return nil
	}
	for {
		batch, err := l.inbox.Pending(ctx, inboxBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		added, err := l.ledger.ReceiveNotifications(ctx, batch)
		if err != nil {
			return err
		}
		if err := l.inbox.MarkMoved(ctx, batch); err != nil {
			return err
		}
		l.arrived += added
	}
}

// linkAccount looks for the installment of every unlinked notification of an account. After the pulls of a nightly run it
// also counts the run for notifications whose days were pulled completely without showing their installment.
func (l *linker) linkAccount(ctx context.Context, a ledger.Account) error {
	complete := func(ledger.Date) bool { return false }
	if l.hasPulled && l.run.Kind == ledger.Nightly {
		days, err := ReadPulledDays(ctx, l.ledger, l.run, a)
		if err != nil {
			return err
		}
		complete = func(d ledger.Date) bool { return days.Complete[ledger.Cards][d] }
	}
	var found []ledger.LinkedNotification
	err := l.ledger.UnlinkedNotifications(ctx, a, func(n *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		was := *n
		if n.Target, n.Ambiguous = chooseInstallment(n.Moment.Date(), fits); n.Target != nil {
			n.LinkedOn = l.run.AsOf
		} else if countsAsSearched(n, l.run.AsOf, complete) {
			n.PlannedFor, n.LastPlannedOn = n.PlannedFor+1, l.run.AsOf
		}
		switch {
		case n.Target != nil:
			l.linked++
		case n.Ambiguous:
			l.ambiguous++
		default:
			l.unlinked++
		}
		if n.Target != nil || n.Ambiguous != was.Ambiguous || n.LastPlannedOn != was.LastPlannedOn {
			found = append(found, *n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.ledger.LinkNotifications(ctx, l.run, a, found)
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
