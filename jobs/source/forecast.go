package source

import (
	"context"

	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// AccountForecast returns what the account is to be credited, as the run's reconcile kept it, with the bank's business days of the
// next days calendar days.
func AccountForecast(
	ctx context.Context, l *store.Ledger, a ledger.Account, run string, asOf ledger.Date, days int, c *calendar.Calendar,
) (*report.AccountForecast, error) {
	sums, err := l.ForecastOfRun(ctx, a, run)
	return &report.AccountForecast{Account: a, Days: listForecastDays(asOf, days, c), Sums: sums}, err
}

func listForecastDays(asOf ledger.Date, days int, c *calendar.Calendar) []ledger.Date {
	var out []ledger.Date
	for d := asOf; d <= asOf+ledger.Date(days); d++ {
		if c.IsBusinessDay(calendar.Settles, d) {
			out = append(out, d)
		}
	}
	return out
}

// Forecast is the part of report.StateSource that only the forecast asks for.
func (r agendaReader) Forecast(ctx context.Context, yield func(*report.AccountForecast) error) error {
	return r.forEachAgenda(func(q reports.Query) error {
		a, err := AccountForecast(ctx, r.Ledger, q.Account, q.AsOfRun, r.State.AsOf, r.State.ForecastDays, r.Calendar(q.Account))
		if err != nil {
			return err
		}
		return yield(a)
	})
}
