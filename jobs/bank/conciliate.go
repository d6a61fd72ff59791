package bank

import (
	"fmt"
	"slices"

	"concilia/jobs/bank/match"
	"concilia/jobs/rules/deposits"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Conciliation gathers what the service says it paid into a bank account, and what came, and holds them against each other.
type Conciliation struct {
	Grouping
	// Days are those of the bank account, in order.
	Days []banking.Day

	payers   []payerBooks
	subjects map[string]int        // of lines: how many there are
	others   map[ledger.Date]int64 // booked lines of no payer
	rentals  map[accountDay]rental // by first day of the month
	gone     []match.Line          // vanished lines, until all others have their keys
	vanished []match.Line

	// LeftOut is what takes no part.
	LeftOut banking.LeftOut

	overdue map[ledger.Amount][]string // subjects of what should have been credited, by amount

	// KeepsForeign is set where a person chooses lines: those of no payer are kept then, too.
	KeepsForeign bool
	decisions    []Decision
	namedDays    map[ledger.Date]bool   // on which people matched lines
	foreign      map[string]foreignLine // lines of no payer, by subject: of these days, or all that are kept
	// Voided are the matches of people that no longer hold.
	Voided []string

	takenBack []banking.TakenBack // of the days that are matched
	closed    []banking.ClosedDay // those that are not matched
}

// payerBooks are both sides of one payer.
type payerBooks struct {
	items map[match.Item]match.Item // summed, by what they have alike
	// credits are the same, by the lines of summaries.
	credits map[creditLine]creditSum
	// tariffs are what is debited apart for the slips of a day and account.
	tariffs map[accountDay]ledger.Amount
	in      match.Input
	texts   map[string]string // of lines, by key
}

// accountDay is a day of an account.
type accountDay struct {
	day     ledger.Date
	account ledger.Account
}

// NewConciliation is empty.
func NewConciliation(a *Account, home ledger.Account, days []banking.Day, t Terms) *Conciliation {
	c := &Conciliation{Grouping: NewGrouping(a, home, t), Days: days, subjects: map[string]int{}, others: map[ledger.Date]int64{}, payers: make([]payerBooks, len(a.Payers))}
	for i := range a.Payers {
		c.payers[i] = payerBooks{items: map[match.Item]match.Item{}, credits: map[creditLine]creditSum{}, tariffs: map[accountDay]ledger.Amount{}, texts: map[string]string{}}
	}
	return c
}

// Period is what is answered for: from the configured first day, else the first settled one, to the last day that a
// statement shows. It is empty (From 0) while no day is settled.
func (c *Conciliation) Period() (p ledger.Period) {
	p.From = c.Account.Since
	settled := false
	for i := range c.Days {
		if d := &c.Days[i]; d.Settled() {
			settled = true
			if p.From == 0 {
				p.From = d.Day
			}
		}
	}
	if !settled {
		return ledger.Period{}
	}
	p.To = max(p.From, c.Days[len(c.Days)-1].Day)
	return p
}

// AddLine takes a current line. Only lines of a payer count, and only booked ones that are still shown are held against
// anything.
func (c *Conciliation) AddLine(l *banking.Line) {
	if l.Scheduled {
		return
	}
	for i := range c.Account.Payers {
		brand, product, yes := c.Account.Payers[i].ownsLine(l)
		if !yes {
			continue
		}
		line := match.Line{Key: banking.LineSubject(c.Home, c.Account.ID, &l.Row), Day: l.Day, Amount: l.Amount}
		line.Brand, _ = c.Mapping.Brand(brand)
		if p, known := c.Mapping.Product(product); known && line.Brand != "" {
			line.Product = string(p)
		}
		if l.Vanished {
			c.gone = append(c.gone, line)
			return
		}
		b := &c.payers[i]
		line.Key = c.numberSubject(line.Key)
		b.texts[line.Key] = l.Text
		b.in.Lines = append(b.in.Lines, line)
		return
	}
	if !l.Vanished {
		c.others[l.Day]++
		c.addForeign(l)
	}
}

// numberSubject numbers lines that are alike in day, amount and text.
func (c *Conciliation) numberSubject(subject string) string {
	if c.subjects[subject]++; c.subjects[subject] > 1 {
		return fmt.Sprintf("%s~%d", subject, c.subjects[subject])
	}
	return subject
}

// AddInstallment takes an installment that the service says it credited. What it took back of one, and of one that was cancelled or
// charged back after the credit all of it, is a debit known from the day it was first seen.
func (c *Conciliation) AddInstallment(x *banking.CreditedInstallment) {
	for i := range c.Account.Payers {
		p, b := &c.Account.Payers[i], &c.payers[i]
		if !p.Cards {
			continue
		}
		if amount := p.cardAmount(x); amount > 0 {
			b.addItem(c.itemOf(x), amount, p.splitsOf(x))
			b.addCredit(c.creditOfInstallment(p, x), amount)
		}
		if d := c.knownDebit(x); d.Amount > 0 {
			b.in.Debits = append(b.in.Debits, d)
			c.takenBack = append(c.takenBack, banking.TakenBack{
				Payer: p.Name, Subject: x.Key, Account: x.Account, Amount: d.Amount, Day: x.Day, From: d.Usable.From, To: d.Usable.To,
			})
		}
	}
}

// knownDebit is what the service took back of an installment; its amount is 0 where that is nothing.
func (g *Grouping) knownDebit(x *banking.CreditedInstallment) match.Debit {
	from := max(x.Seen, x.Day)
	d := match.Debit{Key: x.Key, Account: x.Account, Known: true}
	rd := func(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }
	switch {
	case x.Amount < 0:
		d.Amount, d.Usable.From = -rd(x.Amount), x.Day // it says itself when it was taken back
	case x.Fallen && x.Now < 0:
		d.Amount, d.Usable.From = -rd(x.Now), x.NowDay
	case g.isReversed(x):
		d.Amount = rd(x.Amount)
	case x.Fallen && x.NowDay == 0:
		d.Amount = rd(x.Amount) // what is credited no day any more is not credited
	case x.Fallen:
		d.Amount = rd(x.Amount) - rd(x.Now)
	}
	if d.Usable.From == 0 {
		d.Usable.From = from
	}
	d.Usable.To = max(from, x.NowDay) + knownDays
	return d
}

// knownDays is for how many days a known debit may still come.
const knownDays = 30

func (g *Grouping) isReversed(x *banking.CreditedInstallment) bool {
	for _, raw := range []string{x.Status, x.ReceivedStatus} {
		if class, known := g.Mapping.Status(raw); known && class.IsReversal() {
			return true
		}
	}
	return false
}

// AddSlip takes a slip that the service says it credited.
func (c *Conciliation) AddSlip(x *banking.CreditedSlip) {
	for i := range c.Account.Payers {
		p := &c.Account.Payers[i]
		if !p.Slips {
			continue
		}
		tariff := c.tariffOf(x)
		item := p.slipItem(x)
		if p.NetOfTariff {
			item.Tariff = tariff
		}
		c.payers[i].addItem(item, c.slipAmount(p, x), 0)
		c.payers[i].addCredit(c.creditOfSlip(p, x), c.slipAmount(p, x))
		if p.TariffDebited {
			c.payers[i].tariffs[accountDay{x.Day, x.Account}] += tariff.V.Rounded(ledger.HalfAwayFromZero)
		}
	}
}

func (b *payerBooks) addItem(like match.Item, amount, splits ledger.Amount) {
	it, known := b.items[like]
	if !known {
		it = like
	}
	it.Count++
	it.Amount += amount
	it.Splits += splits
	b.items[like] = it
}

// PayerResult is what became of one payer's lines and groups.
type PayerResult struct {
	Payer string
	*match.Result
	Rows  []match.Row
	texts map[string]string
}

// Text is the text of a line.
func (r *PayerResult) Text(line int) string { return r.texts[r.Lines[line].Key] }

// Matched is what became of both sides of a bank account.
type Matched struct {
	*Conciliation
	Results []PayerResult // in the order of the payers; nil: nothing was matched, because no day is settled
}

// Match holds both sides against each other, as of a day, payer by payer.
func (c *Conciliation) Match(asOf ledger.Date) *Matched {
	out := make([]PayerResult, len(c.payers))
	period := c.Period()
	for _, l := range c.gone {
		l.Key = c.numberSubject(l.Key)
		c.vanished = append(c.vanished, l)
	}
	c.placeDecisions()
	asked := match.Asked{AsOf: asOf, Calendar: c.Calendar, IsSettled: c.isSettled, Grace: c.missingGrace()}
	for i := range c.payers {
		p, b := &c.Account.Payers[i], &c.payers[i]
		for _, it := range b.items {
			b.in.Items = append(b.in.Items, it)
		}
		b.in.Grain, b.in.PerAccount, b.in.Shift, b.in.Calendar = p.Grain, p.PerAccount, c.Account.Shift, c.Calendar
		b.in.Debits = slices.Concat(b.in.Debits, c.monthlyDebits(p, period), c.tariffDebits(b))
		r := match.Run(b.in)
		c.Voided = append(c.Voided, r.Void...)
		out[i] = PayerResult{Payer: p.Name, Result: r, texts: b.texts, Rows: r.Rows(asked)}
	}
	return &Matched{Conciliation: c, Results: out}
}

// Bridge leads, month by month, from what the service says it paid into the bank account to what the bank booked of it.
func (m *Matched) Bridge() []match.BridgeMonth {
	sides, rows := make([]*match.Result, len(m.Results)), make([][]match.Row, len(m.Results))
	for i := range m.Results {
		sides[i], rows[i] = m.Results[i].Result, m.Results[i].Rows
	}
	closed := make([]match.ClosedDay, len(m.closed))
	for i, d := range m.closed {
		closed[i] = match.ClosedDay{BankDay: match.BankDay(m.Calendar, d.Day), Received: d.Expected, Booked: d.Booked}
	}
	return match.Bridge(sides, rows, closed...)
}

// Proven is how much of what was expected up to a day came to the cent.
func (m *Matched) Proven(to ledger.Date) (proven, of ledger.Amount) {
	for i := range m.Results {
		a, b := m.Results[i].Proven(to, m.Results[i].Rows)
		proven, of = proven+a, of+b
	}
	for _, d := range m.closed {
		if match.BankDay(m.Calendar, d.Day) <= to {
			proven, of = proven+d.Expected, of+d.Expected
		}
	}
	return proven, of
}

// missingGrace is how many business days a credit may come after its bank day before it is missing.
func (c *Conciliation) missingGrace() int {
	for _, r := range deposits.Rules() {
		if t, err := c.Settings.ToleranceOf(&r); err == nil && r.Code == deposits.CreditMissing {
			return t.Grace
		}
	}
	return 0
}

// slipTariff names the debits of tariffs.
const slipTariff = "slip_tariff"

// tariffDebits are the tariffs of slips that are debited apart, one for each day and account.
func (c *Conciliation) tariffDebits(b *payerBooks) (all []match.Debit) {
	for of, amount := range b.tariffs {
		if amount > 0 {
			all = append(all, match.Debit{
				Key: fmt.Sprintf("%s:%s:%s", of.day, of.account, slipTariff), Name: slipTariff, Account: of.account, Amount: amount, Due: of.day,
				Usable: ledger.Period{From: of.day, To: match.BankDay(c.Calendar, of.day)},
			})
		}
	}
	return all
}

// monthlyDebits are the declared debits of every month of a period.
func (c *Conciliation) monthlyDebits(p *Payer, period ledger.Period) (all []match.Debit) {
	if period.From == 0 {
		return nil
	}
	for month := period.From.MonthStart(); month <= period.To; month = month.MonthEnd() + 1 {
		for _, a := range c.Account.Accounts {
			add := func(name string, amount ledger.Amount) {
				all = append(all, match.Debit{
					Key: fmt.Sprintf("%s:%s:%s", month.String()[:7], a, name), Name: name, Account: a, Amount: amount,
					Usable: ledger.Period{From: month, To: month.MonthEnd()},
				})
			}
			for _, d := range p.Debits {
				add(d.Name, d.Amount)
			}
			if amount := c.rentalOf(a, month); p.Cards && amount > 0 {
				add(rentalName, amount)
			}
		}
	}
	return all
}

// isSettled reports whether every day of a period is settled.
func (c *Conciliation) isSettled(p ledger.Period) bool {
	if len(c.Days) == 0 || p.From < c.Days[0].Day || p.To > c.Days[len(c.Days)-1].Day {
		return false
	}
	for d := p.From; d <= p.To; d++ {
		if !c.Days[d-c.Days[0].Day].Settled() {
			return false
		}
	}
	return true
}
