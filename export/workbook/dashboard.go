package workbook

import (
	"slices"

	"concilia/export/proof"
	"concilia/export/report/asof"
	"concilia/export/xlsx"

	"concilia/export/table"
	"concilia/store/ledger"
)

// The dashboard (Painel), the first sheet: whether all sums tie, what is to be credited, and charts. What the charts are drawn of is in
// a sheet that is kept out of sight.

// dashboard is the sheet that people see, and the one with the data of its charts.
type dashboard struct {
	*renderer
	panel, data *xlsx.Sheet
}

// addDashboard adds the empty sheet, which fixes its position in the workbook.
func (r *renderer) addDashboard(wb *xlsx.Workbook) (*dashboard, error) {
	panel, err := r.addPanel(wb, "dashboard.dashboard", false)
	return &dashboard{renderer: r, panel: panel}, err
}

// addChartData adds the sheet of the charts' data.
func (r *dashboard) addChartData(wb *xlsx.Workbook) (err error) {
	r.data, err = r.addPanel(wb, "dashboard.chart_data", true)
	return err
}

// addPanel adds a sheet for small tables.
func (r *renderer) addPanel(wb *xlsx.Workbook, text string, hidden bool) (*xlsx.Sheet, error) {
	name := r.Job.Text(text)
	return wb.AddSheet(xlsx.SheetSpec{
		Name: name, Freeform: true, Hidden: hidden, Title: []string{name, buildSubtitle(r.Job, r.Result.Digest)},
		Columns: []xlsx.Column{
			{Kind: xlsx.KindAny, Width: 40},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
			{Kind: xlsx.KindAny, Width: 16},
		},
	})
}

// fillSheet writes whether all sums tie, which leads to control, and the parts that the set has contents for.
func (r *dashboard) fillSheet(control *xlsx.Sheet) error {
	p := proof.Of(r.Set)
	line := xlsx.Text(p.SumsInWords()).WithStyle(xlsx.GoodIf(p.CountDifferences() == 0))
	if err := r.panel.AppendRow([]xlsx.Cell{line}); err != nil {
		return err
	}
	r.panel.LinkLastRow(control)
	if err := r.panel.AppendRow(nil); err != nil {
		return err
	}
	var parts []func() error
	if r.Forecast != nil {
		parts = append(parts, r.listForecast)
	}
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
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// headingRow is a row of headings, those after the first over numbers.
func headingRow(texts ...string) []xlsx.Cell {
	row := make([]xlsx.Cell, len(texts))
	for i, h := range texts {
		if row[i] = xlsx.Text(h).WithStyle(xlsx.Heading); i > 0 {
			row[i].Style = xlsx.HeadingRight
		}
	}
	return row
}

// writeData writes a small table under a heading to the sheet of the charts' data, and returns its first and last data row. The rows
// in rest follow below and are in no chart.
func (r *dashboard) writeData(heading []string, rows [][]xlsx.Cell, rest ...[]xlsx.Cell) (first, last int, err error) {
	if err := r.data.AppendRow(headingRow(heading...)); err != nil {
		return 0, 0, err
	}
	first = r.data.LastRow() + 1
	last = first + len(rows) - 1
	for _, row := range slices.Concat(rows, rest, [][]xlsx.Cell{nil}) {
		if err := r.data.AppendRow(row); err != nil {
			return 0, 0, err
		}
	}
	return first, last, nil
}

// chartRows is how many rows a chart takes; the next one begins below it.
const chartRows = 15

// addChart draws a chart below what the dashboard has.
func (r *dashboard) addChart(c *xlsx.Chart) error {
	c.Column, c.Row, c.Height, c.Data = 0, r.panel.LastRow()+1, 260, r.data
	for range chartRows {
		if err := r.panel.AppendRow(nil); err != nil {
			return err
		}
	}
	return r.panel.AddChart(*c)
}

// listForecast writes what is to be credited within the next days, below what is in no day.
func (r *dashboard) listForecast() error {
	days := r.Forecast.Days()
	heading := headingRow(r.Job.Text("forecast.title"), r.Job.Text("forecast.confirmed"), r.Job.Text("forecast.expected"))
	rows := [][]xlsx.Cell{heading}
	for _, note := range r.Job.Captions().ForecastNotes(days) {
		rows = append(rows, []xlsx.Cell{xlsx.Text(note).WithStyle(xlsx.Muted)})
	}
	for _, o := range r.Forecast.Outside() {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.Job.Text("forecast.in_no_day") + " " + r.Job.Text(o.Text)), {}, xlsx.Money2(int64(o.Amount))})
	}
	for _, span := range asof.ForecastSpans(days, r.Job.AsOf, r.Job.ForecastDays) {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.Job.Text("forecast.in_days", "n", span.Days)), xlsx.Money2(int64(span.Confirmed)), xlsx.Money2(int64(span.Expected))})
	}
	for _, row := range append(rows, nil) {
		if err := r.panel.AppendRow(row); err != nil {
			return err
		}
	}
	return nil
}

