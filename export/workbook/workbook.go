package workbook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// renderer makes the workbook of one set.
type renderer struct{ *staging.Set }

// Write writes the workbook of the set: the dashboard first, then a sheet for each table, and control last. Rows come from
// the tables' csv files, so that the ledger is read once. The dashboard is filled last, because it begins with what control found.
func Write(ctx context.Context, set *staging.Set) (err error) {
	if !set.Job.HasFormat(report.XLSX) {
		return nil
	}
	r := &renderer{set}
	name := string(report.Settlement) + ".xlsx"
	out, err := r.CreateFile(r.Path(name))
	if err != nil {
		return err
	}
	wb, err := xlsx.Create(out, xlsx.Options{
		Title: manifest.SetName(r.Job.Account, r.Job.Basis, r.Job.Period, r.Job.Filter.Canonical()), Creator: "concilia",
		Created: r.Job.AsOf.Time(), TempDir: r.Dir,
	})
	if err != nil {
		return errors.Join(err, out.Close())
	}
	defer wb.Abort()
	staged := &staging.File{
		Local: r.Path(name), Stem: string(report.Settlement), Ext: report.XLSX.Extension(),
		File: manifest.File{Kind: report.Settlement, Format: report.XLSX, LayoutVersion: export.SettlementLayout, Sums: map[string]string{}},
	}
	panel, err := r.addDashboard(wb)
	if err == nil {
		err = r.fillSheets(ctx, wb, staged)
	}
	if err == nil {
		err = panel.addChartData(wb)
	}
	var control *xlsx.Sheet
	if err == nil {
		control, err = r.addSheet(wb, report.ControlTable)
	}
	if err == nil {
		r.Files = append(r.Files, staged)
		err = r.fillControl(control)
	}
	if err == nil {
		err = panel.fillSheet(control)
	}
	if err == nil {
		err = wb.Close()
	}
	return errors.Join(err, out.Close())
}

// fillSheets writes a sheet for each requested table.
func (r *renderer) fillSheets(ctx context.Context, wb *xlsx.Workbook, staged *staging.File) error {
	var tables []*table.Table
	for _, k := range r.Job.Kinds {
		if k != report.ControlKind {
			tables = append(tables, r.TablesOf(k)...)
		}
	}
	for _, t := range tables {
		s, err := r.addSheet(wb, t)
		if err != nil {
			return err
		}
		written, err := r.fillSheet(s, t)
		if err != nil {
			return fmt.Errorf("sheet %s: %w", t.SheetName(r.Job.Language), err)
		}
		sql, err := r.LedgerSumsOf(ctx, t)
		if err != nil {
			return err
		}
		figs, err := control.NewTableFigures(readback.SheetItem(t), t, sql, written, r.DistinctTotals(t))
		if err != nil {
			return err
		}
		for _, f := range figs {
			if strings.HasSuffix(f.Measure, control.OfTheSet) {
				f.Unlisted = false // the total row of the sheet has it
			}
			staged.Figures = append(staged.Figures, f)
		}
		staged.File.Rows += written.Rows
		for id, sum := range written.FormatSums() {
			staged.File.Sums[t.ID+"."+id] = sum
		}
	}
	staged.Read = func(path string) (func(control.Figure) ledger.Opt[int64], error) {
		return readback.ReadWorkbook(path, tables, r.Job.Language)
	}
	return nil
}

// addSheet adds the empty sheet of a table with its titles and columns.
func (r *renderer) addSheet(wb *xlsx.Workbook, t *table.Table) (*xlsx.Sheet, error) {
	j := r.Job
	name := t.SheetName(j.Language)
	spec := xlsx.SheetSpec{Name: name, Title: []string{name, buildSubtitle(j, r.Result.Digest)}, Frozen: kindlist.ViewOf(t).FrozenColumns}
	if line := r.Job.Captions().HolderLine(); t == report.ClaimsTable && line != "" {
		spec.Title = append(spec.Title, line)
	}
	if note := r.Job.Captions().TableNote(t); note != "" {
		spec.Title = append(spec.Title, note)
	}
	for i := range t.Columns[:t.Width()] {
		c := &t.Columns[i]
		column := xlsx.Column{Header: c.Heading(j.Language), Kind: chooseKind(c), HighlightNonZero: c.HighlightNonZero, Subtotal: readback.ShowsTotal(c)}
		_, column.Width = chooseLook(c)
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

// buildSubtitle names account, basis, period, as-of, digest and filter of the set; neither run nor clock.
func buildSubtitle(j *export.Job, digest string) string {
	account := words.Text(j.Language, "workbook.account", "account", j.Account)
	if j.Account == manifest.AllAccounts {
		account = words.Text(j.Language, "workbook.all_accounts")
	}
	s := words.Text(j.Language, "workbook.subtitle", "account", account, "basis", j.Captions().BasisLabel(), "from", table.DateText(j.Period.From, j.Language),
		"to", table.DateText(j.Period.To, j.Language), "as_of", table.DateText(j.AsOf, j.Language), "digest", digest[:16])
	if f := j.Captions().FilterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// fillSheet writes the rows, the total and the identities of a table.
func (r *renderer) fillSheet(s *xlsx.Sheet, t *table.Table) (*table.Counter, error) {
	if t.ID == report.SummaryTable.ID {
		if err := s.AddHeadedPreamble(r.listSubtotals(t)); err != nil {
			return nil, err
		}
	}
	written := table.NewCounter(t)
	cells, looks := make([]xlsx.Cell, t.Width()), make([]xlsx.CellStyle, t.Width())
	for i := range looks {
		looks[i], _ = chooseLook(&t.Columns[i])
	}
	err := readback.WithFile(r.Path(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			for i := range row {
				typed := t.Columns[i].InferType(row[i])
				cells[i] = convertCell(&t.Columns[i], &typed, r.Job.Language).WithStyle(looks[i])
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
	totals := r.buildTotalRow(t, &written)
	for i := range cells {
		cells[i] = convertCell(&t.Columns[i], &totals[i], r.Job.Language)
	}
	if err := s.AddTotals(cells); err != nil {
		return nil, err
	}
	return &written, s.AddNotes(r.listTotalNotes(t, &written))
}

// chooseKind returns the kind of a column's cells in a workbook.
func chooseKind(c *table.Column) xlsx.Kind {
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

// chooseLook returns the style of a column's texts and its width; 0 fits the texts.
func chooseLook(c *table.Column) (look xlsx.CellStyle, width int) {
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

// convertCell converts a cell to a cell of a workbook.
func convertCell(c *table.Column, v *table.Cell, l table.Language) xlsx.Cell {
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
