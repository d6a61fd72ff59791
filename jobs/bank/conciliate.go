package bank

import (
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/deposits"
	"concilia/store/ledger"
)

// Terms are the documents by which lines and what the service says it paid are read.
type Terms struct {
	Mapping   *agreements.Mapping
	Contracts *agreements.Contracts
	Calendar  *calendar.Calendar
	// Settings change the rules on bank accounts.
	Settings rules.Settings
}

// Conciliation gathers what the service says it paid into a bank account, and what came, and holds them against each other.
type Conciliation struct {
	Account *Account
	Terms
	// Home is the account under which the bank account's rows are.
	Home ledger.Account
	// Days are those of the bank account, in order.
	Days []ledger.BankDay

	payers   []payerBooks
	subjects map[string]int        // of lines: how many there are
	others   map[ledger.Date]int64 // booked lines of no payer
	rentals  map[accountDay]rental // by first day of the month
	gone     []match.Line          // vanished lines, until all others have their keys
	vanished []match.Line

	// LeftOut is what takes no part.
	LeftOut ledger.BankLeftOut

	overdue map[ledger.Amount][]string // subjects of what should have been credited, by amount

	// KeepsForeign is set where a person chooses lines: those of no payer are kept then, too.
	KeepsForeign bool
	decisions    []Decision
	namedDays    map[ledger.Date]bool   // on which people matched lines
	foreign      map[string]foreignLine // lines of no payer, by subject: of these days, or all that are kept
	// Voided are the matches of people that no longer hold.
	Voided []string

	takenBack []ledger.BankTakenBack // of the days that are matched
	closed    []ledger.BankClosedDay // those that are not matched
}

// payerBooks are both sides of one payer.
type payerBooks struct {
	items map[match.Item]match.Item // summed, by what they have alike
	// credits are the same, by what summaries tell of them.
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
func NewConciliation(a *Account, home ledger.Account, days []ledger.BankDay, t Terms) *Conciliation {
	c := &Conciliation{Account: a, Terms: t, Home: home, Days: days, subjects: map[string]int{}, others: map[ledger.Date]int64{}, payers: make([]payerBooks, len(a.Payers))}
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
func (c *Conciliation) AddLine(l *ledger.BankLine) {
	if l.Scheduled {
		return
	}
	for i := range c.Account.Payers {
		brand, product, yes := c.Account.Payers[i].owns(l)
		if !yes {
			continue
		}
		line := match.Line{Key: ledger.BankLineSubject(c.Home, c.Account.ID, &l.BankRow), Day: l.Day, Amount: l.Amount}
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

// numberSubject tells lines apart that are alike in day, amount and text.
func (c *Conciliation) numberSubject(subject string) string {
	if c.subjects[subject]++; c.subjects[subject] > 1 {
		return fmt.Sprintf("%s~%d", subject, c.subjects[subject])
	}
	return subject
}

// AddInstallment takes an installment that the service says it credited. What it took back of one, and of one that was cancelled or
// charged back after the credit all of it, is a debit known from the day it was first seen.
func (c *Conciliation) AddInstallment(x *ledger.CreditedInstallment) {
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
			c.takenBack = append(c.takenBack, ledger.BankTakenBack{
				Payer: p.Name, Subject: x.Key, Account: x.Account, Amount: d.Amount, Day: x.Day, From: d.Usable.From, To: d.Usable.To,
			})
		}
	}
}

// cardAmount is what is expected of an installment.
func (p *Payer) cardAmount(x *ledger.CreditedInstallment) ledger.Amount {
	return x.Amount.Rounded(ledger.HalfAwayFromZero) - p.splitsOf(x)
}

// splitsOf are what of an installment leaves before the credit.
func (p *Payer) splitsOf(x *ledger.CreditedInstallment) ledger.Amount {
	if p.NetOfSplits {
		return x.Splits
	}
	return 0
}

// knownDebit is what the service took back of an installment; its amount is 0 where that is nothing.
func (c *Conciliation) knownDebit(x *ledger.CreditedInstallment) match.Debit {
	from := max(x.Seen, x.Day)
	d := match.Debit{Key: x.Key, Account: x.Account, Known: true}
	rd := func(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }
	switch {
	case x.Amount < 0:
		d.Amount, d.Usable.From = -rd(x.Amount), x.Day // it says itself when it was taken back
	case x.Fallen && x.Now < 0:
		d.Amount, d.Usable.From = -rd(x.Now), x.NowDay
	case c.isReversed(x):
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

func (c *Conciliation) isReversed(x *ledger.CreditedInstallment) bool {
	for _, raw := range []string{x.Status, x.ReceivedStatus} {
		if class, known := c.Mapping.Status(raw); known && class.IsReversal() {
			return true
		}
	}
	return false
}

func (c *Conciliation) brandOf(x *ledger.CreditedInstallment) string {
	if brand, known := c.Mapping.Brand(x.Brand); known {
		return brand
	}
	return strings.ToLower(x.Brand)
}

func (c *Conciliation) productOf(x *ledger.CreditedInstallment) string {
	if product, known := c.Mapping.Product(x.Product); known {
		return string(product)
	}
	return strings.ToLower(x.Product)
}

// AddSlip takes a slip that the service says it credited.
func (c *Conciliation) AddSlip(x *ledger.CreditedSlip) {
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

// itemOf is what an installment is summed with.
func (c *Conciliation) itemOf(x *ledger.CreditedInstallment) match.Item {
	return match.Item{Day: x.Day, Account: x.Account, Brand: c.brandOf(x), Product: c.productOf(x)}
}

// slipItem is what a slip is summed with.
func (p *Payer) slipItem(x *ledger.CreditedSlip) match.Item {
	item := match.Item{Day: x.Day, Account: x.Account, Brand: match.SlipBrand}
	if p.Grain == match.Slip {
		item.Slip = x.ID
	}
	return item
}

// GroupOfInstallment names the group in which an installment is expected; empty: no payer pays it.
func (c *Conciliation) GroupOfInstallment(x *ledger.CreditedInstallment) string {
	for i := range c.Account.Payers {
		if p := &c.Account.Payers[i]; p.Cards && p.cardAmount(x) > 0 {
			item := c.itemOf(x)
			return c.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount))
		}
	}
	return ""
}

// GroupOfSlip names the group in which a slip is expected; empty: no payer pays it.
func (c *Conciliation) GroupOfSlip(x *ledger.CreditedSlip) string {
	for i := range c.Account.Payers {
		if p := &c.Account.Payers[i]; p.Slips {
			item := p.slipItem(x)
			return c.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount))
		}
	}
	return ""
}

// slipAmount is what is expected of a slip.
func (c *Conciliation) slipAmount(p *Payer, x *ledger.CreditedSlip) ledger.Amount {
	amount := x.Paid
	if p.NetOfTariff {
		amount -= c.tariffOf(x).V
	}
	return amount.Rounded(ledger.HalfAwayFromZero)
}

// tariffOf is the agreed tariff of a slip.
func (c *Conciliation) tariffOf(x *ledger.CreditedSlip) ledger.Opt[ledger.Amount] {
	return c.Contracts.FindSlipTerms(x.Account, x.Due).Tariff
}

// Title is an installment or slip of a group, with what is expected of it.
type Title struct {
	Subject        string
	Brand, Product string
	Amount         ledger.Amount
}

// InstallmentOf is the title that an installment is in the group with a subject; ok is false where it is none of it.
func (c *Conciliation) InstallmentOf(group string, x *ledger.CreditedInstallment) (t Title, ok bool) {
	for i := range c.Account.Payers {
		p, item := &c.Account.Payers[i], c.itemOf(x)
		if p.Cards && p.cardAmount(x) > 0 && c.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount)) == group {
			return Title{Subject: x.Key, Brand: item.Brand, Product: item.Product, Amount: p.cardAmount(x)}, true
		}
	}
	return t, false
}

