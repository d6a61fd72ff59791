package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// stageWorkbook writes the workbook of the set: the dashboard first, then a sheet for each table, and control last. Rows come from
// the tables' csv files, so that the ledger is read once. The dashboard is filled last, because it begins with what control found.
func (r *rendering) stageWorkbook(ctx context.Context) (err error) {
	if !r.job.hasFormat(report.XLSX) {
		return nil
	}
	name := string(report.Settlement) + ".xlsx"
	out, err := r.createFile(r.stagingPath(name))
	if err != nil {
		return err
	}
	wb, err := xlsx.Create(out, xlsx.Options{
		Title: manifest.SetName(r.job.Account, r.job.Basis, r.job.Period, r.job.Filter.Canonical()), Creator: "concilia",
		Created: r.job.AsOf.Time(), TempDir: r.dir,
	})
	if err != nil {
		return errors.Join(err, out.Close())
	}
	defer wb.Abort()
	staged := &stagedFile{
		local: r.stagingPath(name), stem: string(report.Settlement), ext: report.XLSX.Extension(),
		file: manifest.File{Kind: report.Settlement, Format: report.XLSX, LayoutVersion: settlementLayout, Sums: map[string]string{}},
	}
	panel, err := r.addDashboard(wb)
	if err == nil {
		err = r.fillSheets(ctx, wb, staged)
	}
	var control *xlsx.Sheet
	if err == nil {
		control, err = r.addSheet(wb, report.ControlTable)
	}
	if err == nil {
		r.staged = append(r.staged, staged)
		err = r.fillControl(control)
	}
	if err == nil {
		err = r.fillDashboard(panel)
	}
	if err == nil {
		err = wb.Close()
	}
	return errors.Join(err, out.Close())
}

// fillSheets writes a sheet for each requested table.
func (r *rendering) fillSheets(ctx context.Context, wb *xlsx.Workbook, staged *stagedFile) error {
	var tables []*table.Table
	for _, k := range r.job.Kinds {
		if k != report.ControlKind {
			tables = append(tables, k.Tables()...)
		}
	}
	for _, t := range tables {
		s, err := r.addSheet(wb, t)
		if err != nil {
			return err
		}
		written, err := r.fillSheet(s, t)
		if err != nil {
			return fmt.Errorf("sheet %s: %w", t.SheetName(r.job.Language), err)
		}
		sql, err := r.ledgerSumsOf(ctx, t)
		if err != nil {
			return err
		}
		figs, err := control.NewTableFigures(readback.SheetItem(t), t, sql, written, r.distinctTotals(t))
		if err != nil {
			return err
		}
		for _, f := range figs {
			if strings.HasSuffix(f.Measure, control.OfTheSet) {
				f.Unlisted = false // the total row of the sheet has it
			}
			staged.figures = append(staged.figures, f)
		}
		staged.file.Rows += written.Rows
		for id, sum := range written.FormatSums() {
			staged.file.Sums[t.ID+"."+id] = sum
		}
	}
	staged.read = func(path string) (func(control.Figure) ledger.Opt[int64], error) {
		return readback.ReadWorkbook(path, tables, r.job.Language)
	}
	return nil
}

// addSheet adds the empty sheet of a table with its titles and columns.
func (r *rendering) addSheet(wb *xlsx.Workbook, t *table.Table) (*xlsx.Sheet, error) {
	j := r.job
	name := t.SheetName(j.Language)
	spec := xlsx.SheetSpec{Name: name, Title: []string{name, j.workbookSubtitle(r.result.Digest)}, Frozen: report.ViewOf(t).FrozenColumns}
	if line := r.holderLine(); t == report.ClaimsTable && line != "" {
		spec.Title = append(spec.Title, line)
	}
	if note := r.tableNote(t); note != "" {
		spec.Title = append(spec.Title, note)
	}
	for i := range t.Columns[:t.Width()] {
		c := &t.Columns[i]
		column := xlsx.Column{Header: c.Heading(j.Language), Kind: sheetKind(c), HighlightNonZero: c.HighlightNonZero, Subtotal: readback.ShowsTotal(c)}
		_, column.Width = sheetLook(c)
		if t == report.ControlTable && i < len(controlWidths) {
			column.Width = controlWidths[i]
		}
		spec.Columns = append(spec.Columns, column)
	}
	return wb.AddSheet(spec)
}

