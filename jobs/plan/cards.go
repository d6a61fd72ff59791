package plan

import (
	"context"
	"fmt"

	"concilia/jobs/calendar"
	"concilia/store/facts"
	"concilia/store/ledger"
)

const (
	// recentDays are asked again every night: late captures and cancellations.
	recentDays = 7
	// recentSlipDays are asked again of the payment and credit lists.
	recentSlipDays = 10
	// weekly and thirdly are how many nights a day may wait whose money is not due yet, or long overdue.
	weekly, thirdly = 7, 3
	// earlyDays is how long an early payment makes others likely.
	earlyDays = 30
	// turnDays is by how many business days after its forecast a row that is not paid is told overdue at the latest, with
	// any grace in use; the other installments of its sale are at least 28 days away.
	turnDays = 5
)

// recheckDays are how many days after a day was finished it is asked again: what is done may still be changed in silence.
func recheckDays() []ledger.Date { return []ledger.Date{1, 7, 30, 90, 180, 400} }

// bankDays is the part of a calendar the plan needs.
type bankDays interface {
	Add(k calendar.Kind, d ledger.Date, j int) ledger.Date
}

// due adds the days that hold an installment whose business day has just come, or that is overdue. One that is
// overdue for more than ten business days is looked at every third night; one that is blocked when its promises have
// begun to pass, every night: nobody knows when it is released.
func (p *draft) due(ctx context.Context) error {
	before := p.calendar.Add(calendar.Settles, p.asOf, -1)
	q := facts.WaitingQuery{
		Account: p.account, AsOf: p.asOf,
		// Every forecast whose business day is the last one before as-of or a later one.
		Recent:  ledger.Period{From: p.calendar.Add(calendar.Settles, before, -1) + 1, To: p.asOf},
		TurnsBy: p.calendar.Add(calendar.Settles, p.asOf, turnDays) + 1,
	}
	var err error
	if p.waiting, err = p.ledger.WaitingDays(ctx, q); err != nil {
		return err
	}
	for i := range p.waiting {
		d := &p.waiting[i]
		switch {
		case d.Day >= p.asOf: // nothing of it is proven before it has ended
		case d.Due || d.Late:
			p.add(ledger.Cards, d.Day, reasonDue)
		case d.Blocked && d.FirstForecast != 0 && d.FirstForecast <= p.asOf:
			p.add(ledger.Cards, d.Day, reasonBlocked)
		case d.Old && p.turn(d.Day, thirdly):
			p.add(ledger.Cards, d.Day, reasonOld)
		}
	}
	return nil
}

// unjudged adds the days that a pull of an earlier day moved and that no run has judged: what they wait for is not
// known yet.
func (p *draft) unjudged(ctx context.Context) error {
	pulls, err := Unjudged(ctx, p.ledger, p.account)
	if err != nil {
		return err
	}
	for i := range pulls {
		c := &pulls[i]
		if c.Window.Source != ledger.Cards || c.On >= p.asOf || c.Counts.New+c.Counts.Changed == 0 {
			continue
		}
		for d := c.Window.Period.From; d <= min(c.Window.Period.To, p.asOf-1); d++ {
			p.add(ledger.Cards, d, reasonUnjudged)
		}
	}
	return nil
}

// open adds the days that hold any other open or blocked installment, each at least every seventh night: money comes
// early. Every night where that happened of late and nobody tells us of it.
func (p *draft) open(ctx context.Context) error {
	n, err := p.ledger.Notified(ctx, p.account)
	if err != nil {
		return err
	}
	p.told = n.FirstDay() != 0 && (n.Subscription.CheckedOn == 0 || n.Subscription.Matches)
	early := false
	if !p.told {
		early, err = p.ledger.PaidEarly(ctx, p.account, ledger.Period{From: p.asOf - earlyDays, To: p.asOf})
		if err != nil {
			return err
		}
	}
	for i := range p.waiting {
		d := &p.waiting[i]
		switch {
		case d.Day >= p.asOf || !d.Open || d.Old && !early:
		case early:
			p.add(ledger.Cards, d.Day, reasonEarly)
		case p.turn(d.Day, weekly):
			p.add(ledger.Cards, d.Day, reasonWeekly)
		}
	}
	return nil
}

// turn says whether it is a day's turn among every so many nights, or past it: nights may have been missed.
func (p *draft) turn(d ledger.Date, nights ledger.Date) bool {
	return (p.asOf-d)%nights == 0 || p.asOf-p.asked[ledger.Cards][d].last >= nights
}

// recheck adds the days on which nothing is waited for, some days after they were finished and ever more rarely. What
// was due on nights without a run is asked for by the next.
func (p *draft) recheck() {
	open, promised := map[ledger.Date]bool{}, map[ledger.Date]ledger.Date{}
	for i := range p.waiting {
		d := &p.waiting[i]
		open[d.Day], promised[d.Day] = d.Open, d.LastForecast
	}
	for d, on := range p.asked[ledger.Cards] {
		if d >= p.asOf || open[d] {
			continue
		}
		finished := on.moved
		if on.moved <= on.first {
			// It came finished: since its last promise at the latest.
			finished = min(on.first, max(d, promised[d]))
		}
		for _, after := range recheckDays() {
			if due := finished + after; on.last < due && due <= p.asOf {
				p.add(ledger.Cards, d, fmt.Sprintf("finished on %s: day %d after", finished, after))
			}
		}
	}
}
