package export

import (
	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// forecastSpans are the calendar days that totals of the forecast are shown for.
var forecastSpans = [...]int{30, 60, 90}

// pageForecast returns the cash forecast over all accounts of the set; nil without one.
func (r *rendering) pageForecast() *html.Forecast {
	if r.forecast == nil {
		return nil
	}
	days := r.forecast.Days()
	out := &html.Forecast{
		Facts: r.forecastFacts(days), Outside: r.forecastOutside(), Note: r.forecastNote(),
		Days: html.Days{
			Heading: r.lookUpText("forecast.by_day"), First: r.lookUpText("forecast.confirmed"), Second: r.lookUpText("forecast.expected"),
		},
	}
	for i := range days {
		if d := &days[i]; d.Day != 0 {
			out.Days.Days = append(out.Days.Days, html.Day{Label: r.dayLabel(d.Day), First: d.Confirmed.Printed, Second: d.Expected.Printed})
		}
	}
	return out
}

// forecastFacts are the totals of the spans, and what is in no day: what is late, without a date, or not registered.
func (r *rendering) forecastFacts(days []report.ForecastDay) []html.ForecastFact {
	var out []html.ForecastFact
	for _, span := range forecastSpans {
		if span > r.job.ForecastDays {
			break
		}
		f := html.ForecastFact{Label: r.lookUpText("forecast.in_days", "n", span)}
		for i := range days {
			if d := &days[i]; d.Day != 0 && d.Day <= r.job.AsOf+ledger.Date(span) {
				f.Confirmed, f.Expected = d.ConfirmedToDate.Printed, d.ExpectedToDate.Printed
			}
		}
		out = append(out, f)
	}
	return out
}

// forecastOutside are the amounts that are in no day of the forecast.
func (r *rendering) forecastOutside() []html.Step {
	var out []html.Step
	for _, o := range []struct {
		id     string
		amount ledger.Amount
	}{
		{"forecast.late", r.forecast.SumOf(ledger.LateCards, false) + r.forecast.SumOf(ledger.LateSlips, false)},
		{"forecast.without_date", r.forecast.SumOf(ledger.ForecastCards, false)},
		{"forecast.not_registered", r.forecast.SumOf(ledger.ForecastUnregistered, false)},
	} {
		if o.amount != 0 {
			out = append(out, html.Step{Label: r.lookUpText(o.id), Amount: o.amount})
		}
	}
	return out
}

// forecastNote says until when slips are known.
func (r *rendering) forecastNote() string {
	if r.job.SlipsKnownTo == 0 {
		return ""
	}
	return r.lookUpText("forecast.slips_known_to", "date", table.DateText(r.job.SlipsKnownTo, r.job.Language))
}

// forecastChartDays is how many days the dashboard's chart shows; the others share a line.
const forecastChartDays = 23

// drawForecast draws what is confirmed and expected per business day, and below it what comes later and the running totals.
func (r *rendering) drawForecast(s *xlsx.Sheet) error {
	var rows [][]xlsx.Cell
	var confirmed, expected ledger.Amount
	days := r.forecast.Days()
	for i := range days {
		d := &days[i]
		if d.Day != 0 && len(rows) < forecastChartDays {
			rows = append(rows, []xlsx.Cell{
				xlsx.Text(r.dayLabel(d.Day)), xlsx.Money2(int64(d.Confirmed.Printed)), xlsx.Money2(int64(d.Expected.Printed)),
			})
			continue
		}
		confirmed, expected = confirmed+d.Confirmed.Printed, expected+d.Expected.Printed
	}
	later := []xlsx.Cell{xlsx.Text(r.lookUpText("dashboard.later")), xlsx.Money2(int64(confirmed)), xlsx.Money2(int64(expected))}
	return r.drawDayChart(s, r.lookUpText("forecast.by_day"),
		[]string{r.lookUpText("forecast.confirmed"), r.lookUpText("forecast.expected")}, rows, later)
}
