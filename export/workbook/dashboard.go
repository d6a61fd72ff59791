package workbook

import (
	"slices"

	"concilia/export/proof"
	"concilia/export/report/asof"
	"concilia/export/xlsx"

	"concilia/export/table"
	"concilia/store/ledger"
)

// The dashboard (Painel), the first sheet: whether all sums tie, the steps from gross to net, and what was expected and received by day, as tables
// with a chart at the right of each.

// addDashboard adds the empty sheet, which fixes its position in the workbook.
func (r *renderer) addDashboard(wb *xlsx.Workbook) (*xlsx.Sheet, error) {
	name := r.Job.Text("dashboard.dashboard")
	return wb.AddSheet(xlsx.SheetSpec{
		Name: name, Freeform: true, Title: []string{name, buildSubtitle(r.Job, r.Result.Digest)},
		Columns: []xlsx.Column{
			{Kind: xlsx.KindAny, Width: 40},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
		},
	})
}

// fillDashboard writes whether all sums tie, and the parts that the set has contents for.
func (r *renderer) fillDashboard(s *xlsx.Sheet) error {
	p := proof.Of(r.Set)
	line := xlsx.Text(p.SumsInWords()).WithStyle(xlsx.GoodIf(p.CountDifferences() == 0))
	for _, row := range [][]xlsx.Cell{{line}, nil} {
		if err := s.AppendRow(row); err != nil {
			return err
		}
	}
	var parts []func(*xlsx.Sheet) error
	if r.Summary != nil {
		parts = append(parts, r.drawWaterfall, r.drawExpectedByDay)
	}
	if r.SlipsByDay != nil {
		parts = append(parts, r.drawSlipsByDay)
	}
	if r.Exceptions != nil {
		parts = append(parts, r.drawCasesByAge)
	}
	if r.Forecast != nil {
		parts = append(parts, r.drawForecast)
	}
	if r.Agenda != nil {
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
func (r *renderer) drawWaterfall(s *xlsx.Sheet) error {
	var height ledger.Amount
	var rows [][]xlsx.Cell
	for _, step := range r.Summary.GrossToNet() {
		base, shown := ledger.Amount(0), step.Amount
		if step.Total {
			height = step.Amount
		} else {
			height -= step.Amount
			base, shown = min(height, height+step.Amount), step.Amount.Abs()
		}
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.Job.StepLabel(step)), xlsx.Money2(int64(base)).WithStyle(xlsx.Muted), xlsx.Money2(int64(shown)),
		})
	}
	title := r.Job.Text("dashboard.gross_to_net")
	first, last, err := writeBlock(s, []string{title, r.Job.Text("dashboard.chart_base"), r.Job.Text("dashboard.value")}, rows)
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
func (r *renderer) drawExpectedByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.Summary.ByDay() {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.Job.DayLabel(d.Day)), xlsx.Money2(int64(d.Expected)), xlsx.Money2(int64(d.Received))})
	}
	return r.drawDayChart(s, r.Job.Text(r.Job.DayChartTitle()),
		[]string{r.Job.Text("dashboard.expected"), r.Job.Text("dashboard.received")}, rows)
}

// drawSlipsByDay draws what was issued, paid and credited per day of the basis.
func (r *renderer) drawSlipsByDay(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	for _, d := range r.SlipsByDay.ByDay() {
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.Job.DayLabel(d.Day)), xlsx.Money2(int64(d.Issued)), xlsx.Money2(int64(d.Paid)), xlsx.Money2(int64(d.Credited)),
		})
	}
	return r.drawDayChart(s, r.Job.Text("dashboard.slips_by_day"), []string{
		r.Job.Text("dashboard.issued"), r.Job.Text("dashboard.paid"), r.Job.Text("dashboard.credited"),
	}, rows)
}

// chartColours differ in brightness, too, so that series can be distinguished in black and white print.
var chartColours = [...]string{"1F3864", "8FAADC", "1E6B34"}

