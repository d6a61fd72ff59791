package source

import (
	"context"

	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// toConcludedQuery asks for the bank accounts whose home is the account of a query.
func toConcludedQuery(q reports.Query) bank.Concluded {
	return bank.Concluded{Home: q.Account, Run: q.AsOfRun, Period: q.Period}
}

// Deposits and BankDays are methods of report.RowSource.
func (f *ReportSource) Deposits(ctx context.Context, yield func(*ledger.Deposit) error) error {
	return f.forEachAccount(func(q reports.Query) error { return f.Ledger.Deposits(ctx, toConcludedQuery(q), yield) })
}

func (f *ReportSource) BankDays(ctx context.Context, yield func(*ledger.SeenBankDay) error) error {
	return f.forEachAccount(func(q reports.Query) error { return f.Ledger.SeenBankDays(ctx, toConcludedQuery(q), yield) })
}

// sumBank are the ledger's own sums of a table of bank accounts.
func (f *ReportSource) sumBank(ctx context.Context, table string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	sum := f.Ledger.SeenDaySums
	if table == othersides.BankTable.ID {
		sum = f.Ledger.DepositSums
	}
	err := f.forEachAccount(func(q reports.Query) error {
		rows, columns, err := sum(ctx, toConcludedQuery(q))
		out.Rows += rows
		for id, n := range columns {
			out.Columns[id] += n
		}
		return err
	})
	return out, err
}
