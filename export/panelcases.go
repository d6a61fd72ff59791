package export

import (
	"cmp"

	"concilia/export/report"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// dashboardCauses is how many causes the dashboard shows by themselves.
const dashboardCauses = 8

// ageSpanTexts are the texts for report.AgeSpans.
var ageSpanTexts = [len(report.AgeSpans)]string{"dashboard.up_to_5_days", "dashboard.6_to_30_days", "dashboard.over_30_days"}

// drawCasesByAge shows how many cases stand by cause and age, and what is missing by cause.
func (r *rendering) drawCasesByAge(s *xlsx.Sheet) error {
	lines := r.exceptions.Ages().Top(dashboardCauses, r.text("dashboard.others"))
	ages, money := make([][]xlsx.Cell, 0, len(lines)), make([][]xlsx.Cell, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		if l.Cases() > 0 {
			ages = append(ages, []xlsx.Cell{xlsx.Text(r.causeTitle(l.Code)), xlsx.Int(l.Ages[0]), xlsx.Int(l.Ages[1]), xlsx.Int(l.Ages[2])})
		}
		if l.Lost+l.Late != 0 {
			money = append(money, []xlsx.Cell{xlsx.Text(r.causeTitle(l.Code)), xlsx.Money2(int64(l.Lost)), xlsx.Money2(int64(l.Late))})
		}
	}
	names := make([]string, len(ageSpanTexts))
	for i, id := range ageSpanTexts {
		names[i] = r.text(id)
	}
	if err := r.drawCauseChart(s, r.text("dashboard.exceptions_cause_age"), names, ages); err != nil {
		return err
	}
	return r.drawCauseChart(s, r.text("dashboard.brl_missing_by_cause"),
		[]string{FigureName(ledger.FigureLost, r.job.Language), FigureName(ledger.FigureLate, r.job.Language)}, money)
}

// causeTitle is a cause in plain words: the sheet of the cases has the codes.
func (r *rendering) causeTitle(code string) string {
	return cmp.Or(r.job.Words[code].Title, code)
}

// drawCauseChart writes a table of causes and draws its columns one on the other, lying, because causes are sentences; without a
// cause there is nothing to draw.
func (r *rendering) drawCauseChart(s *xlsx.Sheet, title string, columns []string, rows [][]xlsx.Cell) error {
	first, last, err := writeBlock(s, append([]string{title}, columns...), rows, r.dashboardTotal(rows...)...)
	if err != nil || len(rows) == 0 {
		return err
	}
	chart := xlsx.Chart{Kind: xlsx.StackedBars, Title: title, Column: 5, Row: first - 1, Width: 860, Height: 260}
	for i := range columns {
		chart.Series = append(chart.Series, xlsx.Series{
			Heading: first - 1, Categories: 0, Values: i + 1, First: first, Last: last, Colour: chartColours[i%len(chartColours)],
		})
	}
	return s.AddChart(chart)
}
