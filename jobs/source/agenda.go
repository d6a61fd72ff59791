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
func (set *Set) forEachAgenda(fn func(reports.Query) error) error {
	return set.forEachState(func(s reports.StateQuery) error {
		return fn(reports.Query{Account: s.Account, AsOfRun: s.AsOfRun, Brands: s.Brands, Classes: set.Query.Classes})
	})
}

// agendaReader reads what a state set's accounts are owed and when it is to be credited.
type agendaReader struct{ *Set }

// Agenda and AgendaRoll are the parts of report.StateSource that only the agenda asks for.
func (r agendaReader) Agenda(ctx context.Context, yield func(*report.AgendaRow) error) error {
	read := reports.Agenda{NetOfSplits: r.State.NetOfSplits}
	return r.forEachAgenda(func(q reports.Query) error {
		days := r.Calendar(q.Account)
		row := report.AgendaRow{Account: q.Account}
		return r.Ledger.AgendaItems(ctx, q, read, func(i *ledger.AgendaItem) error {
			row.AgendaItem, row.Adjusted = *i, 0
			if i.Forecast != 0 {
				row.Adjusted = days.NextBusinessDay(calendar.Settles, i.Forecast)
			}
			row.Anticipated = i.Anticipating || r.State.isAnticipated(i.ReceivedType)
			return yield(&row)
		})
	})
}

func (r agendaReader) AgendaRoll(ctx context.Context, yield func(*report.AgendaMovement) error) error {
	return r.forEachAgenda(func(q reports.Query) error {
		span, err := r.Ledger.AgendaSpan(ctx, q.Account, r.State.AsOf, r.Query.AsOfRun)
		if err != nil {
			return err
		}
		move := report.AgendaMovement{Account: q.Account, Since: span.Since}
		return r.Ledger.AgendaRoll(ctx, q.Account, span, q.Brands, func(c *ledger.Continuity) error {
			move.Continuity = *c
			return yield(&move)
		})
	})
}
