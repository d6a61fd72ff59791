package jobs

import (
	"context"

	"concilia/export"
	"concilia/jobs/calendar"
	"concilia/jobs/terms"
	"concilia/store"
	"concilia/store/ledger"
)

// agendaRoll is the agenda's second table.
const agendaRoll = "agenda-roll"

// readings are how the rows of an agenda are read beyond what was kept of them.
type readings struct {
	mapping     *terms.Mapping
	netOfSplits bool
}

// early says whether a received type, as sent, is one of the anticipated.
func (r readings) early(sent string) bool {
	kind, _ := r.mapping.ReceivedType(sent)
	return kind == ledger.Anticipated
}

// eachAgenda runs fn once per account with the query of what was to come when the run had reconciled.
func (f *feed) eachAgenda(fn func(store.Query) error) error {
	return f.eachState(func(s store.StateQuery) error {
		return fn(store.Query{Account: s.Account, AsOfRun: s.AsOfRun, Brands: s.Brands, Classes: f.query.Classes})
	})
}

// Agenda and AgendaRoll are the parts of export.Feed that only the agenda asks for.
func (f *feed) Agenda(ctx context.Context, yield func(*export.AgendaRow) error) error {
	read := store.Agenda{NetOfSplits: f.state.readings.netOfSplits}
	return f.eachAgenda(func(q store.Query) error {
		days := f.state.calendars(q.Account)
		row := export.AgendaRow{Account: q.Account}
		return f.ledger.AgendaItems(ctx, q, read, func(i *ledger.AgendaItem) error {
			row.AgendaItem, row.Adjusted = *i, 0
			if i.Forecast != 0 {
				row.Adjusted = days.Next(calendar.Settles, i.Forecast)
			}
			row.Anticipated = i.Anticipating || f.state.readings.early(i.ReceivedType)
			return yield(&row)
		})
	})
}

func (f *feed) AgendaRoll(ctx context.Context, yield func(*export.AgendaMove) error) error {
	return f.eachAgenda(func(q store.Query) error {
		span, err := f.ledger.AgendaSpan(ctx, q.Account, f.state.asOf, f.state.run)
		if err != nil {
			return err
		}
		move := export.AgendaMove{Account: q.Account, Since: span.Since}
		return f.ledger.AgendaRoll(ctx, q.Account, span, q.Brands, func(c *ledger.Continuity) error {
			move.Continuity = *c
			return yield(&move)
		})
	})
}

// agendaSums are the ledger's own sums of agenda or agenda-roll, of one account after the other.
func (f *feed) agendaSums(ctx context.Context, table string) (export.Sums, error) {
	out := export.Sums{Columns: map[string]int64{}}
	err := f.eachAgenda(func(q store.Query) error {
		s, err := f.agendaSumsOf(ctx, q, table)
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}

func (f *feed) agendaSumsOf(ctx context.Context, q store.Query, table string) (store.Sums, error) {
	if table == agendaRoll {
		span, err := f.ledger.AgendaSpan(ctx, q.Account, f.state.asOf, f.state.run)
		if err != nil {
			return store.Sums{}, err
		}
		return f.ledger.AgendaRollSums(ctx, q.Account, span, q.Brands)
	}
	sent, err := f.ledger.ReceivedTypes(ctx, q)
	if err != nil {
		return store.Sums{}, err
	}
	read := store.Agenda{NetOfSplits: f.state.readings.netOfSplits}
	for _, s := range sent {
		if f.state.readings.early(s) {
			read.Anticipated = append(read.Anticipated, s)
		}
	}
	return f.ledger.AgendaSums(ctx, q, read)
}
