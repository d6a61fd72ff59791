package export

import (
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// agendaSubtotals are the weeks and the months below the agenda's sheet, each under the column that it adds up.
func (r *rendering) agendaSubtotals() [][]xlsx.Cell {
	var lines [][]xlsx.Cell
	at := report.AgendaTable.ColumnIndex
	for _, by := range []struct {
		column string
		spans  []report.AgendaSpan
	}{
		{"week", r.agenda.Weeks()},
		{"month", r.agenda.Months()},
	} {
		head := make([]xlsx.Cell, at("brand")+1)
		head[at("brand")] = xlsx.Text(r.text("workbook.subtotals_by_" + by.column)).WithStyle(xlsx.Strong)
		lines = append(lines, nil, head)
		for _, s := range by.spans {
			row := make([]xlsx.Cell, at("blocked")+1)
			row[at(by.column)] = xlsx.Text(r.spanLabel(s))
			row[at("installments")] = xlsx.Int(s.Installments)
			for id, amount := range map[string]ledger.Amount{
				"gross": s.Gross, "deductions": s.Deductions, "net": s.Net, "anticipated": s.Anticipated, "blocked": s.Blocked,
			} {
				row[at(id)] = xlsx.Money2(int64(amount))
			}
			lines = append(lines, row)
		}
	}
	return lines
}

func (r *rendering) spanLabel(s report.AgendaSpan) string {
	if s.Label == "" {
		return r.text("dashboard.no_date")
	}
	return s.Label
}

// dashboardWeeks is how many weeks the dashboard shows: a chart has room for the labels of so many.
const dashboardWeeks = 13

// drawAgenda shows what each week is to bring and what of it is blocked. A week is named by its Monday, as people know
// it; weeks for which the chart has no room, and what has no date, share a line below it.
func (r *rendering) drawAgenda(s *xlsx.Sheet) error {
	var rows, rest [][]xlsx.Cell
	var later, undated report.AgendaSpan
	beyond := false
	line := func(label string, a report.AgendaSpan) []xlsx.Cell {
		return []xlsx.Cell{xlsx.Text(label), xlsx.Money2(int64(a.Net)), xlsx.Money2(int64(a.Blocked))}
	}
	for _, w := range r.agenda.Weeks() {
		switch {
		case w.First == 0:
			undated = w
		case len(rows) < dashboardWeeks:
			rows = append(rows, line(r.weekLabel(w.First), w))
		default:
			beyond = true
			later.Net, later.Blocked = later.Net+w.Net, later.Blocked+w.Blocked
		}
	}
	title := r.text("dashboard.agenda_ahead_week_from")
	if beyond {
		rest = append(rest, line(r.text("dashboard.later"), later))
	}
	if undated.Net != 0 || undated.Blocked != 0 {
		rest = append(rest, line(r.text("dashboard.no_date"), undated))
	}
	return r.drawDayChart(s, title, []string{r.text("dashboard.net"), r.text("dashboard.blocked")}, rows, rest...)
}

// weekLabel is the Monday of a week, short enough for a chart.
func (r *rendering) weekLabel(monday ledger.Date) string {
	if r.job.Language == table.English {
		return monday.String()
	}
	s := monday.Brazilian()
	return s[:len("dd/mm/")] + s[len("dd/mm/yy"):]
}
