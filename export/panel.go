package export

import (
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// Painel, the second sheet: how gross became net, and what was expected and received day by day, as tables with a
// chart beside each.

// addDashboard begins the sheet, so that it stands where it should.
func (r *rendering) addDashboard(wb *xlsx.Workbook) (*xlsx.Sheet, error) {
	name := r.text("dashboard.dashboard")
	return wb.AddSheet(xlsx.SheetSpec{
		Name: name, Freeform: true, Title: []string{name, r.job.workbookSubtitle(r.result.Digest)},
		Columns: []xlsx.Column{
			{Kind: xlsx.KindAny, Width: 40},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
		},
	})
}

// text is a text for people in the language of the set.
func (r *rendering) text(id string, values ...any) string {
	return words.Text(r.job.Language, id, values...)
}

// fillDashboard writes what the set has: cards, slips, or both.
func (r *rendering) fillDashboard(s *xlsx.Sheet) error {
	var parts []func(*xlsx.Sheet) error
	if r.summary != nil {
		parts = append(parts, r.drawWaterfall, r.drawExpectedByDay)
	}
	if r.slipsByDay != nil {
		parts = append(parts, r.drawSlipsByDay)
	}
	if r.exceptions != nil {
		parts = append(parts, r.drawCasesByAge)
	}
	if r.agenda != nil {
		parts = append(parts, r.drawAgenda)
	}
	for _, part := range parts {
		if err := part(s); err != nil {
			return err
		}
	}
	return nil
}

// chartRows is how many rows a chart takes, so that the next table does not begin beside it.
const chartRows = 14

// writeBlock writes a small table under a heading, leaves room for its chart, and returns its first and last data row. Rows of
// rest stand below them and are in no chart.
func writeBlock(s *xlsx.Sheet, heading []string, rows [][]xlsx.Cell, rest ...[]xlsx.Cell) (first, last int, err error) {
	head := make([]xlsx.Cell, len(heading))
	for i, h := range heading {
		if head[i] = xlsx.Text(h).WithStyle(xlsx.Heading); i > 0 { // over numbers
			head[i].Style = xlsx.HeadingRight
		}
	}
	if err := s.AppendRow(head); err != nil {
		return 0, 0, err
	}
	first = s.LastRow() + 1
	for _, row := range rows {
		if err := s.AppendRow(row); err != nil {
			return 0, 0, err
		}
	}
	last = s.LastRow()
	for _, row := range rest {
		if err := s.AppendRow(row); err != nil {
			return 0, 0, err
		}
	}
	for range max(1, chartRows-len(rows)-len(rest)) {
		if err := s.AppendRow(nil); err != nil {
			return 0, 0, err
		}
	}
	return first, last, nil
}

// drawWaterfall shows how the gross became the expected net. The base column carries each step at its height.
func (r *rendering) drawWaterfall(s *xlsx.Sheet) error {
	var height ledger.Amount
	var rows [][]xlsx.Cell
	for _, step := range r.summary.GrossToNet() {
		base, shown := ledger.Amount(0), step.Amount
		if step.Total {
			height = step.Amount
		} else {
			height -= step.Amount
			base, shown = min(height, height+step.Amount), step.Amount.Abs()
		}
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.stepLabel(step)), xlsx.Money2(int64(base)).WithStyle(xlsx.Muted), xlsx.Money2(int64(shown)),
		})
	}
	title := r.text("dashboard.gross_to_net")
	first, last, err := writeBlock(s, []string{title, r.text("dashboard.chart_base"), r.text("dashboard.value")}, rows)
	if err != nil {
		return err
	}
	return s.AddChart(xlsx.Chart{
		Kind: xlsx.Stacked, Title: title, Column: 5, Row: first - 1, Width: 560, Height: 260, NoLegend: true,
		Series: []xlsx.Series{
			{Heading: first - 1, Categories: 0, Values: 1, First: first, Last: last, Invisible: true},
			{Heading: first - 1, Categories: 0, Values: 2, First: first, Last: last, Colour: "1F3864"},
		},
	})
}
