package export

import (
	"context"
	"errors"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// fillTables passes over the rows that the kinds of the set take and writes their tables to staging.
func (r *rendering) fillTables(ctx context.Context) error {
	j := r.job
	set := &report.Set{
		Basis: j.Basis, AsOf: j.AsOf, Filter: j.Filter, Unit: j.Unit, NetOfSplits: j.NetOfSplits, Agreed: j.Agreed,
		Identified: j.Identified, Source: r.source, Open: r.openRows,
		SummaryAlone: j.Account == AllAccounts,
	}
	if err := set.Begin(ctx, j.Kinds); err != nil {
		return err
	}
	r.set = set
	r.summary, _ = set.Content(report.SummaryKind).(*report.Summary)
	r.slipsByDay, _ = set.Content(report.SlipsKind).(*report.Slips)
	r.exceptions, _ = set.Content(report.ExceptionsKind).(*report.Exceptions)
	r.agenda, _ = set.Content(report.AgendaKind).(*report.Agenda)
	r.restatement, _ = set.Content(report.RestatementKind).(*report.Restatement)
	if err := r.openTitles(); err != nil {
		return err
	}
	if r.summary != nil {
		set.AfterCards = r.keepCardRows
		r.addCardRows()
	}
	identities, err := set.Fill(ctx, report.Intake{
		Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			r.causes.addCardVerdict(v, e)
			return r.cardTitles.addCard(v, e)
		},
		Slip: func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			r.causes.addSlipVerdict(s, e)
			return r.keepSlip(s, e)
		},
	})
	if err != nil {
		return err
	}
	r.identities = identities
	for _, c := range set.Contents() {
		c.AddTotals(&r.result.Totals)
	}
	return r.closeTables()
}

// openTitles opens what keeps the titles of EDI files until they have their numbers.
func (r *rendering) openTitles() (err error) {
	if r.summary != nil {
		err = r.openCardTitles()
	}
	if err == nil && r.slipsByDay != nil {
		r.deferredSlips, err = newTempFile[deferredSlip](r.stagingPath("slips.titles"))
	}
	return err
}

// openRows begins a table. Rows of a table with a column that is known only when something is written wait in staging.
func (r *rendering) openRows(t *table.Table) (report.Rows, error) {
	if !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }) {
		if err := r.openTable(t); err != nil {
			return nil, err
		}
		return r.tables[t.ID], nil
	}
	rows, err := newTempFile[table.Row](r.stagingPath(t.ID + ".rows"))
	if err != nil {
		return nil, err
	}
	r.deferredSlipRows = &deferredRows{digest: table.NewDigester(t), rows: rows}
	r.tables[t.ID] = &tableFile{table: t, digest: r.deferredSlipRows.digest}
	return r.deferredSlipRows, nil
}

// deferredRows keeps the rows of a table, and their digest, until the table can be written.
type deferredRows struct {
	digest *table.Digester
	rows   *tempFile[table.Row]
}

// Write keeps a row.
func (w *deferredRows) Write(row table.Row) error {
	return errors.Join(w.digest.Add(row), w.rows.add(&row))
}

// Counter is what was kept.
func (w *deferredRows) Counter() *table.Counter { return &w.digest.Counter }

func (w *deferredRows) close() error {
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
