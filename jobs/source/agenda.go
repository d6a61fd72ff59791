package source

import (
	"context"

	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// agendaRollTable is the agenda's second table.
const agendaRollTable = "agenda-roll"

// forEachAgenda runs fn once per account with the query of what was to come when the run had reconciled.
func (f *ReportSource) forEachAgenda(fn func(reports.Query) error) error {
	return f.forEachState(func(s reports.StateQuery) error {
		return fn(reports.Query{Account: s.Account, AsOfRun: s.AsOfRun, Brands: s.Brands, Classes: f.Query.Classes})
	})
}

// Agenda and AgendaRoll are the parts of report.RowSource that only the agenda asks for.
func (f *ReportSource) Agenda(ctx context.Context, yield func(*report.AgendaRow) error) error {
	read := reports.Agenda{NetOfSplits: f.State.NetOfSplits}
	return f.forEachAgenda(func(q reports.Query) error {
		days := f.Calendar(q.Account)
		row := report.AgendaRow{Account: q.Account}
		return f.Ledger.AgendaItems(ctx, q, read, func(i *ledger.AgendaItem) error {
			row.AgendaItem, row.Adjusted = *i, 0
			if i.Forecast != 0 {
				row.Adjusted = days.NextBusinessDay(calendar.Settles, i.Forecast)
			}
			row.Anticipated = i.Anticipating || f.State.isAnticipated(i.ReceivedType)
			return yield(&row)
		})
	})
}

func (f *ReportSource) AgendaRoll(ctx context.Context, yield func(*report.AgendaMovement) error) error {
	return f.forEachAgenda(func(q reports.Query) error {
		span, err := f.Ledger.AgendaSpan(ctx, q.Account, f.State.AsOf, f.Query.AsOfRun)
		if err != nil {
			return err
		}
		move := report.AgendaMovement{Account: q.Account, Since: span.Since}
		return f.Ledger.AgendaRoll(ctx, q.Account, span, q.Brands, func(c *ledger.Continuity) error {
			move.Continuity = *c
			return yield(&move)
		})
	})
}
