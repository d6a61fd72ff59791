package page

import (
	"concilia/export/html"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/store/ledger"
)

// forecastSpans are the calendar days that totals of the forecast are shown for.
var forecastSpans = [...]int{30, 60, 90}

// buildForecast returns the cash forecast over all accounts of the set; nil without one.
func (r *renderer) buildForecast() *html.Forecast {
	if r.Forecast == nil {
		return nil
	}
	days := r.Forecast.Days()
	out := &html.Forecast{
		Facts: r.listForecastFacts(days), Outside: r.listForecastOutside(), Note: r.describeSlipHorizon(),
		Days: html.Days{
			Heading: r.Job.Text("forecast.by_day"), First: r.Job.Text("forecast.confirmed"), Second: r.Job.Text("forecast.expected"),
		},
	}
	for i := range days {
		if d := &days[i]; d.Day != 0 {
			out.Days.Days = append(out.Days.Days, html.Day{Label: r.Job.DayLabel(d.Day), First: d.Confirmed.Printed, Second: d.Expected.Printed})
		}
	}
	return out
}

// listForecastFacts returns the totals of the spans, and what is in no day: what is late, without a date, or not registered.
func (r *renderer) listForecastFacts(days []asof.ForecastDay) []html.ForecastFact {
	var out []html.ForecastFact
	for _, span := range forecastSpans {
		if span > r.Job.ForecastDays {
			break
		}
		f := html.ForecastFact{Label: r.Job.Text("forecast.in_days", "n", span)}
		for i := range days {
			if d := &days[i]; d.Day != 0 && d.Day <= r.Job.AsOf+ledger.Date(span) {
				f.Confirmed, f.Expected = d.ConfirmedToDate.Printed, d.ExpectedToDate.Printed
			}
		}
		out = append(out, f)
	}
	return out
}

// listForecastOutside returns the amounts that are in no day of the forecast.
func (r *renderer) listForecastOutside() []html.Step {
	var out []html.Step
	for _, o := range []struct {
		id     string
		amount ledger.Amount
	}{
		{"forecast.late", r.Forecast.SumOf(ledger.LateCards, false) + r.Forecast.SumOf(ledger.LateSlips, false)},
		{"forecast.without_date", r.Forecast.SumOf(ledger.ForecastCards, false)},
		{"forecast.not_registered", r.Forecast.SumOf(ledger.ForecastUnregistered, false)},
	} {
		if o.amount != 0 {
			out = append(out, html.Step{Label: r.Job.Text(o.id), Amount: o.amount})
		}
	}
	return out
}

// describeSlipHorizon says until when slips are known.
func (r *renderer) describeSlipHorizon() string {
	if r.Job.SlipsKnownTo == 0 {
		return ""
	}
	return r.Job.Text("forecast.slips_known_to", "date", table.DateText(r.Job.SlipsKnownTo, r.Job.Language))
}
