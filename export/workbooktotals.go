package export

import (
	"strings"

	"concilia/export/xlsx"
)

// totalRow is the total as we compute it: sums of printed values, and for the two summaries what only a whole can
// say, such as sales that stand on several lines and averages.
func (r *rendering) totalRow(t *Table, written *counter) Row {
	row := t.newRow()
	switch t {
	case summaryTable:
		r.summary.total.fill(row[5:], r.job.NetOfSplits)
	case slipDaysTable:
		r.days.total.fill(row[2:])
	default:
		for i := range row {
			if c := &t.Columns[i]; c.totals() {
				row[i] = Cell{N: written.printed[i], Type: c.Type, OK: true}
			}
		}
	}
	return row
}

// notes are the identities of the table's totals, each with what is left over.
func (r *rendering) notes(t *Table) [][]xlsx.Cell {
	var idents []Identity
	switch t {
	case summaryTable:
		idents = r.summary.total.identities(r.job.NetOfSplits)
	case slipDaysTable:
		idents = r.days.total.identities()
	}
	printed, exact := "resíduo impresso", "com quatro decimais"
	if r.job.Language == English {
		printed, exact = "printed residual", "at four decimals"
	}
	var lines [][]xlsx.Cell
	for _, i := range idents {
		look := xlsx.Good
		if i.Exact != 0 {
			look = xlsx.Bad
		}
		// Numbers first: the formula is long, and what stands on its right would hide it.
		lines = append(lines, []xlsx.Cell{
			xlsx.Text(printed).As(xlsx.Muted), xlsx.Money2(int64(i.Printed)),
			xlsx.Text(exact).As(xlsx.Muted), xlsx.Money4(int64(i.Exact)).As(look), xlsx.Text(t.inWords(i.Formula, r.job.Language)),
		})
	}
	return lines
}

// inWords puts the headers of columns for their ids in a formula.
func (t *Table) inWords(formula string, l Language) string {
	words := strings.Split(formula, " ")
	for i, w := range words {
		for k := range t.Columns {
			if t.Columns[k].ID == w {
				words[i] = t.Columns[k].header(l)
			}
		}
	}
	return strings.Join(words, " ")
}

// fillControl writes the control sheet, of which the third figure stands in the control file alone.
func (r *rendering) fillControl(s *xlsx.Sheet) error {
	cells := make([]xlsx.Cell, controlTable.width())
	for _, row := range r.proof().list(false) {
		for i := range row {
			cells[i] = controlTable.Columns[i].cell(&row[i], r.job.Language)
		}
		if err := s.Append(cells); err != nil {
			return err
		}
	}
	return nil
}
