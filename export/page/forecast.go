package page

import (
	"concilia/export"
	"concilia/export/html"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/store/ledger"
)

// forecastSpans are the calendar days that totals of the forecast are shown for.
var forecastSpans = [...]int{30, 60, 90}

// buildForecast returns the cash forecast over all accounts of the set; nil without one.
func buildForecast(j *export.Job, f *asof.Forecast) *html.Forecast {
	if f == nil {
		return nil
	}
	days := f.Days()
	out := &html.Forecast{
		Facts: listForecastFacts(j, days), Outside: listForecastOutside(j, f), Note: describeSlipHorizon(j),
		Days: html.Days{
			Heading: j.Text("forecast.by_day"), First: j.Text("forecast.confirmed"), Second: j.Text("forecast.expected"),
		},
	}
	for i := range days {
		if d := &days[i]; d.Day != 0 {
			out.Days.Days = append(out.Days.Days, html.Day{Label: j.DayLabel(d.Day), First: d.Confirmed.Printed, Second: d.Expected.Printed})
		}
	}
	return out
}

// listForecastFacts returns the totals of the spans, and what is in no day: what is late, without a date, or not registered.
func listForecastFacts(j *export.Job, days []asof.ForecastDay) []html.ForecastFact {
	var out []html.ForecastFact
	for _, span := range forecastSpans {
		if span > j.ForecastDays {
			break
		}
		f := html.ForecastFact{Label: j.Text("forecast.in_days", "n", span)}
		for i := range days {
			if d := &days[i]; d.Day != 0 && d.Day <= j.AsOf+ledger.Date(span) {
				f.Confirmed, f.Expected = d.ConfirmedToDate.Printed, d.ExpectedToDate.Printed
			}
		}
		out = append(out, f)
	}
	return out
}

// listForecastOutside returns the amounts that are in no day of the forecast.
func listForecastOutside(j *export.Job, f *asof.Forecast) []html.Step {
	var out []html.Step
	for _, o := range []struct {
		id     string
		amount ledger.Amount
	}{
		{"forecast.late", f.SumOf(ledger.LateCards, false) + f.SumOf(ledger.LateSlips, false)},
		{"forecast.without_date", f.SumOf(ledger.ForecastCards, false)},
		{"forecast.not_registered", f.SumOf(ledger.ForecastUnregistered, false)},
	} {
		if o.amount != 0 {
			out = append(out, html.Step{Label: j.Text(o.id), Amount: o.amount})
		}
	}
	return out
}

// describeSlipHorizon says until when slips are known.
func describeSlipHorizon(j *export.Job) string {
	if j.SlipsKnownTo == 0 {
		return ""
	}
	return j.Text("forecast.slips_known_to", "date", table.DateText(j.SlipsKnownTo, j.Language))
}