// controlWidths make the control sheet fit a printed page. A digest is wider than its column and overflows into the empty
// figures at its right.
var controlWidths = [...]int{7, 19, 27, 30, 12, 16, 16, 16, 14, 11, 52}

// workbookSubtitle names account, basis, period, as-of, digest and filter of the set; neither run nor clock.
func (j *Job) workbookSubtitle(digest string) string {
	account := words.Text(j.Language, "workbook.account", "account", j.Account)
	if j.Account == manifest.AllAccounts {
		account = words.Text(j.Language, "workbook.all_accounts")
	}
	s := words.Text(j.Language, "workbook.subtitle", "account", account, "basis", j.basisLabel(), "from", table.DateText(j.Period.From, j.Language),
		"to", table.DateText(j.Period.To, j.Language), "as_of", table.DateText(j.AsOf, j.Language), "digest", digest[:16])
	if f := j.filterWords(); f != "" {
		s += " · " + f
	}
	return s
}

func (j *Job) basisLabel() string {
	return words.Label(j.Language, "basis", string(j.Basis))
}

// fillSheet writes the rows, the total and the identities of a table.
func (r *rendering) fillSheet(s *xlsx.Sheet, t *table.Table) (*table.Counter, error) {
	written := table.NewCounter(t)
	cells, looks := make([]xlsx.Cell, t.Width()), make([]xlsx.CellStyle, t.Width())
	for i := range looks {
		looks[i], _ = sheetLook(&t.Columns[i])
	}
	err := readback.WithFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			for i := range row {
				typed := t.Columns[i].InferType(row[i])
				cells[i] = sheetCell(&t.Columns[i], &typed, r.job.Language).WithStyle(looks[i])
			}
			if err := s.AppendRow(cells); err != nil {
				return err
			}
			return written.Add(row)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	totals := r.totalRow(t, &written)
	for i := range cells {
		cells[i] = sheetCell(&t.Columns[i], &totals[i], r.job.Language)
	}
	if err := s.AddTotals(cells); err != nil {
		return nil, err
	}
	return &written, s.AddNotes(r.totalNotes(t, &written))
}

// sheetKind returns the kind of a column's cells in a workbook.
func sheetKind(c *table.Column) xlsx.Kind {
	switch c.Type {
	case table.TypeInt:
		return xlsx.KindInt
	case table.TypeMoney, table.TypeNumber:
		switch {
		case c.Decimals == 4:
			return xlsx.KindMoney4
		case c.Type == table.TypeNumber:
			return xlsx.KindNumber2
		}
		return xlsx.KindMoney2
	case table.TypeRate:
		return xlsx.KindRate4
	case table.TypeDate:
		return xlsx.KindDate
	case table.TypeDateTime:
		return xlsx.KindDateTime
	case table.TypeValue:
		return xlsx.KindAny
	}
	return xlsx.KindText
}

// sheetLook returns the style of a column's texts and its width; 0 fits the texts.
func sheetLook(c *table.Column) (look xlsx.CellStyle, width int) {
	switch c.ID {
	case "explanation":
		return xlsx.Wrapped, 60
	case "comment":
		return xlsx.Wrapped, 0
	case "calendar": // a digest
		return xlsx.Clipped, 14
	}
	return xlsx.Plain, 0
}

// sheetCell converts a cell to a cell of a workbook.
func sheetCell(c *table.Column, v *table.Cell, l table.Language) xlsx.Cell {
	if !v.OK {
		return xlsx.Cell{}
	}
	switch v.Type {
	case table.TypeInt:
		return xlsx.Int(v.N)
	case table.TypeMoney, table.TypeNumber:
		switch {
		case c.Decimals == 4, c.Type == table.TypeValue && ledger.Amount(v.N)%ledger.Cent != 0:
			return xlsx.Money4(v.N)
		case v.Type == table.TypeNumber:
			return xlsx.Number2(v.N)
		}
		return xlsx.Money2(v.N)
	case table.TypeRate:
		return xlsx.Rate4(v.N)
	case table.TypeDate:
		return xlsx.Date(v.N)
	case table.TypeDateTime:
		return xlsx.DateTime(v.N/table.TicksPerDay+1, v.N%table.TicksPerDay/table.TicksPerSecond)
	}
	return xlsx.Text(c.Label(l, v.S))
}
