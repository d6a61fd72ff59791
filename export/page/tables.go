package page

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// maxRows is how many rows of a table a page shows: it is read on a phone, and the file holds the rest.
const maxRows = 12

// maxColumns is how many columns are shown of a table without chosen columns.
const maxColumns = 9

// listChosenColumns returns the positions of the columns that a page shows, in a set of one account without the account.
func listChosenColumns(t *table.Table, account string) []int {
	return findColumns(t, kindlist.ViewOf(t).PageColumns, account)
}

// findColumns returns the positions of the named columns in their order, or of the first ones if none is named.
func findColumns(t *table.Table, names, account string) []int {
	ids := strings.Fields(names)
	if len(ids) == 0 {
		for i := range min(t.Width(), maxColumns) {
			ids = append(ids, t.Columns[i].ID)
		}
	}
	var out []int
	for _, id := range ids {
		if at := t.ColumnIndex(id); at >= 0 && (id != "account" || account == manifest.AllAccounts) { // some are of sets with banks alone
			out = append(out, at)
		}
	}
	return out
}

// buildTables returns the tables of the set, shortened, with the figures that their totals show.
func (r *renderer) buildTables() ([]html.Table, error) {
	var out []html.Table
	for _, k := range r.Job.Kinds {
		for _, t := range r.TablesOf(k) {
			if k == report.ControlKind {
				continue
			}
			p, err := r.buildTable(t)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		if k == report.RestatementKind && len(r.Restatement.ByCause()) > 0 {
			out = append(out, r.buildCauses())
		}
	}
	return out, nil
}

// errEnough stops reading a table.
var errEnough = errors.New("enough rows")

func (r *renderer) buildTable(t *table.Table) (html.Table, error) {
	l, written := r.Job.Language, r.Tables[t.ID].Counter()
	p := html.Table{ID: t.ID, Heading: t.SheetName(l), Count: written.Rows, Files: nameFullFiles(r.Job, t), FilesTo: linkToIndex(r.Job, t.ID), Note: r.Job.Captions().TableNote(t)}
	chosen, err := r.chooseColumns(t)
	if err != nil {
		return p, err
	}
	if len(chosen) > 1 && t.Columns[chosen[0]].ID == "account" {
		p.LinkAt = 1
	}
	for _, i := range chosen {
		c := &t.Columns[i]
		column := html.Column{Header: c.Heading(l), Number: c.Type.Numeric(), Decimals: c.Decimals, Wraps: c.ID == "explanation" || c.ID == "sentence"}
		if c.Signed {
			column.Measure, column.Signed, column.Total, column.Excess = c.ID, true, written.Printed[i]-written.Excess[i], written.Excess[i]
		} else if readback.ShowsTotal(c) {
			column.Measure, column.Total, column.Count = c.ID, written.Printed[i], c.Type == table.TypeInt
		}
		p.Columns = append(p.Columns, column)
	}
	anchor := kindlist.ViewOf(t).Anchor
	if anchor == nil {
		anchor = func(table.Row) string { return "" }
	}
	shown := shownRows{largest: t.ID == asof.ExceptionsTable.ID}
	p.Largest = shown.largest
	err = readback.WithFile(r.Path(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			return shown.addRow(row, anchor, func() []string {
				cells := make([]string, 0, len(chosen))
				for _, i := range chosen {
					typed := t.Columns[i].InferType(row[i])
					text := CellText(&t.Columns[i], &typed, l)
					if shown.largest && i == itemAt {
						text = nameItem(row, l)
					}
					cells = append(cells, text)
				}
				return cells
			})
		})
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	for _, row := range shown.rows {
		row.subject = row.anchor
		if strings.ContainsFunc(row.anchor, unicode.IsSpace) || slices.Contains(p.Anchors, row.anchor) {
			row.anchor = ""
		}
		p.Rows, p.Anchors = append(p.Rows, row.cells), append(p.Anchors, row.anchor)
		if to := linkToConsole(r.Job, row.subject); to != "" {
			p.RowsTo = append(p.RowsTo, to)
		}
	}
	return p, err
}

// shownRows are the rows of a table that its page shows: the first ones, or the largest cases.
type shownRows struct {
	largest bool
	rows    []shownRow
}

// shownRow is a row as text, with what cases are ranked by: unresolved ones first, then by impact without its sign.
type shownRow struct {
	cells      []string
	anchor     string // empty: it has none
	subject    string // what the anchor names, also if the row before has it
	unresolved bool
	impact     ledger.Amount
}

// addRow keeps the row if it is shown, and returns errEnough if no later row can be. anchor and cells, which formats the row, are
// called only for rows that are kept.
func (s *shownRows) addRow(row table.Row, anchor func(table.Row) string, cells func() []string) error {
	if !s.largest {
		if len(s.rows) == maxRows {
			return errEnough
		}
		s.rows = append(s.rows, shownRow{cells: cells(), anchor: anchor(row)})
		return nil
	}
	next := shownRow{unresolved: ledger.State(row[stateAt].S).IsUnresolved(), impact: ledger.Amount(row[impactAt].N).Abs()}
	// Equal rows keep the order of the file.
	at := len(s.rows)
	for at > 0 && next.ranksBefore(&s.rows[at-1]) {
		at--
	}
	if at == maxRows {
		return nil
	}
	next.cells, next.anchor = cells(), anchor(row)
	s.rows = slices.Insert(s.rows, at, next)
	s.rows = s.rows[:min(len(s.rows), maxRows)]
	return nil
}

// The columns that the largest cases are chosen by, and the one of their items.
var (
	stateAt  = asof.ExceptionsTable.ColumnIndex("state")
	impactAt = asof.ExceptionsTable.ColumnIndex("impact")
	itemAt   = asof.ExceptionsTable.ColumnIndex("subject")
)

// nameItem is what people know the item of a case by: NSU and authorization, or the reference, else the nosso número, of a slip; of one that
// has none of them its kind, and the beginning of a slip's id.
func nameItem(row table.Row, l table.Language) string {
	t := asof.ExceptionsTable
	text := func(id string) string {
		if cell := row[t.ColumnIndex(id)]; cell.OK {
			return cell.S
		}
		return ""
	}
	switch nsu, auth := text("nsu"), text("auth"); {
	case nsu != "" && auth != "":
		return nsu + " · " + auth
	case nsu != "":
		return nsu
	}
	if name := cmp.Or(text("reference_code"), text("our_number")); name != "" {
		return name
	}
	kind := t.ColumnIndex("subject_kind")
	name := CellText(&t.Columns[kind], &row[kind], l)
	if s, ok := ledger.ParseSubject(row[itemAt].S); ok && s.Kind == "slip" && len(s.Parts) == 1 && len(s.Parts[0]) > 8 {
		name += " " + s.Parts[0][:8] + "…"
	}
	return name
}

func (p *shownRow) ranksBefore(o *shownRow) bool {
	if p.unresolved != o.unresolved {
		return p.unresolved
	}
	return p.impact > o.impact
}

// CellText formats a cell for people.
func CellText(c *table.Column, v *table.Cell, l table.Language) string {
	if !v.OK {
		return ""
	}
	switch v.Type {
	case table.TypeInt, table.TypeMoney, table.TypeNumber, table.TypeRate:
		if v.Type != c.Type { // a value, whose column has no decimals of its own
			return html.FormatNumber(ledger.Amount(v.N).String(), string(l))
		}
		return html.FormatNumber(string(c.AppendSum(nil, v.N)), string(l))
	case table.TypeDate:
		return table.DateText(ledger.Date(v.N), l)
	case table.TypeDateTime:
		return table.DateText(ledger.LocalTime(v.N).Date(), l)
	case table.TypeText:
		if c.Type == table.TypeList {
			return strings.ReplaceAll(c.Label(l, v.S), "|", ", ")
		}
	}
	return c.Label(l, v.S)
}

// nameFullFiles lists the files with the whole table, without the revision, which no page contains. It is empty if the page is
// the only requested file.
func nameFullFiles(j *export.Job, t *table.Table) string {
	set := manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical()) + editionPattern(j)
	var names []string
	for _, f := range report.Formats() {
		switch {
		case !j.HasFormat(f):
		case f.IsPerTable():
			names = append(names, t.ID+"_"+set+"."+f.Extension())
		case f == report.XLSX:
			names = append(names, string(report.Settlement)+"_"+set+".xlsx")
		}
	}
	return strings.Join(names, ", ")
}

