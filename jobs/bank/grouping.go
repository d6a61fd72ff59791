package bank

import (
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Terms are the documents by which lines and what the service says it paid are read.
type Terms struct {
	Mapping   *agreements.Mapping
	Contracts *agreements.Contracts
	Calendar  *calendar.Calendar
	// Settings change the rules on bank accounts.
	Settings rules.Settings
}

// Grouping says how what the service says about a bank account is read: in which group an installment or slip is expected, with how much, and
// what was taken back of it. What a payer pays together is one group.
type Grouping struct {
	Account *Account
	Terms
	// Home is the account under which the bank account's rows are.
	Home ledger.Account
}

// NewGrouping reads by the documents t.
func NewGrouping(a *Account, home ledger.Account, t Terms) Grouping {
	return Grouping{Account: a, Terms: t, Home: home}
}

// GroupOfInstallment names the group in which an installment is expected; empty: no payer pays it.
func (g *Grouping) GroupOfInstallment(x *banking.CreditedInstallment) string {
	for i := range g.Account.Payers {
		if p := &g.Account.Payers[i]; p.Cards && p.cardAmount(x) > 0 {
			item := g.itemOf(x)
			return g.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount))
		}
	}
	return ""
}

// GroupOfSlip names the group in which a slip is expected; empty: no payer pays it.
func (g *Grouping) GroupOfSlip(x *banking.CreditedSlip) string {
	for i := range g.Account.Payers {
		if p := &g.Account.Payers[i]; p.Slips {
			item := p.slipItem(x)
			return g.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount))
		}
	}
	return ""
}

// Title is an installment or slip of a group, with what is expected of it.
type Title struct {
	Subject        string
	Brand, Product string
	Amount         ledger.Amount
}

// InstallmentOf is the title that an installment is in the group with a subject; ok is false where it is none of it.
func (g *Grouping) InstallmentOf(group string, x *banking.CreditedInstallment) (t Title, ok bool) {
	for i := range g.Account.Payers {
		p, item := &g.Account.Payers[i], g.itemOf(x)
		if p.Cards && p.cardAmount(x) > 0 && g.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount)) == group {
			return Title{Subject: x.Key, Brand: item.Brand, Product: item.Product, Amount: p.cardAmount(x)}, true
		}
	}
	return t, false
}

// SlipOf is the title that a slip is in the group with a subject; ok is false where it is none of it.
func (g *Grouping) SlipOf(group string, x *banking.CreditedSlip) (t Title, ok bool) {
	for i := range g.Account.Payers {
		p := &g.Account.Payers[i]
		item := p.slipItem(x)
		if p.Slips && g.groupSubject(p.Name, match.KeyOf(&item, p.Grain, p.PerAccount)) == group {
			return Title{Subject: ledger.SlipSubject(x.Account, x.ID), Brand: match.SlipBrand, Amount: g.slipAmount(p, x)}, true
		}
	}
	return t, false
}

// GroupSubject names a group.
func (g *Grouping) GroupSubject(payer string, of *match.Group) string {
	return g.groupSubject(payer, of.Key)
}

func (g *Grouping) groupSubject(payer, key string) string {
	day, rest, found := strings.Cut(key, ":")
	if found {
		rest = ":" + rest
	}
	return ledger.Subject("group", g.Home, g.Account.ID, day, payer) + rest
}

// itemOf is what an installment is summed with.
func (g *Grouping) itemOf(x *banking.CreditedInstallment) match.Item {
	return match.Item{Day: x.Day, Account: x.Account, Brand: g.brandOf(x), Product: g.productOf(x)}
}

func (g *Grouping) brandOf(x *banking.CreditedInstallment) string {
	if brand, known := g.Mapping.Brand(x.Brand); known {
		return brand
	}
	return strings.ToLower(x.Brand)
}

func (g *Grouping) productOf(x *banking.CreditedInstallment) string {
	if product, known := g.Mapping.Product(x.Product); known {
		return string(product)
	}
	return strings.ToLower(x.Product)
}

// slipItem is what a slip is summed with.
func (p *Payer) slipItem(x *banking.CreditedSlip) match.Item {
	item := match.Item{Day: x.Day, Account: x.Account, Brand: match.SlipBrand}
	if p.Grain == match.Slip {
		item.Slip = x.ID
	}
	return item
}

// cardAmount is what is expected of an installment.
func (p *Payer) cardAmount(x *banking.CreditedInstallment) ledger.Amount {
	return x.Amount.Rounded(ledger.HalfAwayFromZero) - p.splitsOf(x)
}

// splitsOf are what of an installment leaves before the credit.
func (p *Payer) splitsOf(x *banking.CreditedInstallment) ledger.Amount {
	if p.NetOfSplits {
		return x.Splits
	}
	return 0
}

// slipAmount is what is expected of a slip.
func (g *Grouping) slipAmount(p *Payer, x *banking.CreditedSlip) ledger.Amount {
	amount := x.Paid
	if p.NetOfTariff {
		amount -= g.tariffOf(x).V
	}
	return amount.Rounded(ledger.HalfAwayFromZero)
}

// tariffOf is the agreed tariff of a slip.
func (g *Grouping) tariffOf(x *banking.CreditedSlip) ledger.Opt[ledger.Amount] {
	return g.Contracts.FindSlipTerms(x.Account, x.Due).Tariff
}
