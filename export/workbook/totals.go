package workbook

import (
	"slices"

	"concilia/export/control"
	"concilia/export/proof"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// buildTotalRow returns the total row of a table: sums of printed values, and for the two summaries figures that the rows don't add
// up to, such as averages, and sales that are on several lines.
func (r *renderer) buildTotalRow(t *table.Table, written *table.Counter) table.Row {
	row := t.NewRow()
	if c := r.ContentOf(t); c == nil || !c.FillTotals(t, row) {
		for i := range row {
			if c := &t.Columns[i]; readback.ShowsTotal(c) {
				row[i] = table.Cell{N: written.Printed[i], Type: c.Type, OK: true}
			}
		}
	}
	for i := range row {
		if t.Columns[i].Signed {
			row[i] = table.Cell{}
		}
	}
	return row
}

// listSubtotals returns the lines that the summary begins with: its totals by account, by brand and by product. A column with a sign
// has two sums, and none here.
func (r *renderer) listSubtotals(t *table.Table) (lines [][]xlsx.Cell) {
	for _, row := range r.Summary.Subtotals() {
		cells := make([]xlsx.Cell, len(row))
		for i := range row {
			if c := &t.Columns[i]; !c.Signed {
				typed := c.InferType(row[i])
				cells[i] = convertCell(c, &typed, r.Job.Language).WithStyle(xlsx.Strong)
			}
		}
		if brand := t.ColumnIndex("brand"); !slices.ContainsFunc(row[:brand+2], func(c table.Cell) bool { return c.OK }) {
			cells[brand] = xlsx.Text(r.Job.Text("desk.no_brand")).WithStyle(xlsx.Strong)
		}
		lines = append(lines, cells)
	}
	return lines
}

// listTotalNotes returns the lines below the totals of a table: the sums of its signed columns, its identities, its subtotals.
func (r *renderer) listTotalNotes(t *table.Table, written *table.Counter) [][]xlsx.Cell {
	lines := append(r.listSignedNotes(t, written), r.listIdentityNotes(t)...)
	switch t.ID {
	case asof.AgendaTable.ID:
		return append(lines, r.listAgendaSubtotals()...)
	case report.RestatementTable.ID:
		return append(lines, r.listCauseNotes()...)
	}
	return lines
}

// buildNoteHead returns the line above notes: two short headings, and the long one last, where no cell cuts it off.
func (r *renderer) buildNoteHead(first, second, long string) []xlsx.Cell {
	return []xlsx.Cell{{}, xlsx.Text(first).WithStyle(xlsx.Muted), xlsx.Text(second).WithStyle(xlsx.Muted), xlsx.Text(long).WithStyle(xlsx.Muted)}
}

// listSignedNotes returns the two sums of each signed column: what was lost, and what is in excess. They are never netted.
func (r *renderer) listSignedNotes(t *table.Table, written *table.Counter) [][]xlsx.Cell {
	lines := [][]xlsx.Cell{r.buildNoteHead(r.Job.Text("workbook.lost"), r.Job.Text("workbook.in_excess"),
		r.Job.Text("workbook.sums_sign_what_missing_what"))}
	for i := range t.Columns[:t.Width()] {
		if c := &t.Columns[i]; c.Signed && !c.InParts {
			lines = append(lines, []xlsx.Cell{
				{}, xlsx.Money2(written.Printed[i] - written.Excess[i]), xlsx.Money2(written.Excess[i]), xlsx.Text(c.Heading(r.Job.Language)),
			})
		}
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// listIdentityNotes returns the identities of the table's totals, each with its residual.
func (r *renderer) listIdentityNotes(t *table.Table) [][]xlsx.Cell {
	var idents []report.Identity
	for _, i := range r.Identities {
		if i.Table == t.ID {
			idents = append(idents, i)
		}
	}
	if len(idents) == 0 {
		return nil
	}
	lines := [][]xlsx.Cell{r.buildNoteHead(r.Job.Text("workbook.printed"), r.Job.Text("workbook.exact"), r.Job.Text("workbook.identities_totals_what_left_them"))}
	for _, i := range idents {
		lines = append(lines, []xlsx.Cell{
			{},
			xlsx.Money2(int64(i.Printed)), xlsx.Money4(int64(i.Exact)).WithStyle(xlsx.GoodIf(i.Exact == 0)),
			xlsx.Text(control.DescribeFormula(i.Formula, r.Job.Language)),
		})
	}
	return lines
}

// fillControl writes the control sheet, without the figures read back, which are in the control file only.
func (r *renderer) fillControl(s *xlsx.Sheet) error {
	p := proof.Of(r.Set)
	if err := s.AddPreamble(p.HeadLines(r.Job.Facts.Sides)); err != nil {
		return err
	}
	t := report.ControlTable
	cells := make([]xlsx.Cell, t.Width())
	rows := p.ListRows(false)
	for i := range rows {
		row := control.RowInWords(&rows[i], r.Job.Language)
		for k := range row {
			cells[k] = convertCell(&t.Columns[k], &row[k], r.Job.Language)
		}
		if rest := &row[control.ResidualColumn]; rest.OK && !isRoundingRow(row) {
			cells[control.ResidualColumn].Style = xlsx.GoodIf(rest.N == 0)
		}
		if err := s.AppendRow(cells); err != nil {
			return err
		}
	}
	return nil
}

// isRoundingRow reports whether the residual of a row is a rounding difference, which is listed and is no fault.
func isRoundingRow(row table.Row) bool {
	return row[1].S == "rounding_of_sums" || row[1].S == "identities" && row[10].OK
}

// listCauseNotes returns the totals by cause, for the lines below the table.
func (r *renderer) listCauseNotes() [][]xlsx.Cell {
	lines := [][]xlsx.Cell{{
		{},
		xlsx.Text(r.Job.Text("workbook.delta_gross")).WithStyle(xlsx.Muted), xlsx.Text(r.Job.Text("workbook.delta_net")).WithStyle(xlsx.Muted),
		xlsx.Text(r.Job.Text("workbook.delta_received")).WithStyle(xlsx.Muted), xlsx.Text(r.Job.Text("workbook.delta_contract")).WithStyle(xlsx.Muted),
		xlsx.Text(r.Job.Text("workbook.by_cause")).WithStyle(xlsx.Muted),
	}}
	for _, c := range r.Restatement.ByCause() {
		line := []xlsx.Cell{{}}
		for _, a := range c.Amounts {
			line = append(line, xlsx.Money2(int64(a)))
		}
		lines = append(lines, append(line, xlsx.Text(r.Job.Captions().CauseName(c.Cause, c.Changes))))
	}
	return lines
}

// listAgendaSubtotals returns the sums by week and by month for the rows below the agenda, each sum under its column.
func (r *renderer) listAgendaSubtotals() [][]xlsx.Cell {
	var lines [][]xlsx.Cell
	at := asof.AgendaTable.ColumnIndex
	for _, by := range []struct {
		column string
		spans  []asof.AgendaSpan
	}{
		{"week", r.Agenda.Weeks()},
		{"month", r.Agenda.Months()},
	} {
		head := make([]xlsx.Cell, at("brand")+1)
		head[at("brand")] = xlsx.Text(r.Job.Text("workbook.subtotals_by_" + by.column)).WithStyle(xlsx.Strong)
		lines = append(lines, nil, head)
		for _, s := range by.spans {
			row := make([]xlsx.Cell, at("blocked")+1)
			row[at(by.column)] = xlsx.Text(r.labelSpan(s))
			row[at("installments")] = xlsx.Int(s.Installments)
			for id, amount := range map[string]ledger.Amount{
				"gross": s.Gross, "deductions": s.Deductions, "net": s.Net, "anticipated": s.Anticipated, "blocked": s.Blocked,
			} {
				row[at(id)] = xlsx.Money2(int64(amount))
			}
			lines = append(lines, row)
		}
	}
	return lines
}

func (r *renderer) labelSpan(s asof.AgendaSpan) string {
	if s.Label == "" {
		return r.Job.Text("dashboard.no_date")
	}
	return s.Label
}
