package bank

import (
	"maps"
	"slices"

	"concilia/jobs/bank/match"
	"concilia/jobs/rules"
	"concilia/jobs/rules/deposits"
	"concilia/store/ledger"
)

// rentalName names the debit for the terminals of a month.
const rentalName = "rental"

// rental is what is agreed for the terminals of an account in a month.
type rental struct {
	each      ledger.Amount
	terminals int
}

// RentedMonths are the months of the period in which a rental is agreed with an account whose cards are paid: what it comes to
// follows from the terminals that sold in the month before.
func (c *Conciliation) RentedMonths(a ledger.Account) (months []ledger.Date) {
	period := c.Period()
	if period.From == 0 || c.Contracts == nil || !slices.ContainsFunc(c.Account.Payers, func(p Payer) bool { return p.Cards }) {
		return nil
	}
	for month := period.From.MonthStart(); month <= period.To; month = month.MonthEnd() + 1 {
		if k, ok := c.Contracts.FindContract(a, month); ok && k.Rental.V > 0 {
			months = append(months, month)
		}
	}
	return months
}

// AddTerminals says by which terminals an account sold in the month before a rented one: each with the statuses of its sales. One whose
// sales were all taken back is not rented.
func (c *Conciliation) AddTerminals(a ledger.Account, month ledger.Date, statuses map[string][]string) {
	k, ok := c.Contracts.FindContract(a, month)
	if !ok {
		return
	}
	r := rental{each: k.Rental.V}
	for _, of := range statuses {
		if slices.ContainsFunc(of, c.isLive) {
			r.terminals++
		}
	}
	if c.rentals == nil {
		c.rentals = map[accountDay]rental{}
	}
	c.rentals[accountDay{month, a}] = r
}

func (g *Grouping) isLive(status string) bool {
	class, known := g.Mapping.Status(status)
	return !known || !class.IsReversal()
}

// rentalOf is what is agreed for the terminals of an account in a month, whole cents.
func (c *Conciliation) rentalOf(a ledger.Account, month ledger.Date) ledger.Amount {
	r := c.rentals[accountDay{month, a}]
	return (r.each * ledger.Amount(r.terminals)).Rounded(ledger.HalfAwayFromZero)
}

// evaluateRentals evaluates, month by month, what was taken as rental, or as a multiple of it.
func (ev *evaluator) evaluateRentals(r *PayerResult) {
	found := map[ledger.Date]ledger.Amount{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if len(row.Lines) == 0 {
			continue
		}
		month := r.Lines[row.Lines[len(row.Lines)-1]].BankDay.MonthStart()
		for _, d := range row.DebitsOf {
			if r.Debits[d].Name == rentalName {
				found[month] += r.Debits[d].Amount
			}
		}
		rest := ledger.Amount(0)
		switch {
		case row.Status == match.Differs:
			rest = row.Difference()
		case row.Status == match.DebitLine && !row.Matched:
			rest = -row.Credited
		}
		if _, n := ev.countRentals(rest, month); n > 0 {
			found[month] += rest
		}
	}
	for _, month := range slices.Sorted(maps.Keys(found)) {
		expected, terminals := ledger.Amount(0), 0
		for _, a := range ev.Account.Accounts {
			expected += ev.rentalOf(a, month)
			terminals += ev.rentals[accountDay{month, a}].terminals
		}
		o := deposits.EvaluateRental(found[month], expected, terminals, ev.toleranceOf(deposits.RentalMismatch))
		o.Numbers = append(o.Numbers, rules.NamedText("month", rules.Month(month)))
		ev.addComplete(deposits.RentalMismatch, ledger.Subject("month", ev.Home, rules.Month(month), ev.sourceName(), r.Payer), o, about{day: month})
	}
}

// countRentals says of how many terminals an amount is the rental, and what that of one is; 0: of none.
func (ev *evaluator) countRentals(a ledger.Amount, month ledger.Date) (each ledger.Amount, n int) {
	for _, of := range ev.Account.Accounts {
		if each := ev.rentals[accountDay{month, of}].each; each > 0 && a > 0 && a%each == 0 {
			return each, int(a / each)
		}
	}
	return 0, 0
}

// namedRentals are the numbers of a sentence that say of how many terminals an amount is the rental; of none there are none.
func (ev *evaluator) namedRentals(a ledger.Amount, day ledger.Date) []ledger.Number {
	each, n := ev.countRentals(a, day.MonthStart())
	if n == 0 {
		return nil
	}
	return []ledger.Number{rules.NamedCount("rentals", n), rules.NamedAmount("rental", each)}
}
