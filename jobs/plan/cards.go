package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/jobs/calendar"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

const (
	// recentDays is how many days back cards are requested by every nightly run, for late captures and cancellations.
	recentDays = 7
	// recentSlipDays is the same for the slips of the payment and credit lists.
	recentSlipDays = 10
	// weekly and thirdly are after how many nights a day is requested again: weekly if its money is not due yet, thirdly if it
	// is long overdue.
	weekly, thirdly = 7, 3
	// earlyDays is for how many days an early payment makes others likely.
	earlyDays = 30
	// overdueWithin is within how many business days after its forecast an unpaid row is reported overdue, with any usual grace
	// period; the other installments of its sale are at least 28 days away.
	overdueWithin = 5
)

// recheckDays returns after how many days a finished day is requested again: the service may still change it without a
// notification.
func recheckDays() []ledger.Date { return []ledger.Date{1, 7, 30, 90, 180, 400} }

// businessCalendar is the part of a calendar that the plan needs.
type businessCalendar interface {
	AddBusinessDays(k calendar.Kind, d ledger.Date, j int) ledger.Date
}

// addDueDays adds the days with an installment that has just come due, or that is overdue. One that has been overdue for more
// than ten business days is requested every third night; a blocked one every night once a forecast of its day has passed,
// since it may be released at any time.
func (p *accountDraft) addDueDays(ctx context.Context) error {
	before := p.calendar.AddBusinessDays(calendar.Settles, p.asOf, -1)
	q := facts.WaitingQuery{
		Account: p.account, AsOf: p.asOf,
		// Every forecast whose business day is the last one before as-of, or later.
		Recent:    ledger.Period{From: p.calendar.AddBusinessDays(calendar.Settles, before, -1) + 1, To: p.asOf},
		OverdueBy: p.calendar.AddBusinessDays(calendar.Settles, p.asOf, overdueWithin) + 1,
	}
	var err error
	if p.waiting, err = p.ledger.WaitingDays(ctx, q); err != nil {
		return err
	}
	for i := range p.waiting {
		d := &p.waiting[i]
		switch {
		case d.Day >= p.asOf: // a day is not proved before it has ended
		case d.Due || d.Late:
			p.addDay(ledger.Cards, d.Day, reasonDue)
		case d.Blocked && d.FirstForecast != 0 && d.FirstForecast <= p.asOf:
			p.addDay(ledger.Cards, d.Day, reasonBlocked)
		case d.LongOverdue && p.isTurn(d.Day, thirdly):
			p.addDay(ledger.Cards, d.Day, reasonOld)
		}
	}
	return nil
}

// addUnevaluatedDays adds the days that changed in an earlier pull and that no run has evaluated: their expected dates are not
// known yet.
func (p *accountDraft) addUnevaluatedDays(ctx context.Context) error {
	pulls, err := UnevaluatedPulls(ctx, p.ledger, p.account)
	if err != nil {
		return err
	}
	for i := range pulls {
		c := &pulls[i]
		if c.Window.Source != ledger.Cards || c.On >= p.asOf || c.Counts.New+c.Counts.Changed == 0 {
			continue
		}
		for d := c.Window.Period.From; d <= min(c.Window.Period.To, p.asOf-1); d++ {
			p.addDay(ledger.Cards, d, reasonUnevaluated)
		}
	}
	return nil
}

// addOpenDays adds the days with any other open or blocked installment, each at least every seventh night, since money may come
// early. It adds them every night if that happened recently and the account receives no notifications.
func (p *accountDraft) addOpenDays(ctx context.Context) error {
	n, err := p.ledger.NotificationStart(ctx, p.account)
	if err != nil {
		return err
	}
	p.notified = n.FirstDay() != 0 && (n.Subscription.CheckedOn == 0 || n.Subscription.Matches)
	early := false
	if !p.notified {
		early, err = p.ledger.HasEarlyPayments(ctx, p.account, ledger.Period{From: p.asOf - earlyDays, To: p.asOf})
		if err != nil {
			return err
		}
	}
	for i := range p.waiting {
		d := &p.waiting[i]
		switch {
		case d.Day >= p.asOf || !d.Open || d.LongOverdue && !early:
		case early:
			p.addDay(ledger.Cards, d.Day, reasonEarly)
		case p.isTurn(d.Day, weekly):
			p.addDay(ledger.Cards, d.Day, reasonWeekly)
		}
	}
	return nil
}

