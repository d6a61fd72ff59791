package export

import (
	"fmt"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/store/ledger"
)

// byCauseID names the totals by cause among the tables of a page.
const byCauseID = "restatement-causes"

// causeName is a cause as people read it, with the number of its changes.
func (r *rendering) causeName(cause ledger.RestatementCause, changes int64) string {
	name := words.Name(r.job.Language, "cause", string(cause))
	return fmt.Sprintf("%s (%d)", name, changes)
}

// pageCauses is the table of the totals by cause. Its own totals are the causes added up, which the table's have to be.
func (r *rendering) pageCauses() html.Table {
	t, l := report.RestatementTable, r.job.Language
	p := html.Table{
		ID: byCauseID, Heading: r.text("page.table_by_cause", "table", t.SheetName(l)),
		Columns: []html.Column{{Header: t.Columns[t.ColumnIndex("cause")].Heading(l)}},
	}
	for _, column := range report.CauseColumns {
		p.Columns = append(p.Columns, html.Column{Header: t.Columns[t.ColumnIndex(column)].Heading(l), Number: true, Measure: column})
	}
	for _, c := range r.restatement.ByCause() {
		p.Count++
		row := []string{r.causeName(c.Cause, c.Changes)}
		for i, printed := range c.Amounts {
			p.Columns[i+1].Total += int64(printed)
			row = append(row, html.FormatNumber(printed.String(), string(l)))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// causeFigures hold those totals against the ledger's own sums of the table.
func causeFigures(p *html.Table, sql report.Sums) []Figure {
	out := []Figure{{
		File: pageFigure(byCauseID), Measure: "count", Unit: unitCount, Ledger: ledger.Some(sql.Columns["causes"+ofTheSet] * 10_000),
		Writer: p.Count * 10_000,
	}}
	for i := range p.Columns {
		if c := &p.Columns[i]; c.Measure != "" {
			out = append(out, Figure{
				File: pageFigure(byCauseID), Measure: c.Measure, Unit: unitBRL, Ledger: ledger.Some(sql.Columns[c.Measure]), Writer: c.Total,
			})
		}
	}
	return out
}
