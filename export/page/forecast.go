package page

import (
	"concilia/export"
	"concilia/export/html"
	"concilia/export/report/asof"
)

// buildForecast returns the cash forecast over all accounts of the set; nil without one.
func buildForecast(j *export.Job, f *asof.Forecast) *html.Forecast {
	if f == nil {
		return nil
	}
	days := f.Days()
	out := &html.Forecast{
		Facts: listForecastFacts(j, days), Outside: listForecastOutside(j, f), Notes: j.Captions().ForecastNotes(days),
		Days: html.Days{
			Heading: j.Text("forecast.by_day"), First: j.Text("forecast.confirmed"), Second: j.Text("forecast.expected"),
		},
	}
	for i := range days {
		if d := &days[i]; d.Day != 0 {
			out.Days.Days = append(out.Days.Days, html.Day{Label: j.Captions().DayLabel(d.Day), First: d.Confirmed.Printed, Second: d.Expected.Printed})
		}
	}
	return out
}

// listForecastFacts returns the totals of the spans.
func listForecastFacts(j *export.Job, days []asof.ForecastDay) []html.ForecastFact {
	var out []html.ForecastFact
	for _, span := range asof.ForecastSpans(days, j.AsOf, j.ForecastDays) {
		out = append(out, html.ForecastFact{Label: j.Text("forecast.in_days", "n", span.Days), Confirmed: span.Confirmed, Expected: span.Expected})
	}
	return out
}

// listForecastOutside returns the amounts of the forecast that are in no day.
func listForecastOutside(j *export.Job, f *asof.Forecast) []html.Step {
	var out []html.Step
	for _, o := range f.Outside() {
		out = append(out, html.Step{Label: j.Text(o.Text), Amount: o.Amount})
	}
	return out
}
