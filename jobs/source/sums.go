package source

import (
	"context"
	"strings"

	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/ledger/banking"
	"concilia/store/reports"
)

// tableSums are the ledger's own sums of the tables of a set: what the rows of the source have to add up to. They are
// queries of their own, so that a row that is lost or counted twice shows.
type tableSums struct{ *Set }

// sumTable sums one table, named by its kind or its own id.
func (set tableSums) sumTable(ctx context.Context, table string) (report.Sums, error) {
	switch table {
	case string(report.ExceptionsKind), string(report.AgingKind):
		return set.sumState(ctx, table)
	case string(report.RecoveriesKind):
		return set.sumRecoveries(ctx)
	case string(report.ForecastKind):
		return set.sumForecast(ctx)
	case string(report.BankKind), othersides.BankDaysTable.ID:
		return set.sumBank(ctx, table)
	case string(report.SalesKind), othersides.SalesDaysTable.ID, string(report.EFDKind):
		return set.sumSales(ctx, table)
	case string(report.MonthKind):
		return set.sumMonth(ctx)
	case string(report.AgendaKind), agendaRollTable:
		return set.sumAgenda(ctx, table)
	case string(report.JournalKind), journalEntries, journalPairs:
		return set.sumJournal(ctx, table)
	case string(report.CardEventsKind), string(report.SlipEventsKind):
		return set.sumEvents(ctx, table)
	case string(report.CardEventsKind) + titlesOf, string(report.SlipEventsKind) + titlesOf:
		return set.sumEventTitles(ctx, strings.TrimSuffix(table, titlesOf))
	}
	out := report.Sums{Columns: map[string]int64{}}
	err := set.forEachAccount(func(q reports.Query) error {
		s, err := set.Known.Sum(ctx, set.Ledger, q, table, set.Unit)
		if err != nil {
			return err
		}
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return nil
	})
	if err == nil && set.Query.Basis == string(report.ByCredit) {
		switch table {
		case string(report.SummaryKind):
			err = set.addBankSums(ctx, banking.CreditedCards, out)
		case report.SlipDaysTable.ID:
			err = set.addBankSums(ctx, banking.CreditedSlips, out)
		}
	}
	return out, err
}