// selectFigures returns the figures of a table that the page shows: the count, and the totals of its columns.
func selectFigures(p *html.Table, all []control.Figure) []control.Figure {
	var out []control.Figure
	for _, f := range all {
		shown := func(c html.Column) bool { return c.Measure == f.Measure }
		if f.Measure == "count" || slices.ContainsFunc(p.Columns, shown) {
			out = append(out, f)
		}
	}
	return out
}

// buildCauses returns the table of the totals by cause. Its totals are the sums over the causes, which must equal those of the
// restatement table.
func (r *renderer) buildCauses() html.Table {
	t, l := report.RestatementTable, r.Job.Language
	p := html.Table{
		ID: control.ByCauseID, Heading: r.Job.Text("page.table_by_cause", "table", t.SheetName(l)),
		Columns: []html.Column{{Header: t.Columns[t.ColumnIndex("cause")].Heading(l)}},
	}
	for _, column := range report.CauseColumns {
		p.Columns = append(p.Columns, html.Column{Header: t.Columns[t.ColumnIndex(column)].Heading(l), Number: true, Measure: column})
	}
	for _, c := range r.Restatement.ByCause() {
		p.Count++
		row := []string{r.Job.Captions().CauseName(c.Cause, c.Changes)}
		for i, printed := range c.Amounts {
			p.Columns[i+1].Total += int64(printed)
			row = append(row, html.FormatNumber(printed.String(), string(l)))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// listCauseFigures returns the figures that compare those totals with the ledger's sums.
func listCauseFigures(p *html.Table, sql report.Sums) []control.Figure {
	out := []control.Figure{{
		File: readback.PageItem(control.ByCauseID), Measure: "count", Unit: control.UnitCount, Ledger: ledger.Some(sql.Columns["causes"+control.OfTheSet] * 10_000),
		Writer: p.Count * 10_000,
	}}
	for i := range p.Columns {
		if c := &p.Columns[i]; c.Measure != "" {
			out = append(out, control.Figure{
				File: readback.PageItem(control.ByCauseID), Measure: c.Measure, Unit: control.UnitBRL, Ledger: ledger.Some(sql.Columns[c.Measure]), Writer: c.Total,
			})
		}
	}
	return out
}

// chooseColumns returns the columns of a table that the page shows. Of the agenda's movements it shows each that some group has,
// so that the shown columns of a row add up.
func (r *renderer) chooseColumns(t *table.Table) ([]int, error) {
	chosen := listChosenColumns(t, r.Job.Account)
	if t != asof.AgendaRollTable {
		return chosen, nil
	}
	var out []int
	moved := make([]bool, t.Width())
	err := readback.WithFile(r.Path(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			for i := range row {
				moved[i] = moved[i] || row[i].Type == table.TypeMoney && row[i].N != 0
			}
			return nil
		})
		return err
	})
	for i := range moved {
		if moved[i] || slices.Contains(chosen, i) {
			out = append(out, i)
		}
	}
	return out, err
}
