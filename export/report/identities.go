package report

import (
	"concilia/export/table"
	"concilia/store/ledger"
)

// Identity is one equation that a set's totals obey, with what is left over of it.
type Identity struct {
	Name    string        // stable
	Formula string        // as people read it
	Table   string        // id of the table under whose totals the workbook shows it; empty: under none
	Printed ledger.Amount // residual of the printed totals: what rounding left over
	Exact   ledger.Amount // residual at four decimals; anything but 0 refuses the set
}

// cardIdentities are those of the summary.
func (l *summaryLine) identities(netOfSplits bool) []Identity {
	part, formula := table.Money{}, "gross - mdr - transaction_fee - antifraud_fee - anticipation_cost - other_adjustments = net_expected"
	if netOfSplits {
		part = l.splits
		formula = "gross - mdr - transaction_fee - antifraud_fee - anticipation_cost - other_adjustments - splits = net_expected"
	}
	keptFormula, paidOut := "net_kept = received - splits_received", l.splitsReceived
	if netOfSplits {
		keptFormula, paidOut = "net_kept = received", table.Money{}
	}
	return underTable(SummaryTable, []Identity{
		identity("gross_to_net", formula, l.gross, neg(l.mdr), neg(l.fee), neg(l.antifraud), neg(l.anticipation), neg(l.adjusted), neg(part),
			neg(l.net)),
		identity("net_by_standing", "net_expected = received + not_due + overdue + blocked + short - over",
			l.net, neg(l.received), neg(l.notDue), neg(l.overdue), neg(l.blocked), neg(l.short), l.over),
		identity("net_kept", keptFormula, l.kept(netOfSplits), neg(l.received), paidOut),
		identity("overcharge", "overcharge = net_contract - net_expected", l.overcharge, neg(l.contract), l.net),
		identity("difference", "difference = overcharge + short - over", l.difference, neg(l.overcharge), neg(l.short), l.over),
		identity("difference_by_standing", "difference = net_contract - received - not_due - overdue - blocked",
			l.difference, neg(l.contract), l.received, l.notDue, l.overdue, l.blocked),
	})
}

// identities are those of the slips.
func (l *slipLine) identities() []Identity {
	return underTable(SlipDaysTable, []Identity{
		identity("issued", "issued = open + overdue + cancelled + failed + paid_face",
			l.issued, neg(l.open), neg(l.overdue), neg(l.cancelled), neg(l.failed), neg(l.paidFace)),
		identity("paid", "paid = credited + not_credited + credit_overdue",
			l.paid, neg(l.credited), neg(l.notCredited), neg(l.creditOverdue)),
		identity("paid_short_and_over", "slips-summary.difference = slips-summary.short - slips-summary.over",
			l.difference, neg(l.short), l.over),
	})
}

func neg(m table.Money) table.Money { return table.Money{Printed: -m.Printed, Exact: -m.Exact} }

// identity adds terms that should leave nothing.
func identity(name, formula string, terms ...table.Money) Identity {
	i := Identity{Name: name, Formula: formula}
	for _, t := range terms {
		i.Printed += t.Printed
		i.Exact += t.Exact
	}
	return i
}

// underTable names the table that shows the identities.
func underTable(t *table.Table, all []Identity) []Identity {
	for i := range all {
		all[i].Table = t.ID
	}
	return all
}
