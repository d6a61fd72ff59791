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

// cardIdentities are those of the summary.
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
	return placeUnderTable(SummaryTable, []Identity{
		newIdentity("gross_to_net", formula, l.gross, negateMoney(l.mdr), negateMoney(l.fee), negateMoney(l.antifraud), negateMoney(l.anticipation), negateMoney(l.adjusted), negateMoney(part),
			negateMoney(l.net)),
		newIdentity("net_by_standing", "net_expected = received + not_due + overdue + blocked + short - over",
			l.net, negateMoney(l.received), negateMoney(l.notDue), negateMoney(l.overdue), negateMoney(l.blocked), negateMoney(l.short), l.over),
		newIdentity("net_kept", keptFormula, l.netKept(netOfSplits), negateMoney(l.received), paidOut),
		newIdentity("overcharge", "overcharge = net_contract - net_expected", l.overcharge, negateMoney(l.contract), l.net),
		newIdentity("difference", "difference = overcharge + short - over", l.difference, negateMoney(l.overcharge), negateMoney(l.short), l.over),
		newIdentity("difference_by_standing", "difference = net_contract - received - not_due - overdue - blocked",
			l.difference, negateMoney(l.contract), l.received, l.notDue, l.overdue, l.blocked),
	})
}

// totalIdentities are those of the slips.
func (l *slipLine) totalIdentities() []Identity {
	return placeUnderTable(SlipDaysTable, []Identity{
		newIdentity("issued", "issued = open + overdue + cancelled + failed + paid_face",
			l.issued, negateMoney(l.open), negateMoney(l.overdue), negateMoney(l.cancelled), negateMoney(l.failed), negateMoney(l.paidFace)),
		newIdentity("paid", "paid = credited + not_credited + credit_overdue",
			l.paid, negateMoney(l.credited), negateMoney(l.notCredited), negateMoney(l.creditOverdue)),
		newIdentity("paid_short_and_over", "slips-summary.difference = slips-summary.short - slips-summary.over",
			l.difference, negateMoney(l.short), l.over),
	})
}

func negateMoney(m table.Money) table.Money { return table.Money{Printed: -m.Printed, Exact: -m.Exact} }

// sumMoney adds amounts up.
func sumMoney(all ...table.Money) (sum table.Money) {
	for i := range all {
		sum.Merge(&all[i])
	}
	return sum
}

// newIdentity returns an identity of terms that should add up to 0.
func newIdentity(name, formula string, terms ...table.Money) Identity {
	i := Identity{Name: name, Formula: formula}
	for _, t := range terms {
		i.Printed += t.Printed
		i.Exact += t.Exact
	}
	return i
}

// placeUnderTable sets the table that shows the identities.
func placeUnderTable(t *table.Table, all []Identity) []Identity {
	for i := range all {
		all[i].Table = t.ID
	}
	return all
}
