package export

import (
	"concilia/export/table"
	"concilia/export/xlsx"
)

// totalRow is the total as we compute it: sums of printed values, and for the two summaries what only a whole can
// say, such as sales that stand on several lines and averages.
func (r *rendering) totalRow(t *table.Table, written *table.Counter) table.Row {
	row := t.NewRow()
	switch t.ID {
	case summaryTable.ID:
		r.summary.total.fill(row[5:], r.job.NetOfSplits)
	case slipDaysTable.ID:
		r.days.total.fill(row[2:])
	default:
		for i := range row {
			if c := &t.Columns[i]; totalled(c) {
				row[i] = table.Cell{N: written.Printed[i], Type: c.Type, OK: true}
			}
		}
	}
	return row
}

// notes are the identities of the table's totals, each with what is left over.
func (r *rendering) notes(t *table.Table) [][]xlsx.Cell {
	var idents []Identity
	switch t.ID {
	case summaryTable.ID:
		idents = r.summary.total.identities(r.job.NetOfSplits)
	case slipDaysTable.ID:
		idents = r.days.total.identities()
	case agingTable.ID:
		idents = r.stateIdentities()
	case agendaTable.ID, agendaRollTable.ID:
		idents = r.agendaIdentities(t)
	}
	if t == restatementTable {
		idents = r.restated.idents
	}
	if len(idents) == 0 {
		return nil
	}
	// The first column is narrow, and what is long stands last, where nothing hides it.
	head := []string{"impresso", "exato", "Identidades dos totais: o que sobra delas, como se lê e com quatro decimais"}
	if r.job.Language == table.English {
		head = []string{"printed", "exact", "Identities of the totals: what is left of them, as printed and at four decimals"}
	}
	lines := [][]xlsx.Cell{{{}}}
	for _, text := range head {
		lines[0] = append(lines[0], xlsx.Text(text).As(xlsx.Muted))
	}
	for _, i := range idents {
		lines = append(lines, []xlsx.Cell{
			{},
			xlsx.Money2(int64(i.Printed)), xlsx.Money4(int64(i.Exact)).As(goodIf(i.Exact == 0)),
			xlsx.Text(r.job.formulaFor(i.Formula)),
		})
	}
	if t == agendaTable {
		return append(lines, r.subtotals()...)
	}
	if t == restatementTable {
		return append(lines, r.causeNotes()...)
	}
	return lines
}

// fillControl writes the control sheet, of which the third figure stands in the control file alone.
func (r *rendering) fillControl(s *xlsx.Sheet) error {
	p := r.proof()
	if err := s.Lead(p.lead(r)); err != nil {
		return err
	}
	t := controlTable
	cells := make([]xlsx.Cell, t.Width())
	for _, row := range p.list(false) {
		row = r.job.controlFor(row)
		for i := range row {
			cells[i] = sheetCell(&t.Columns[i], &row[i], r.job.Language)
		}
		if rest := &row[controlResidual]; rest.OK && !roundingRow(row) {
			cells[controlResidual].Look = goodIf(rest.N == 0)
		}
		if err := s.Append(cells); err != nil {
			return err
		}
	}
	return nil
}

// controlResidual is the place of the column residual.
const controlResidual = 9

// roundingRow says whether the residual of a row is what rounding left over: it stands there to be seen, and is no fault.
func roundingRow(row table.Row) bool {
	return row[1].S == "rounding_of_sums" || row[1].S == "identities" && row[10].OK
}