// drawWaterfall draws the steps from gross to expected net. The invisible base column places each step at its height.
func (r *dashboard) drawWaterfall() error {
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
			xlsx.Text(r.Job.Captions().StepLabel(step)), xlsx.Money2(int64(base)).WithStyle(xlsx.Muted), xlsx.Money2(int64(shown)),
		})
	}
	title := r.Job.Text("dashboard.gross_to_net")
	first, last, err := r.writeData([]string{title, r.Job.Text("dashboard.chart_base"), r.Job.Text("dashboard.value")}, rows)
	if err != nil {
		return err
	}
	return r.addChart(&xlsx.Chart{
		Kind: xlsx.Stacked, Title: title, Width: 560, NoLegend: true,
		Series: []xlsx.Series{
			{Heading: first - 1, Categories: 0, Values: 1, First: first, Last: last, Invisible: true},
			{Heading: first - 1, Categories: 0, Values: 2, First: first, Last: last, Colour: "1F3864"},
		},
	})
}

// drawExpectedByDay draws what was expected and received per day of the basis.
func (r *dashboard) drawExpectedByDay() error {
	var rows [][]xlsx.Cell
	for _, d := range r.Summary.ByDay() {
		rows = append(rows, []xlsx.Cell{xlsx.Text(r.Job.Captions().DayLabel(d.Day)), xlsx.Money2(int64(d.Expected)), xlsx.Money2(int64(d.Received))})
	}
	return r.drawDayChart(r.Job.Text(r.Job.Captions().DayChartTitle()),
		[]string{r.Job.Text("dashboard.expected"), r.Job.Text("dashboard.received")}, rows)
}

// drawSlipsByDay draws what was issued, paid and credited per day of the basis.
func (r *dashboard) drawSlipsByDay() error {
	var rows [][]xlsx.Cell
	for _, d := range r.SlipsByDay.ByDay() {
		rows = append(rows, []xlsx.Cell{
			xlsx.Text(r.Job.Captions().DayLabel(d.Day)), xlsx.Money2(int64(d.Issued)), xlsx.Money2(int64(d.Paid)), xlsx.Money2(int64(d.Credited)),
		})
	}
	return r.drawDayChart(r.Job.Text("dashboard.slips_by_day"), []string{
		r.Job.Text("dashboard.issued"), r.Job.Text("dashboard.paid"), r.Job.Text("dashboard.credited"),
	}, rows)
}

// chartColours differ in brightness, too, so that series can be distinguished in black and white print.
var chartColours = [...]string{"1F3864", "8FAADC", "1E6B34"}

