package export

import (
	"fmt"
	"strings"

	"concilia/export/html"
	"concilia/export/table"
	"concilia/store/ledger"
)

// byCauseID names the totals by cause among the tables of a page.
const byCauseID = "restatement-causes"

// byCause are the amounts that a restatement has by cause, by the columns of its table.
var byCause = []struct {
	id string
	of func(*movedMoney) table.Money
}{
	{"delta_gross", func(m *movedMoney) table.Money { return m.gross }},
	{"delta_net", func(m *movedMoney) table.Money { return m.net }},
	{"delta_received", func(m *movedMoney) table.Money { return m.received }},
	{"delta_contract", func(m *movedMoney) table.Money { return m.contract }},
}

// causeName is a cause as people read it, with the number of its changes.
func (r *rendering) causeName(cause ledger.RestatementCause, changes int64) string {
	name := r.words(labelOf(causeLabels, string(cause)), strings.ReplaceAll(string(cause), "_", " "))
	return fmt.Sprintf("%s (%d)", name, changes)
}

// pageCauses is the table of the totals by cause. Its own totals are the causes added up, which the table's have to be.
func (r *rendering) pageCauses() html.Table {
	t, l := restatementTable, r.job.Language
	p := html.Table{
		ID: byCauseID, Heading: t.SheetName(l) + r.words(" por causa", " by cause"),
		Columns: []html.Column{{Header: t.Columns[t.ColumnIndex("cause")].Heading(l)}},
	}
	for _, c := range byCause {
		p.Columns = append(p.Columns, html.Column{Header: t.Columns[t.ColumnIndex(c.id)].Heading(l), Number: true, Measure: c.id})
	}
	for _, cause := range ledger.RestatementCauses() {
		m := r.restated.causes[cause]
		if m == nil {
			continue
		}
		p.Count++
		row := []string{r.causeName(cause, m.changes)}
		for i, c := range byCause {
			printed := c.of(m).Printed
			p.Columns[i+1].Total += int64(printed)
			row = append(row, html.FormatNumber(printed.String(), string(l)))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// causeFigures hold those totals against the ledger's own sums of the table.
func causeFigures(p *html.Table, sql Sums) []Figure {
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
