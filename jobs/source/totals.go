package source

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// PublishedMonths are the operation months that a night publishes: that of the day before asOf and the one before it, newest first,
// clipped to what is answered for.
func PublishedMonths(asOf, since ledger.Date) []ledger.Period {
	var out []ledger.Period
	last := asOf - 1
	for _, from := range []ledger.Date{last.MonthStart(), (last.MonthStart() - 1).MonthStart()} {
		p := ledger.Period{From: max(from, since), To: from.MonthEnd()}
		if p.From <= p.To && p.From <= last {
			out = append(out, p)
		}
	}
	return out
}

// AddPeriodTotals adds an account's operation period to t as the ledger sums it now, or as of a past run. known
// are sums of the run that were asked for before; nil: none. u is the profile's reading of
// rates.
func AddPeriodTotals(
	ctx context.Context, l *store.Ledger, known *RunSums, u ledger.Unit, t *report.Totals, a ledger.Account, p ledger.Period, asOfRun string,
) error {
	sums, err := SumSet(ctx, l, known, u, reports.Query{Account: a, Basis: string(report.ByOperation), Period: p, AsOfRun: asOfRun},
		[]report.Kind{report.SummaryKind, report.SlipsKind})
	if err == nil {
		t.Add(sums)
	}
	return err
}

// SumSet are the totals of a set of one account, of its sides that files of those kinds have the rows of.
func SumSet(
	ctx context.Context, l *store.Ledger, known *RunSums, u ledger.Unit, q reports.Query, kinds []report.Kind,
) (report.Totals, error) {
	cards, err := known.Sum(ctx, l, q, "summary", u)
	if err != nil {
		return report.Totals{}, fmt.Errorf("totals of cards: %w", err)
	}
	slips, err := known.Sum(ctx, l, q, "slips-summary", u)
	if err != nil {
		return report.Totals{}, fmt.Errorf("totals of slips: %w", err)
	}
	card := func(column string) ledger.Amount { return ledger.Amount(cards.Columns[column]) }
	slip := func(column string) ledger.Amount { return ledger.Amount(slips.Columns[column]) }
	sums := report.Totals{
		Cards: &report.CardTotals{
			Gross: card("gross"), NetExpected: card("net_expected"), NetContract: card("net_contract"),
			Received: card("received"), NotDue: card("not_due"), Overdue: card("overdue"), Blocked: card("blocked"),
			Difference: card("difference"), CancelledGross: card("cancelled_gross"),
			CancelledReceived: card("cancelled_received"),
		},
		Slips: &report.SlipTotals{
			Issued: slip("issued"), Paid: slip("paid"), Credited: slip("credited"), NotCredited: slip("not_credited"),
			CreditOverdue: slip("credit_overdue"), Overdue: slip("overdue"),
			Difference: slip("difference"), ChargesToConfirm: slip("charges_to_confirm"),
		},
	}
	return sums.Of(kinds), nil
}

// NameTotals are the totals by the names that run records keep them under; nil when there are none.
func NameTotals(t *report.Totals) map[string]ledger.Amount {
	if t == nil || t.Cards == nil && t.Slips == nil {
		return nil
	}
	sums := map[string]ledger.Amount{}
	if c := t.Cards; c != nil {
		sums["cards.gross"], sums["cards.net_expected"], sums["cards.net_contract"] = c.Gross, c.NetExpected, c.NetContract
		sums["cards.received"], sums["cards.not_due"], sums["cards.overdue"] = c.Received, c.NotDue, c.Overdue
		sums["cards.blocked"], sums["cards.difference"] = c.Blocked, c.Difference
		sums["cards.cancelled_gross"], sums["cards.cancelled_received"] = c.CancelledGross, c.CancelledReceived
	}
	if b := t.Slips; b != nil {
		sums["slips.issued"], sums["slips.paid"], sums["slips.credited"] = b.Issued, b.Paid, b.Credited
		sums["slips.overdue"], sums["slips.difference"] = b.Overdue, b.Difference
		sums["slips.charges_to_confirm"] = b.ChargesToConfirm
	}
	return sums
}
