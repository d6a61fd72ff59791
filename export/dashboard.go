package export

import (
	"cmp"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// The dashboard (Painel), the first sheet: whether all sums tie, the steps from gross to net, and what was expected and received by day, as tables
// with a chart at the right of each.

// addDashboard adds the empty sheet, which fixes its position in the workbook.
func (r *rendering) addDashboard(wb *xlsx.Workbook) (*xlsx.Sheet, error) {
	name := r.lookUpText("dashboard.dashboard")
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

// lookUpText returns a text in the language of the set.
func (r *rendering) lookUpText(id string, values ...any) string {
	return words.Text(r.job.Language, id, values...)
}

// fillDashboard writes whether all sums tie, and the parts that the set has contents for.
func (r *rendering) fillDashboard(s *xlsx.Sheet) error {
	p := r.collectProof()
	line := xlsx.Text(p.sumsInWords(r.lookUpText)).WithStyle(goodIf(p.countDifferences() == 0))
	for _, row := range [][]xlsx.Cell{{line}, nil} {
		if err := s.AppendRow(row); err != nil {
			return err
		}
	}
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
	if r.forecast != nil {
		parts = append(parts, r.drawForecast)
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

// chartRows is how many rows a chart covers; the next table begins below it.
const chartRows = 14

// writeBlock writes a small table under a heading, leaves room for its chart, and returns its first and last data row. The rows
// in rest follow below and are in no chart.
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

// drawWaterfall draws the steps from gross to expected net. The invisible base column places each step at its height.
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
	title := r.lookUpText("dashboard.gross_to_net")
	first, last, err := writeBlock(s, []string{title, r.lookUpText("dashboard.chart_base"), r.lookUpText("dashboard.value")}, rows)
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

// drawExpectedByDay draws what was expected and received per day of the basis.
func (r *rendering) drawExpectedByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.summary.ByDay() {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.dayLabel(d.Day)), xlsx.Money2(int64(d.Expected)), xlsx.Money2(int64(d.Received))})
	}
	return r.drawDayChart(s, r.lookUpText(r.dayChartTitle()),
		[]string{r.lookUpText("dashboard.expected"), r.lookUpText("dashboard.received")}, rows)
}

// drawSlipsByDay draws what was issued, paid and credited per day of the basis.
func (r *rendering) drawSlipsByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.slipsByDay.ByDay() {
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.dayLabel(d.Day)), xlsx.Money2(int64(d.Issued)), xlsx.Money2(int64(d.Paid)), xlsx.Money2(int64(d.Credited)),
		})
	}
	return r.drawDayChart(s, r.lookUpText("dashboard.slips_by_day"), []string{
		r.lookUpText("dashboard.issued"), r.lookUpText("dashboard.paid"), r.lookUpText("dashboard.credited"),
	}, rows)
}

// chartColours differ in brightness, too, so that series can be distinguished in black and white print.
var chartColours = [...]string{"1F3864", "8FAADC", "1E6B34"}

// dayLabel formats a day for a chart, without the year if the period lies in one year. English dates are ISO dates, because
// 05/11 would be read as a day in May.
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

// dashboardTotal returns the total row of a table; none without rows.
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

// drawDayChart writes a table of days and draws its columns side by side; it draws nothing without a day. Days are text, because
// some programs show dates in charts as serial numbers. The rows in later are in the table only.
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

// dashboardCauses is how many causes the dashboard shows; the others share a line.
const dashboardCauses = 8

// ageSpanTexts are the texts for report.AgeSpans.
var ageSpanTexts = [len(report.AgeSpans)]string{"dashboard.up_to_5_days", "dashboard.6_to_30_days", "dashboard.over_30_days"}

// drawCasesByAge draws the number of open cases by cause and age, and the missing amounts by cause.
func (r *rendering) drawCasesByAge(s *xlsx.Sheet) error {
	lines := r.exceptions.Ages().Top(dashboardCauses, r.lookUpText("dashboard.others"))
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
		names[i] = r.lookUpText(id)
	}
	if err := r.drawCauseChart(s, r.lookUpText("dashboard.exceptions_cause_age"), names, ages); err != nil {
		return err
	}
	return r.drawCauseChart(s, r.lookUpText("dashboard.brl_missing_by_cause"),
		[]string{report.FigureName(ledger.FigureLost, r.job.Language), report.FigureName(ledger.FigureLate, r.job.Language)}, money)
}

// causeTitle returns the title of a code; the sheet of the cases has the codes themselves.
func (r *rendering) causeTitle(code string) string {
	return cmp.Or(r.job.Words[code].Title, code)
}

// drawCauseChart writes a table of causes and draws its columns as stacked horizontal bars, which have room for long titles.
// It draws nothing without a cause.
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

// dashboardWeeks is how many weeks the dashboard shows; a chart has no room for more labels.
const dashboardWeeks = 13

// drawAgenda draws what is to be received in each week and what of it is blocked. A week is labelled by its Monday. Weeks that
// the chart has no room for share a line below it, and so do forecasts without a date.
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
	title := r.lookUpText("dashboard.agenda_ahead_week_from")
	if beyond {
		rest = append(rest, line(r.lookUpText("dashboard.later"), later))
	}
	if undated.Net != 0 || undated.Blocked != 0 {
		rest = append(rest, line(r.lookUpText("dashboard.no_date"), undated))
	}
	return r.drawDayChart(s, title, []string{r.lookUpText("dashboard.net"), r.lookUpText("dashboard.blocked")}, rows, rest...)
}

// weekLabel returns the Monday of a week, short enough for a chart.
func (r *rendering) weekLabel(monday ledger.Date) string {
	if r.job.Language == table.English {
		return monday.String()
	}
	s := monday.Brazilian()
	return s[:len("dd/mm/")] + s[len("dd/mm/yy"):]
}
