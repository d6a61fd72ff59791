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

// AddPeriodTotals adds an account's operation period to t as of a run: cards as reconciles kept them of each sale day, slips as the
// ledger sums them. known are sums of the run that were asked for before; nil: none. u is the profile's reading of rates.
func AddPeriodTotals(
	ctx context.Context, l *store.Ledger, known *RunSums, u ledger.Unit, t *report.Totals, a ledger.Account, p ledger.Period, asOfRun string,
) error {
	q := reports.Query{Account: a, Basis: string(report.ByOperation), Period: p, AsOfRun: asOfRun}
	cards, err := l.CardTotals(ctx, q)
	if err != nil {
		return fmt.Errorf("totals of cards: %w", err)
	}
	slips, err := sumSlips(ctx, l, known, u, q)
	if err == nil {
		t.Add(report.Totals{Cards: newCardTotals(&cards), Slips: slips})
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
	slips, err := sumSlips(ctx, l, known, u, q)
	if err != nil {
		return report.Totals{}, err
	}
	return report.Totals{Cards: newCardTotals(&cards), Slips: slips}.Of(kinds), nil
}

// newCardTotals takes totals from the sums of a summary.
func newCardTotals(sums *reports.Sums) *report.CardTotals {
	of := func(column string) ledger.Amount { return ledger.Amount(sums.Columns[column]) }
	return &report.CardTotals{
		Gross: of("gross"), NetExpected: of("net_expected"), NetContract: of("net_contract"), Received: of("received"),
		NotDue: of("not_due"), Overdue: of("overdue"), Blocked: of("blocked"), Difference: of("difference"),
		CancelledGross: of("cancelled_gross"), CancelledReceived: of("cancelled_received"),
	}
}

// sumSlips are the totals of the slips that a query chooses.
func sumSlips(ctx context.Context, l *store.Ledger, known *RunSums, u ledger.Unit, q reports.Query) (*report.SlipTotals, error) {
	sums, err := known.Sum(ctx, l, q, "slips-summary", u)
	if err != nil {
		return nil, fmt.Errorf("totals of slips: %w", err)
	}
	of := func(column string) ledger.Amount { return ledger.Amount(sums.Columns[column]) }
	return &report.SlipTotals{
		Issued: of("issued"), Paid: of("paid"), Credited: of("credited"), NotCredited: of("not_credited"),
		CreditOverdue: of("credit_overdue"), Overdue: of("overdue"), Difference: of("difference"), ChargesToConfirm: of("charges_to_confirm"),
	}, nil
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
