package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// stageWorkbook writes the workbook of the set: Controle first, then a sheet per table. Rows come from the tables'
// own csv, so that the ledger is asked once.
func (r *rendering) stageWorkbook(ctx context.Context) (err error) {
	if !r.job.wants(XLSX) {
		return nil
	}
	name := string(Settlement) + ".xlsx"
	out, err := os.Create(r.path(name))
	if err != nil {
		return err
	}
	wb, err := xlsx.Create(out, xlsx.Options{
		Title: setName(r.job.Account, r.job.Basis, r.job.Period, r.job.Filter.Canonical()), Creator: "concilia",
		Created: r.job.AsOf.Time(), TempDir: r.dir,
	})
	if err != nil {
		return errors.Join(err, out.Close())
	}
	defer wb.Abort()
	staged := &stagedFile{
		local: r.path(name), what: string(Settlement), ext: XLSX.extension(),
		file: File{Kind: Settlement, Format: XLSX, LayoutVersion: 1, Sums: map[string]string{}},
	}
	control, err := r.sheet(wb, controlTable)
	if err == nil {
		err = r.fillSheets(ctx, wb, staged)
	}
	if err == nil {
		r.staged = append(r.staged, staged)
		err = r.fillControl(control)
	}
	if err == nil {
		err = wb.Close()
	}
	return errors.Join(err, out.Close())
}

// fillSheets writes a sheet per table that is asked for.
func (r *rendering) fillSheets(ctx context.Context, wb *xlsx.Workbook, staged *stagedFile) error {
	var tables []*Table
	for _, k := range r.job.Kinds {
		if k != ControlKind {
			tables = append(tables, specOf(k).tables...)
		}
	}
	for _, t := range tables {
		s, err := r.sheet(wb, t)
		if err != nil {
			return err
		}
		written, err := r.fillSheet(s, t)
		if err != nil {
			return fmt.Errorf("sheet %s: %w", t.sheet(r.job.Language), err)
		}
		sql, err := r.sums(ctx, t)
		if err != nil {
			return err
		}
		figs, err := figures(sheetFigure(t), t, sql, written)
		if err != nil {
			return err
		}
		staged.figures = append(staged.figures, figs...)
		staged.file.Rows += written.rows
		for id, sum := range written.spelled() {
			staged.file.Sums[t.ID+"."+id] = sum
		}
	}
	staged.read = func(path string) (func(Figure) int64, error) { return readWorkbook(path, tables, r.job.Language) }
	return nil
}

// sheetFigure names a sheet of the workbook in control.
func sheetFigure(t *Table) string { return string(Settlement) + ".xlsx " + t.ID }

// sheet begins the sheet of a table.
func (r *rendering) sheet(wb *xlsx.Workbook, t *Table) (*xlsx.Sheet, error) {
	j := r.job
	spec := xlsx.SheetSpec{Name: t.sheet(j.Language), Title: []string{t.sheet(j.Language), j.subtitle(r.result.Digest)}, Frozen: 1}
	for i := range t.Columns[:t.width()] {
		c := &t.Columns[i]
		spec.Columns = append(spec.Columns, xlsx.Column{
			Header: c.header(j.Language), Kind: c.kind(), Mark: c.Mark, Total: c.totals() && c.ID != "sales",
		})
	}
	return wb.Sheet(spec)
}

// subtitle says what the set is and as of when: neither run nor clock.
func (j *Job) subtitle(digest string) string {
	format := "conta %s · base %s · %s a %s · posição %s · conteúdo %s"
	if j.Language == English {
		format = "account %s · basis %s · %s to %s · as of %s · content %s"
	}
	s := fmt.Sprintf(format, j.Account, j.basisLabel(), j.Period.From.Brazilian(), j.Period.To.Brazilian(),
		j.AsOf.Brazilian(), digest[:16])
	if f := j.Filter.Canonical(); f != "" {
		s += " · " + f
	}
	return s
}

func (j *Job) basisLabel() string {
	if j.Language == English {
		return string(j.Basis)
	}
	return basisLabels[string(j.Basis)]
}

// fillSheet writes the rows, the total and the identities of a table.
func (r *rendering) fillSheet(s *xlsx.Sheet, t *Table) (*counter, error) {
	written := newCounter(t)
	cells := make([]xlsx.Cell, t.width())
	err := withFile(r.path(t.ID+".csv"), func(in io.Reader) error {
		_, err := readCSV(in, t, func(row Row) error {
			for i := range row {
				cells[i] = t.Columns[i].cell(&row[i], r.job.Language)
			}
			if err := s.Append(cells); err != nil {
				return err
			}
			return written.add(row)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	totals := r.totalRow(t, &written)
	for i := range cells {
		cells[i] = t.Columns[i].cell(&totals[i], r.job.Language)
	}
	if err := s.Totals(cells); err != nil {
		return nil, err
	}
	return &written, s.Notes(r.notes(t))
}

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

// kind is what the column's cells are in a workbook.
func (c *Column) kind() xlsx.Kind {
	switch c.Type {
	case TypeInt:
		return xlsx.KindInt
	case TypeMoney, TypeNumber:
		switch {
		case c.Decimals == 4:
			return xlsx.KindMoney4
		case c.Type == TypeNumber:
			return xlsx.KindNumber2
		}
		return xlsx.KindMoney2
	case TypeRate:
		return xlsx.KindRate4
	case TypeDate:
		return xlsx.KindDate
	case TypeDateTime:
		return xlsx.KindDateTime
	case TypeValue:
		return xlsx.KindAny
	}
	return xlsx.KindText
}

// ticksPerDay and ticksPerSecond take a ledger.LocalTime apart.
const (
	ticksPerSecond = 10_000_000
	ticksPerDay    = 86_400 * ticksPerSecond
)

// cell is the cell as a workbook holds it.
func (c *Column) cell(v *Cell, l Language) xlsx.Cell {
	if !v.OK {
		return xlsx.Cell{}
	}
	switch v.Type {
	case TypeInt:
		return xlsx.Int(v.N)
	case TypeMoney, TypeNumber:
		switch {
		case c.Decimals == 4, c.Type == TypeValue && ledger.Amount(v.N)%ledger.Cent != 0:
			return xlsx.Money4(v.N)
		case v.Type == TypeNumber:
			return xlsx.Number2(v.N)
		}
		return xlsx.Money2(v.N)
	case TypeRate:
		return xlsx.Rate4(v.N)
	case TypeDate:
		return xlsx.Date(v.N)
	case TypeDateTime:
		return xlsx.DateTime(v.N/ticksPerDay+1, v.N%ticksPerDay/ticksPerSecond)
	}
	return xlsx.Text(c.label(l, v.S))
}