// isTurn reports whether a day that is requested once in so many nights is due in this one. A missed night is made up for by
// the next.
func (p *accountDraft) isTurn(d ledger.Date, nights ledger.Date) bool {
	return (p.asOf-d)%nights == 0 || p.asOf-p.asked[ledger.Cards][d].last >= nights
}

// addRechecks adds the finished days, some days after they were finished and less and less often. What was due in nights
// without a run is requested by the next.
func (p *accountDraft) addRechecks() {
	open, promised := map[ledger.Date]bool{}, map[ledger.Date]ledger.Date{}
	for i := range p.waiting {
		d := &p.waiting[i]
		open[d.Day], promised[d.Day] = d.Open, d.LastForecast
	}
	for d, on := range p.asked[ledger.Cards] {
		if d >= p.asOf || open[d] {
			continue
		}
		finished := on.changed
		if on.changed <= on.first {
			// It was finished when first requested: since its last forecast at the latest.
			finished = min(on.first, max(d, promised[d]))
		}
		for _, after := range recheckDays() {
			if due := finished + after; on.last < due && due <= p.asOf {
				p.addDay(ledger.Cards, d, fmt.Sprintf("finished on %s: day %d after", finished, after))
			}
		}
	}
}

// NotifiedNights is for how many nights the days of a notification are requested while no installment matches it.
const NotifiedNights = 7

// addNotifiedDays adds the days that notifications name: the sale day of a linked one until it is pulled after the
// notification arrived, and for one that is linked to none the day on which it happened and the day before.
func (p *accountDraft) addNotifiedDays(ctx context.Context) error {
	named, err := p.ledger.NotifiedDays(ctx, p.account)
	if err != nil {
		return err
	}
	for _, d := range named {
		if d < p.asOf {
			p.addDay(ledger.Cards, d, reasonNamed)
		}
	}
	return p.ledger.UnlinkedNotifications(ctx, p.account, func(n *ledger.LinkedNotification, _ []ledger.InstallmentKey) error {
		if n.PlannedFor >= NotifiedNights {
			return nil
		}
		for _, d := range [...]ledger.Date{n.Moment.Date(), n.Moment.Date() - 1} {
			if d < p.asOf {
				p.addDay(ledger.Cards, d, reasonUnlinked)
			}
		}
		return nil
	})
}

// UnevaluatedPulls returns the pulls of an account since its last finished reconcile.
func UnevaluatedPulls(ctx context.Context, l *store.Ledger, a ledger.Account) ([]ledger.Pull, error) {
	last, err := l.LastReconcileRun(ctx, a)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, err
	}
	return l.PullsSince(ctx, a, last)
}

// addTruncatedDays adds the days on which an answer seemed truncated; each is requested by itself, which may settle it. A day
// that only has a repeated row count is not added: a further request would show the same.
func (p *accountDraft) addTruncatedDays(ctx context.Context) error {
	pulls, err := UnevaluatedPulls(ctx, p.ledger, p.account)
	if err != nil {
		return err
	}
	for i := range pulls {
		for _, d := range pulls[i].Note.Cut {
			if d < p.asOf {
				p.addDay(pulls[i].Window.Source, d, reasonTruncated)
			}
		}
	}
	filter := caselog.FindingFilter{
		Accounts: []ledger.Account{p.account}, Codes: []string{runs.TruncationSuspected}, Severities: []ledger.Severity{ledger.Critical},
		States: unsettledStates(),
	}
	return p.ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if parts := strings.Split(f.Subject, ":"); len(parts) == 4 && f.Day < p.asOf {
			p.addDay(ledger.Source(parts[2]), f.Day, reasonTruncated)
		}
		return nil
	})
}
