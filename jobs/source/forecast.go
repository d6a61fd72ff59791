package source

import (
	"context"

	"concilia/export/report"
	"concilia/export/report/asof"
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

// Forecast is the part of report.RowSource that only the forecast asks for.
func (f *ReportSource) Forecast(ctx context.Context, yield func(*report.AccountForecast) error) error {
	return f.forEachAgenda(func(q reports.Query) error {
		a, err := AccountForecast(ctx, f.Ledger, q.Account, q.AsOfRun, f.State.AsOf, f.State.ForecastDays, f.Calendar(q.Account))
		if err != nil {
			return err
		}
		return yield(a)
	})
}

// sumForecast are the ledger's own sums of the forecast, over rows and not over what was kept.
func (f *ReportSource) sumForecast(ctx context.Context) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	err := f.forEachAgenda(func(q reports.Query) error {
		c := f.Calendar(q.Account)
		sums, err := f.Known.Forecast(ctx, f.Ledger, q, f.State.NetOfSplits, func(d ledger.Date) ledger.Date {
			return c.NextBusinessDay(calendar.Settles, d)
		})
		s := asof.ForecastSums(asof.ForecastDays(&report.AccountForecast{
			Account: q.Account, Days: listForecastDays(f.State.AsOf, f.State.ForecastDays, c), Sums: sums,
		}))
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}
