package export

import (
	"context"
	"errors"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// fill passes over the rows that the kinds of the set take and writes their tables to staging.
func (r *rendering) fill(ctx context.Context) error {
	j := r.job
	set := &report.Set{
		Basis: j.Basis, AsOf: j.AsOf, Filter: j.Filter, Unit: j.Unit, NetOfSplits: j.NetOfSplits, Agreed: j.Agreed,
		Identified: j.Identified, Source: r.feed, Open: r.openRows,
		SummaryAlone: j.Account == AllAccounts,
	}
	if err := set.Begin(ctx, j.Kinds); err != nil {
		return err
	}
	r.set = set
	r.summary, _ = set.Content(report.SummaryKind).(*report.Summary)
	r.slipsByDay, _ = set.Content(report.SlipsKind).(*report.Slips)
	r.cases, _ = set.Content(report.ExceptionsKind).(*report.Exceptions)
	r.agenda, _ = set.Content(report.AgendaKind).(*report.Agenda)
	r.restated, _ = set.Content(report.RestatementKind).(*report.Restatement)
	if err := r.openTitles(); err != nil {
		return err
	}
	if r.summary != nil {
		set.AfterCards = r.keepCardRows
		r.takeCardRows()
	}
	identities, err := set.Fill(ctx, report.Intake{
		Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			r.causes.passCard(v, e)
			return r.titles.card(v, e)
		},
		Slip: func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			r.causes.passSlip(s, e)
			return r.keepSlip(s, e)
		},
	})
	if err != nil {
		return err
	}
	r.idents = identities
	for _, c := range set.Contents() {
		c.AddTotals(&r.result.Totals)
	}
	return r.closeTables()
}

// openTitles opens what keeps the titles of EDI files until they have their numbers.
func (r *rendering) openTitles() (err error) {
	if r.summary != nil {
		err = r.titleCards()
	}
	if err == nil && r.slipsByDay != nil {
		r.slips, err = newSpool[spooledSlip](r.path("slips.titles"))
	}
	return err
}

// openRows begins a table. Rows of a table with a column that is known only when something is written wait in staging.
func (r *rendering) openRows(t *table.Table) (report.Rows, error) {
	if !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }) {
		if err := r.open(t); err != nil {
			return nil, err
		}
		return r.tables[t.ID], nil
	}
	rows, err := newSpool[table.Row](r.path(t.ID + ".rows"))
	if err != nil {
		return nil, err
	}
	r.late = &lateRows{digest: table.NewDigester(t), rows: rows}
	r.tables[t.ID] = &tableFile{table: t, digest: r.late.digest}
	return r.late, nil
}

// lateRows keeps the rows of a table, and their digest, until the table can be written.
type lateRows struct {
	digest *table.Digester
	rows   *spool[table.Row]
}

// Write keeps a row.
func (w *lateRows) Write(row table.Row) error {
	return errors.Join(w.digest.Add(row), w.rows.add(&row))
}

// Counter is what was kept.
func (w *lateRows) Counter() *table.Counter { return &w.digest.Counter }

func (w *lateRows) close() error {
	if w == nil {
		return nil
	}
	return w.rows.close()
}

// contentOf is the content that a table is of, nil for control's.
func (r *rendering) contentOf(t *table.Table) report.Content {
	if d := report.DefinitionOfTable(t); d != nil {
		return r.set.Content(d.Kind)
	}
	return nil
}