// addUpRows returns the total row of a table; none without rows.
func (r *dashboard) addUpRows(rows ...[]xlsx.Cell) [][]xlsx.Cell {
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
func (r *dashboard) drawDayChart(title string, columns []string, rows [][]xlsx.Cell, later ...[]xlsx.Cell) error {
	rest := append(later, r.addUpRows(slices.Concat(rows, later)...)...)
	first, last, err := r.writeData(append([]string{title}, columns...), rows, rest...)
	if err != nil || len(rows) == 0 {
		return err
	}
	chart := &xlsx.Chart{Kind: xlsx.Columns, Title: title, Width: 860}
	for i := range columns {
		chart.Series = append(chart.Series, xlsx.Series{
			Heading: first - 1, Categories: 0, Values: i + 1, First: first, Last: last, Colour: chartColours[i%len(chartColours)],
		})
	}
	return r.addChart(chart)
}

// dashboardCauses is how many causes the dashboard shows; the others share a line.
const dashboardCauses = 8

// ageSpanTexts are the texts for report.AgeSpans.
var ageSpanTexts = [len(asof.AgeSpans)]string{"dashboard.up_to_5_days", "dashboard.6_to_30_days", "dashboard.over_30_days"}

// drawCasesByAge draws the number of open cases by cause and age, and the missing amounts by cause.
func (r *dashboard) drawCasesByAge() error {
	lines := r.Exceptions.Ages().Top(dashboardCauses, r.Job.Text("dashboard.others"))
	ages, money := make([][]xlsx.Cell, 0, len(lines)), make([][]xlsx.Cell, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		if l.Cases() > 0 {
			ages = append(ages, []xlsx.Cell{xlsx.Text(r.Job.Captions().CauseTitle(l.Code)), xlsx.Int(l.Ages[0]), xlsx.Int(l.Ages[1]), xlsx.Int(l.Ages[2])})
		}
		if l.Lost+l.Late != 0 {
			money = append(money, []xlsx.Cell{xlsx.Text(r.Job.Captions().CauseTitle(l.Code)), xlsx.Money2(int64(l.Lost)), xlsx.Money2(int64(l.Late))})
		}
	}
	names := make([]string, len(ageSpanTexts))
	for i, id := range ageSpanTexts {
		names[i] = r.Job.Text(id)
	}
	if err := r.drawCauseChart(r.Job.Text("dashboard.exceptions_cause_age"), names, ages); err != nil {
		return err
	}
	return r.drawCauseChart(r.Job.Text("dashboard.brl_missing_by_cause"),
		[]string{asof.FigureName(ledger.FigureLost, r.Job.Language), asof.FigureName(ledger.FigureLate, r.Job.Language)}, money)
}

// drawCauseChart writes a table of causes and draws its columns as stacked horizontal bars, which have room for long titles.
// It draws nothing without a cause.
func (r *dashboard) drawCauseChart(title string, columns []string, rows [][]xlsx.Cell) error {
	first, last, err := r.writeData(append([]string{title}, columns...), rows, r.addUpRows(rows...)...)
	if err != nil || len(rows) == 0 {
		return err
	}
	chart := &xlsx.Chart{Kind: xlsx.StackedBars, Title: title, Width: 860}
	for i := range columns {
		chart.Series = append(chart.Series, xlsx.Series{
			Heading: first - 1, Categories: 0, Values: i + 1, First: first, Last: last, Colour: chartColours[i%len(chartColours)],
		})
	}
	return r.addChart(chart)
}

// dashboardWeeks is how many weeks the dashboard shows; a chart has no room for more labels.
const dashboardWeeks = 13

// drawAgenda draws what is to be received in each week and what of it is blocked. A week is labelled by its Monday. Weeks that
// the chart has no room for share a line below it, and so do forecasts without a date.
func (r *dashboard) drawAgenda() error {
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
	return r.drawDayChart(title, []string{r.Job.Text("dashboard.net"), r.Job.Text("dashboard.blocked")}, rows, rest...)
}

// labelWeek returns the Monday of a week, short enough for a chart.
func (r *dashboard) labelWeek(monday ledger.Date) string {
	if r.Job.Language == table.English {
		return monday.String()
	}
	s := monday.Brazilian()
	return s[:len("dd/mm/")] + s[len("dd/mm/yy"):]
}

// forecastChartDays is how many days the dashboard's chart shows; the others share a line.
const forecastChartDays = 23

// drawForecast draws what is confirmed and expected per business day, and below it what comes later and the running totals.
func (r *dashboard) drawForecast() error {
	var rows [][]xlsx.Cell
	var confirmed, expected ledger.Amount
	days := r.Forecast.Days()
	for i := range days {
		d := &days[i]
		if d.Day != 0 && len(rows) < forecastChartDays {
			rows = append(rows, []xlsx.Cell{
				xlsx.Text(r.Job.Captions().DayLabel(d.Day)), xlsx.Money2(int64(d.Confirmed.Printed)), xlsx.Money2(int64(d.Expected.Printed)),
			})
			continue
		}
		confirmed, expected = confirmed+d.Confirmed.Printed, expected+d.Expected.Printed
	}
	later := []xlsx.Cell{xlsx.Text(r.Job.Text("dashboard.later")), xlsx.Money2(int64(confirmed)), xlsx.Money2(int64(expected))}
	return r.drawDayChart(r.Job.Text("forecast.by_day"),
		[]string{r.Job.Text("forecast.confirmed"), r.Job.Text("forecast.expected")}, rows, later)
}
