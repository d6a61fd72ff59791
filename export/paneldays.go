package export

import (
	"slices"

	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// drawExpectedByDay shows what was expected and received per day of the basis.
func (r *rendering) drawExpectedByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.summary.ByDay() {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.dayLabel(d.Day)), xlsx.Money2(int64(d.Expected)), xlsx.Money2(int64(d.Received))})
	}
	return r.drawDayChart(s, r.text("dashboard.expected_received_day"),
		[]string{r.text("dashboard.expected"), r.text("dashboard.received")}, rows)
}

// drawSlipsByDay shows what was issued, paid and credited per day of the basis.
func (r *rendering) drawSlipsByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.slipsByDay.ByDay() {
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.dayLabel(d.Day)), xlsx.Money2(int64(d.Issued)), xlsx.Money2(int64(d.Paid)), xlsx.Money2(int64(d.Credited)),
		})
	}
	return r.drawDayChart(s, r.text("dashboard.slips_by_day"), []string{
		r.text("dashboard.issued"), r.text("dashboard.paid"), r.text("dashboard.credited"),
	}, rows)
}

// chartColours tell series apart in print too.
var chartColours = [...]string{"1F3864", "8FAADC", "1E6B34"}

// dayLabel leaves the year out where the period has one year alone: under a chart there is no room for it. To an English
// reader 05/11 is a day in May.
func (r *rendering) dayLabel(d ledger.Date) string {
	p := r.job.Period
	short := p.From.Year() == p.To.Year()
	if r.job.Language == table.English {
		s := d.String()
		if short {
			return s[len("yyyy-"):]
		}
		return s
	}
	s := d.Brazilian()
	if short {
		return s[:len("dd/mm")]
	}
	return s
}

// dashboardTotal adds the rows of a table up, and is none without rows.
func (r *rendering) dashboardTotal(rows ...[]xlsx.Cell) [][]xlsx.Cell {
	if len(rows) == 0 {
		return nil
	}
	total := append([]xlsx.Cell{xlsx.Text("Total").WithStyle(xlsx.Strong)}, rows[0][1:]...)
	for _, row := range rows[1:] {
		for i := 1; i < len(row); i++ {
			total[i].N += row[i].N
		}
	}
	return [][]xlsx.Cell{total}
}

// drawDayChart writes a table of days and draws its columns side by side; without a day there is nothing to draw. Days are
// text, because some programs show real dates in charts as serial numbers. What is later stands in the table alone.
func (r *rendering) drawDayChart(s *xlsx.Sheet, title string, columns []string, rows [][]xlsx.Cell, later ...[]xlsx.Cell) error {
	rest := append(later, r.dashboardTotal(slices.Concat(rows, later)...)...)
	first, last, err := writeBlock(s, append([]string{title}, columns...), rows, rest...)
	if err != nil || len(rows) == 0 {
		return err
	}
	chart := xlsx.Chart{Kind: xlsx.Columns, Title: title, Column: 5, Row: first - 1, Width: 860, Height: 260}
	for i := range columns {
		chart.Series = append(chart.Series, xlsx.Series{
			Heading: first - 1, Categories: 0, Values: i + 1, First: first, Last: last, Colour: chartColours[i%len(chartColours)],
		})
	}
	return s.AddChart(chart)
}