// SlipOf is the title that a slip is in the group with a subject; ok is false where it is none of it.
func (c *Conciliation) SlipOf(group string, x *ledger.CreditedSlip) (t Title, ok bool) {
	for i := range c.Account.Payers {
		p := &c.Account.Payers[i]
		item := p.slipItem(x)
		if p.Slips && c.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount)) == group {
			return Title{Subject: ledger.SlipSubject(x.Account, x.ID), Brand: match.SlipBrand, Amount: c.slipAmount(p, x)}, true
		}
	}
	return t, false
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

// Match holds both sides against each other, as of a day, payer by payer.
func (c *Conciliation) Match(asOf ledger.Date) []PayerResult {
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
	return out
}

// Bridge leads, month by month, from what the service says it paid into the bank account to what the bank booked of it.
func (c *Conciliation) Bridge(all []PayerResult) []match.BridgeMonth {
	results, rows := make([]*match.Result, len(all)), make([][]match.Row, len(all))
	for i := range all {
		results[i], rows[i] = all[i].Result, all[i].Rows
	}
	closed := make([]match.ClosedDay, len(c.closed))
	for i, d := range c.closed {
		closed[i] = match.ClosedDay{BankDay: match.BankDay(c.Calendar, d.Day), Received: d.Expected, Booked: d.Booked}
	}
	return match.Bridge(results, rows, closed...)
}

// Proven is how much of what was expected up to a day came to the cent.
func (c *Conciliation) Proven(all []PayerResult, to ledger.Date) (proven, of ledger.Amount) {
	for i := range all {
		a, b := all[i].Proven(to, all[i].Rows)
		proven, of = proven+a, of+b
	}
	for _, d := range c.closed {
		if match.BankDay(c.Calendar, d.Day) <= to {
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