// addUpRows returns the total row of a table; none without rows.
func (r *renderer) addUpRows(rows ...[]xlsx.Cell) [][]xlsx.Cell {
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
func (r *renderer) drawDayChart(s *xlsx.Sheet, title string, columns []string, rows [][]xlsx.Cell, later ...[]xlsx.Cell) error {
	rest := append(later, r.addUpRows(slices.Concat(rows, later)...)...)
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
var ageSpanTexts = [len(asof.AgeSpans)]string{"dashboard.up_to_5_days", "dashboard.6_to_30_days", "dashboard.over_30_days"}

// drawCasesByAge draws the number of open cases by cause and age, and the missing amounts by cause.
func (r *renderer) drawCasesByAge(s *xlsx.Sheet) error {
	lines := r.Exceptions.Ages().Top(dashboardCauses, r.Job.Text("dashboard.others"))
	ages, money := make([][]xlsx.Cell, 0, len(lines)), make([][]xlsx.Cell, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		if l.Cases() > 0 {
			ages = append(ages, []xlsx.Cell{xlsx.Text(r.Job.CauseTitle(l.Code)), xlsx.Int(l.Ages[0]), xlsx.Int(l.Ages[1]), xlsx.Int(l.Ages[2])})
		}
		if l.Lost+l.Late != 0 {
			money = append(money, []xlsx.Cell{xlsx.Text(r.Job.CauseTitle(l.Code)), xlsx.Money2(int64(l.Lost)), xlsx.Money2(int64(l.Late))})
		}
	}
	names := make([]string, len(ageSpanTexts))
	for i, id := range ageSpanTexts {
		names[i] = r.Job.Text(id)
	}
	if err := r.drawCauseChart(s, r.Job.Text("dashboard.exceptions_cause_age"), names, ages); err != nil {
		return err
	}
	return r.drawCauseChart(s, r.Job.Text("dashboard.brl_missing_by_cause"),
		[]string{asof.FigureName(ledger.FigureLost, r.Job.Language), asof.FigureName(ledger.FigureLate, r.Job.Language)}, money)
}

// drawCauseChart writes a table of causes and draws its columns as stacked horizontal bars, which have room for long titles.
// It draws nothing without a cause.
func (r *renderer) drawCauseChart(s *xlsx.Sheet, title string, columns []string, rows [][]xlsx.Cell) error {
	first, last, err := writeBlock(s, append([]string{title}, columns...), rows, r.addUpRows(rows...)...)
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
func (r *renderer) drawAgenda(s *xlsx.Sheet) error {
	var rows, rest [][]xlsx.Cell
	var later, undated asof.AgendaSpan
	beyond := false
	line := func(label string, a asof.AgendaSpan) []xlsx.Cell {
		return []xlsx.Cell{xlsx.Text(label), xlsx.Money2(int64(a.Net)), xlsx.Money2(int64(a.Blocked))}
	}
	for _, w := range r.Agenda.Weeks() {
		switch {
		case w.First == 0:
			undated = w
		case len(rows) < dashboardWeeks:
			rows = append(rows, line(r.labelWeek(w.First), w))
		default:
			beyond = true
			later.Net, later.Blocked = later.Net+w.Net, later.Blocked+w.Blocked
		}
	}
	title := r.Job.Text("dashboard.agenda_ahead_week_from")
	if beyond {
		rest = append(rest, line(r.Job.Text("dashboard.later"), later))
	}
	if undated.Net != 0 || undated.Blocked != 0 {
		rest = append(rest, line(r.Job.Text("dashboard.no_date"), undated))
	}
	return r.drawDayChart(s, title, []string{r.Job.Text("dashboard.net"), r.Job.Text("dashboard.blocked")}, rows, rest...)
}

// labelWeek returns the Monday of a week, short enough for a chart.
func (r *renderer) labelWeek(monday ledger.Date) string {
	if r.Job.Language == table.English {
		return monday.String()
	}
	s := monday.Brazilian()
	return s[:len("dd/mm/")] + s[len("dd/mm/yy"):]
}

// forecastChartDays is how many days the dashboard's chart shows; the others share a line.
const forecastChartDays = 23

// drawForecast draws what is confirmed and expected per business day, and below it what comes later and the running totals.
func (r *renderer) drawForecast(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	var confirmed, expected ledger.Amount
	days := r.Forecast.Days()
	for i := range days {
		d := &days[i]
		if d.Day != 0 && len(rows) < forecastChartDays {
			rows = append(rows, []xlsx.Cell{
				xlsx.Text(r.Job.DayLabel(d.Day)), xlsx.Money2(int64(d.Confirmed.Printed)), xlsx.Money2(int64(d.Expected.Printed)),
			})
			continue
		}
		confirmed, expected = confirmed+d.Confirmed.Printed, expected+d.Expected.Printed
	}
	later := []xlsx.Cell{xlsx.Text(r.Job.Text("dashboard.later")), xlsx.Money2(int64(confirmed)), xlsx.Money2(int64(expected))}
	return r.drawDayChart(s, r.Job.Text("forecast.by_day"),
		[]string{r.Job.Text("forecast.confirmed"), r.Job.Text("forecast.expected")}, rows, later)
}
