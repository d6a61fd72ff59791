package bank

import (
	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// AddOverdue takes what the service should have credited and says it did not: the unresolved case of an installment or slip, with the amount
// that it is about and, of a slip, the due date by which its tariff is found. A credit that nothing explains may be it.
func (c *Conciliation) AddOverdue(f *ledger.Finding, isSlip bool) {
	if !f.Impact.OK {
		return
	}
	if c.overdue == nil {
		c.overdue = map[ledger.Amount][]string{}
	}
	amounts := map[ledger.Amount]bool{}
	for i := range c.Account.Payers {
		switch p := &c.Account.Payers[i]; {
		case isSlip && p.Slips && p.NetOfTariff:
			amounts[f.Impact.V.Rounded(ledger.HalfAwayFromZero)-c.tariffOf(&banking.CreditedSlip{Account: f.Account, Due: f.Day}).V] = true
		case isSlip && p.Slips, !isSlip && p.Cards:
			amounts[f.Impact.V.Rounded(ledger.HalfAwayFromZero)] = true
		}
	}
	for a := range amounts {
		c.overdue[a] = append(c.overdue[a], f.Subject)
	}
}

// HasUnexpected reports whether a credit is left that nothing is.
func (m *Matched) HasUnexpected() bool {
	for i := range m.Results {
		for n := range m.Results[i].Rows {
			if m.Results[i].Rows[n].Status == match.Unexpected {
				return true
			}
		}
	}
	return false
}

// equalTo is the only thing that a credit left equals: a group that is missing, or an installment or slip whose credit is overdue. It is
// empty where there is none, or more than one.
func (m *Matched) equalTo(r *PayerResult, row *match.Row) string {
	if row.Status != match.Unexpected {
		return ""
	}
	e, overdue := r.Explain(row), m.overdue[row.Credited]
	switch {
	case e.Several || e.Group >= 0 && len(overdue) > 0 || len(overdue) > 1:
		return ""
	case e.Group >= 0:
		return m.GroupSubject(r.Payer, &r.Groups[e.Group])
	case len(overdue) == 1:
		return overdue[0]
	}
	return ""
}
