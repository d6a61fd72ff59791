package source

import (
	"context"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// sumRecoveries are the ledger's own sums of the claims.
func (set tableSums) sumRecoveries(ctx context.Context) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	err := set.forEachState(func(q reports.StateQuery) error {
		s, err := set.Ledger.ClaimSums(ctx, q)
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}

// sumState are the ledger's own sums of exceptions or aging, of one account after the other.
func (set tableSums) sumState(ctx context.Context, id string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	if id == string(report.ExceptionsKind) {
		out.Columns["age_business_days"] = 0 // no case is open: a figure too
	}
	err := set.forEachState(func(q reports.StateQuery) error {
		if id == string(report.AgingKind) {
			return set.sumAging(ctx, q, &out)
		}
		s, err := set.Ledger.StateSums(ctx, q)
		if err != nil {
			return err
		}
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		opened, err := set.Ledger.StateOpenings(ctx, q)
		for day, n := range opened {
			out.Columns["age_business_days"] += n * set.businessDays(q.Account, day)
		}
		return err
	})
	return out, err
}

// sumAging are sums over days, brought into their buckets by the calendar alone.
func (set tableSums) sumAging(ctx context.Context, q reports.StateQuery, out *report.Sums) error {
	waiting, err := set.Ledger.StateWaiting(ctx, q)
	if err != nil {
		return err
	}
	for _, column := range append(asof.AgingBuckets(), "total") {
		out.Columns[column] += 0 // nothing waits is a figure too
		out.Columns[column+"_qty"] += 0
	}
	lines := map[[2]string]bool{}
	for _, w := range waiting {
		lines[[2]string{w.Kind, w.Brand}] = true
		for _, column := range []string{asof.BucketColumn(set.businessDays(q.Account, w.Since)), "total"} {
			out.Columns[column+"_qty"] += w.Count
			out.Columns[column] += int64(w.Printed)
		}
	}
	ahead, err := set.Known.NotDue(ctx, set.Ledger, q)
	if err != nil {
		return err
	}
	for _, n := range ahead {
		lines[[2]string{n.Kind, n.Brand}] = true
	}
	out.Rows += int64(len(lines))
	s, err := set.Ledger.StateNotDueSums(ctx, q)
	for column, v := range s.Columns {
		out.Columns[column] += v
	}
	return err
}

// sumAgenda are the ledger's own sums of agenda or agenda-roll, of one account after the other.
func (set tableSums) sumAgenda(ctx context.Context, table string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	err := set.forEachAgenda(func(q reports.Query) error {
		s, err := set.sumAccountAgenda(ctx, q, table)
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}

func (set tableSums) sumAccountAgenda(ctx context.Context, q reports.Query, table string) (reports.Sums, error) {
	if table == agendaRollTable {
		span, err := set.Ledger.AgendaSpan(ctx, q.Account, set.State.AsOf, set.Query.AsOfRun)
		if err != nil {
			return reports.Sums{}, err
		}
		return set.Ledger.AgendaRollSums(ctx, q.Account, span, q.Brands)
	}
	sent, err := set.Ledger.ReceivedTypes(ctx, q)
	if err != nil {
		return reports.Sums{}, err
	}
	read := reports.Agenda{NetOfSplits: set.State.NetOfSplits}
	for _, s := range sent {
		if set.State.isAnticipated(s) {
			read.Anticipated = append(read.Anticipated, s)
		}
	}
	return set.Ledger.AgendaSums(ctx, q, read)
}

// sumForecast are the ledger's own sums of the forecast, over rows and not over what was kept.
func (set tableSums) sumForecast(ctx context.Context) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	err := set.forEachAgenda(func(q reports.Query) error {
		c := set.Calendar(q.Account)
		sums, err := set.Known.Forecast(ctx, set.Ledger, q, set.State.NetOfSplits, func(d ledger.Date) ledger.Date {
			return c.NextBusinessDay(calendar.Settles, d)
		})
		s := asof.ForecastSums(asof.ForecastDays(&report.AccountForecast{
			Account: q.Account, Days: listForecastDays(set.State.AsOf, set.State.ForecastDays, c), Sums: sums,
		}))
		out.Rows += s.Rows
		for column, v := range s.Columns {
			out.Columns[column] += v
		}
		return err
	})
	return out, err
}
