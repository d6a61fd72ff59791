package source

import (
	"context"

	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/reports"
)

// addBankSums adds to the sums of a summary what came to the bank of its rows.
func (set tableSums) addBankSums(ctx context.Context, side banking.CreditSide, to report.Sums) error {
	to.Columns["bank_credited"], to.Columns["bank_difference"] = 0, 0
	return bankReader(set).eachPaid(ctx, side, func(q reports.Query, p bank.PaidAt) error {
		expected, credited, err := set.Ledger.SumBankCredits(ctx, creditsAsked(q, p))
		to.Columns["bank_credited"] += int64(credited)
		to.Columns["bank_difference"] += int64(expected - credited)
		return err
	})
}

// sumBank are the ledger's own sums of a table of bank accounts.
func (set tableSums) sumBank(ctx context.Context, table string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	sum := set.Ledger.SeenDaySums
	if table == othersides.BankTable.ID {
		sum = set.Ledger.DepositSums
	}
	err := set.forEachAccount(func(q reports.Query) error {
		rows, columns, err := sum(ctx, toConcludedQuery(q))
		out.Rows += rows
		for id, n := range columns {
			out.Columns[id] += n
		}
		return err
	})
	return out, err
}

// sumService is the ledger's own sum of the service's rows of a month.
func (set tableSums) sumService(ctx context.Context, q reports.Query) (ledger.Amount, error) {
	q.Classes = liveCards
	cards, err := set.Ledger.Sums(ctx, q, string(report.InstallmentsKind), set.Unit)
	if err != nil {
		return 0, err
	}
	q.Classes, q.Basis = paidSlips, string(report.ByPayment)
	slips, err := set.Ledger.Sums(ctx, q, string(report.SlipsKind), set.Unit)
	return ledger.Amount(cards.Columns["gross"] + slips.Columns["paid_value"]), err
}

// sumSales are the ledger's own sums of a table of stores.
func (set tableSums) sumSales(ctx context.Context, table string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	sum := set.Ledger.SumOwnMatches
	switch table {
	case othersides.SalesDaysTable.ID:
		sum = set.Ledger.SumOwnDays
	case othersides.EFDTable.ID:
		sum = set.Ledger.SumOwnMonths
	}
	err := set.forEachAccount(func(q reports.Query) error {
		s, err := sum(ctx, toOwnQuery(q))
		out.Rows += s.Rows
		for id, n := range s.Columns {
			out.Columns[id] += n
		}
		return err
	})
	if err != nil || table != othersides.EFDTable.ID {
		return out, err
	}
	out.Columns["service_total"], out.Columns["difference"] = 0, 0
	return out, shopReader(set).forEachOwnMonth(ctx, set.sumService, func(m *report.EFDMonth) error {
		out.Columns["service_total"] += int64(m.ServiceTotal.V)
		out.Columns["difference"] += int64(m.Difference().V)
		return nil
	})
}
