package report

import (
	"concilia/export/table"
	"concilia/store/ledger"
)

// Identity is one equation of a set's totals, with its residual.
type Identity struct {
	Name    string        // stable
	Formula string        // as people read it
	Table   string        // id of the table under whose totals the workbook shows it; empty: under none
	Printed ledger.Amount // residual of the printed totals: what rounding left over
	Exact   ledger.Amount // residual at four decimals; anything but 0 refuses the set
}

// totalIdentities are the identities of the summary.
func (l *summaryLine) totalIdentities(netOfSplits bool) []Identity {
	part, formula := table.Money{}, "gross - mdr - transaction_fee - antifraud_fee - anticipation_cost - other_adjustments = net_expected"
	if netOfSplits {
		part = l.splits
		formula = "gross - mdr - transaction_fee - antifraud_fee - anticipation_cost - other_adjustments - splits = net_expected"
	}
	keptFormula, paidOut := "net_kept = received - splits_received", l.splitsReceived
	if netOfSplits {
		keptFormula, paidOut = "net_kept = received", table.Money{}
	}
	return PlaceUnderTable(SummaryTable, []Identity{
		NewIdentity("gross_to_net", formula, l.gross, NegateMoney(l.mdr), NegateMoney(l.fee), NegateMoney(l.antifraud), NegateMoney(l.anticipation), NegateMoney(l.adjusted), NegateMoney(part),
			NegateMoney(l.net)),
		NewIdentity("net_by_standing", "net_expected = received + not_due + overdue + blocked + short - over",
			l.net, NegateMoney(l.received), NegateMoney(l.notDue), NegateMoney(l.overdue), NegateMoney(l.blocked), NegateMoney(l.short), l.over),
		NewIdentity("net_kept", keptFormula, l.netKept(netOfSplits), NegateMoney(l.received), paidOut),
		NewIdentity("overcharge", "overcharge = net_contract - net_expected", l.overcharge, NegateMoney(l.contract), l.net),
		NewIdentity("difference", "difference = overcharge + short - over", l.difference, NegateMoney(l.overcharge), NegateMoney(l.short), l.over),
		NewIdentity("difference_by_standing", "difference = net_contract - received - not_due - overdue - blocked",
			l.difference, NegateMoney(l.contract), l.received, l.notDue, l.overdue, l.blocked),
	})
}

// totalIdentities are those of the slips.
func (l *slipLine) totalIdentities() []Identity {
	return PlaceUnderTable(SlipDaysTable, []Identity{
		NewIdentity("issued", "issued = open + overdue + cancelled + failed + paid_face",
			l.issued, NegateMoney(l.open), NegateMoney(l.overdue), NegateMoney(l.cancelled), NegateMoney(l.failed), NegateMoney(l.paidFace)),
		NewIdentity("paid", "paid = credited + not_credited + credit_overdue",
			l.paid, NegateMoney(l.credited), NegateMoney(l.notCredited), NegateMoney(l.creditOverdue)),
		NewIdentity("paid_short_and_over", "slips-summary.difference = slips-summary.short - slips-summary.over",
			l.difference, NegateMoney(l.short), l.over),
	})
}

// NegateMoney turns the sign of an amount.
func NegateMoney(m table.Money) table.Money { return table.Money{Printed: -m.Printed, Exact: -m.Exact} }

// SumMoney adds amounts up.
func SumMoney(all ...table.Money) (sum table.Money) {
	for i := range all {
		sum.Merge(&all[i])
	}
	return sum
}

// NewIdentity returns an identity of terms that should add up to 0.
func NewIdentity(name, formula string, terms ...table.Money) Identity {
	i := Identity{Name: name, Formula: formula}
	for _, t := range terms {
		i.Printed += t.Printed
		i.Exact += t.Exact
	}
	return i
}

// PlaceUnderTable sets the table that shows the identities.
func PlaceUnderTable(t *table.Table, all []Identity) []Identity {
	for i := range all {
		all[i].Table = t.ID
	}
	return all
}
